// What a request is addressed to.

export interface Target {
  readonly scheme: string;
  readonly authority: string;
  readonly path: string;
  readonly query: string;
}

const URL_PARTS = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)([^?#]*)(\?[^#]*)?/i;

/** Parts of a URL as they are written, or undefined when it has no scheme and authority. */
export function parseTarget(url: string): Target | undefined {
  const match = URL_PARTS.exec(url);
  if (!match) return undefined;
  return {
    scheme: (match[1] ?? "").toLowerCase(),
    authority: match[2] ?? "",
    path: match[3] ?? "",
    query: match[4] ?? "",
  };
}
