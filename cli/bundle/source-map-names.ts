// The files that source map comments name. The bundler reads them, and the sources that such a map lists without text.
import { dirname, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** A comment is found even inside a string: which one counts is known only after parsing. */
const MARK = "sourceMappingURL=";

/** More of them are no accident; the bundler takes the last one. */
export const MAX_COMMENTS = 10_000;

/** What the comments of a file name, without repetitions: paths, URLs and `data:` URLs. */
export function mapNames(content: Buffer): string[] {
  const names = new Set<string>();
  for (let at = content.indexOf(MARK); at >= 0 && names.size <= MAX_COMMENTS;) {
    const start = at + MARK.length;
    at = content.indexOf(MARK, start);
    names.add(/^[^\s'"`]*/.exec(content.toString("utf8", start, at < 0 ? content.length : at))?.[0] ?? "");
  }
  return [...names].filter((name) => name !== "");
}

/** The text of a map in a `data:` URL; undefined for any other name. */
export function inlineMap(name: string): string | undefined {
  if (!/^data:/i.test(name)) return undefined;
  const comma = name.indexOf(",");
  const body = name.slice(comma + 1);
  if (/;base64$/i.test(name.slice(0, comma))) return Buffer.from(body, "base64").toString("utf8");
  try {
    return decodeURIComponent(body);
  } catch {
    return body;
  }
}

/** Both readings of a name in a file: as a path and as a URL, whose escapes are decoded. */
export function pathsOf(name: string, file: string): string[] {
  const plain = resolve(dirname(file), name);
  try {
    const url = fileURLToPath(new URL(name, pathToFileURL(file)));
    return url === plain ? [plain] : [plain, url];
  } catch {
    return [plain]; // a URL of another scheme: nothing is read
  }
}

interface RawMap {
  readonly sources?: unknown;
  readonly sourceRoot?: unknown;
  readonly sourcesContent?: unknown;
}

/**
 * Paths of the sources that a map lists without their text.
 * @param file that the map is in
 */
export function sourcesWithoutText(text: string, file: string): string[] {
  let map: RawMap | null;
  try {
    map = JSON.parse(text) as RawMap | null;
  } catch {
    return []; // the bundler reads no sources of a malformed map
  }
  const { sources, sourcesContent, sourceRoot } = map ?? {};
  if (!Array.isArray(sources)) return [];
  const texts: readonly unknown[] = Array.isArray(sourcesContent) ? sourcesContent : [];
  const root = typeof sourceRoot === "string" ? sourceRoot : "";
  const missing = sources.filter(
    (name, index): name is string => typeof name === "string" && typeof texts[index] !== "string",
  );
  return missing.flatMap((name) => [
    ...pathsOf(name, file),
    ...(root === "" ? [] : pathsOf(`${root.replace(/\/$/, "")}/${name}`, file)),
  ]);
}
