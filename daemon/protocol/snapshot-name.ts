// How snapshots may be called: for sandboxd's routes and for the command line, which loads no schemas.

/** They begin with a letter: numbers are the ids of snapshots without a name. */
export const SNAPSHOT_NAME = "^[A-Za-z][A-Za-z0-9_-]{0,63}$";
