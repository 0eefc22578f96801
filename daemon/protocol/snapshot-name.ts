// The form of snapshot names, for sandboxd's routes and for the command line, which loads no schemas.

/** They begin with a letter: numbers are ids of unnamed snapshots. */
export const SNAPSHOT_NAME = "^[A-Za-z][A-Za-z0-9_-]{0,63}$";

/** Ids of snapshots, named ones and others. */
export const SNAPSHOT_ID = /^[\w-]{1,64}$/;
