// Where the web page of a sandbox is.

/** @param sandboxd base URL */
export const explorerAddress = (sandboxd: string): string => `${sandboxd.replace(/\/$/, "")}/explorer/`;
