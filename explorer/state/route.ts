// The current view, from the URL's fragment. The server sees one path only, so the page works behind a proxy with a path
// prefix.
import { signal } from "@preact/signals";
import { showHidden } from "../../daemon/text/visible-text.ts";

export interface Route {
  /** The parts of the path, decoded; empty for the overview. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}

function routeOf(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?");
  return { path: path.split("/").filter(Boolean).map(decode), query: new URLSearchParams(query) };
}

/**
 * Decodes a segment; a typed path may contain invalid escapes. One with invisible characters, such as direction marks, stays
 * encoded: nothing has such a name, and who wrote the link must not make the view's text look like another.
 */
function decode(text: string): string {
  try {
    const decoded = decodeURIComponent(text);
    return showHidden(decoded, () => "") === decoded ? decoded : text;
  } catch {
    return text;
  }
}

export const route = signal(routeOf(location.hash));
addEventListener("hashchange", () => (route.value = routeOf(location.hash)));

/** Link to a view. */
export function linkTo(...path: readonly string[]): string {
  return `#/${path.map(encodeURIComponent).join("/")}`;
}

export function goTo(...path: readonly string[]): void {
  location.hash = linkTo(...path);
}

/** Goes to a view and replaces the current history entry, for redirects. */
export function replaceBy(link: string): void {
  location.replace(link);
}
