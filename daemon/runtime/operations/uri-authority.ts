// The account that a URI of smart functions names.
const MAX_AUTHORITY = 100;

/** Authority of a `jstz://` URI, or null; cut at the length of the longest address. */
export function authorityOf(uri: string): string | null {
  const authority = /^[a-z]+:\/\/([^/?#]+)/i.exec(uri.slice(0, 2 * MAX_AUTHORITY))?.[1];
  // A slice keeps the whole text in memory, so it is copied.
  return authority === undefined ? null : Buffer.from(authority.slice(0, MAX_AUTHORITY)).toString();
}
