// Where the page is: the part of the address after `#`. The server sees one path only, so the page also works behind a
// proxy that puts a prefix before it.
import { signal } from "@preact/signals";

export interface Route {
  /** The parts of the path, decoded; empty for the overview. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}

function routeOf(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?");
  return { path: path.split("/").filter(Boolean).map(decoded), query: new URLSearchParams(query) };
}

/** A path that somebody typed may hold broken escapes. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export const route = signal(routeOf(location.hash));
addEventListener("hashchange", () => (route.value = routeOf(location.hash)));

/** Address of a view within the page. */
export function linkTo(...path: readonly string[]): string {
  return `#/${path.map(encodeURIComponent).join("/")}`;
}

export function goTo(...path: readonly string[]): void {
  location.hash = linkTo(...path);
}

/** Goes to a view in place of the present one, which leads nowhere by itself. */
export function replaceBy(link: string): void {
  location.replace(link);
}
