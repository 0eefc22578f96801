// Where package.json and tsconfig.json lead the names of imports: `main`, `exports`, `imports`, `browser`, `paths`, `baseUrl`.
// The bundler reads the configurations of all folders on the way, so these are looked at before. A place too many costs a
// look, so conditions and the order of entries are left out.
import { dirname, join, resolve } from "node:path";
import { createScanner } from "jsonc-parser";

/** Of a file that maps names: what it maps, and the places that need no name. */
export interface MappedNames {
  /** Absolute paths. */
  readonly places: readonly string[];
  /** With `*`; the second is absolute. */
  readonly patterns: readonly (readonly [from: string, to: string])[];
}

const MAIN_FIELDS = new Set(["main", "module", "browser"]);

/** @param file absolute path of a package.json */
export function namesOfManifest(file: string, text: string): MappedNames {
  const folder = dirname(file);
  const places: string[] = [];
  const patterns: (readonly [string, string])[] = [];
  let from = "";
  let key = "";
  for (const [kind, token] of tokensOf(text)) {
    if (kind === "key") {
      key = token;
      if (/^[.#]/.test(key)) from = key;
    } else if (/^\.\.?([\\/]|$)/.test(token) || MAIN_FIELDS.has(key)) {
      if (token.includes("*")) patterns.push([from, resolve(folder, token)]);
      else places.push(resolve(folder, token));
    }
  }
  return { places, patterns };
}

/** @param file absolute path of a tsconfig.json or of one that it extends */
export function namesOfConfig(file: string, text: string): MappedNames {
  const folder = dirname(file);
  const patterns: (readonly [string, string])[] = [];
  const bases = [folder];
  const targets: (readonly [string, string])[] = [];
  let isInPaths = false;
  let key = "";
  for (const [kind, token] of tokensOf(text)) {
    if (kind === "key") {
      if (token === "paths") isInPaths = true;
      key = token;
    } else if (key === "baseUrl") bases.push(resolve(folder, token));
    else if (isInPaths) targets.push([key, token]);
  }
  for (const base of bases.slice(1)) patterns.push(["*", join(base, "*")]);
  for (const [from, to] of targets) for (const base of bases) patterns.push([from, resolve(base, to)]);
  return { places: [], patterns };
}

/** The places of a name by patterns. */
export function placesOf(name: string, patterns: MappedNames["patterns"]): string[] {
  return patterns.flatMap(([from, to]) => {
    const star = from.indexOf("*");
    if (star < 0) return from === name ? [to] : [];
    const [before, after] = [from.slice(0, star), from.slice(star + 1)];
    const fits =
      name.length >= before.length + after.length && name.startsWith(before) && name.endsWith(after);
    return fits ? [to.replaceAll("*", () => name.slice(before.length, name.length - after.length))] : [];
  });
}

/** Texts of JSON with comments, keys apart from values. Token by token, since a hostile file nests deeply. */
function* tokensOf(text: string): Generator<readonly [kind: "key" | "value", text: string]> {
  const scanner = createScanner(text, true);
  let last: string | undefined;
  for (;;) {
    scanner.scan();
    if (scanner.getTokenLength() === 0) break;
    const first = text.charAt(scanner.getTokenOffset());
    if (last !== undefined) yield [first === ":" ? "key" : "value", last];
    last = first === '"' ? scanner.getTokenValue() : undefined;
  }
  if (last !== undefined) yield ["value", last];
}
