// What a request is addressed to.

export interface Target {
  readonly scheme: string;
  readonly authority: string;
  readonly path: string;
  readonly query: string;
}

const URL_PARTS = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)([^?#]*)(\?[^#]*)?/i;

/** Components of a URL as written, or undefined without a scheme and authority. */
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
