// The source files of a smart function, from an inline source map at the end of its code.

export interface SourceFile {
  readonly name: string;
  readonly text: string;
}

/** Most files to extract; the deployed code shows the rest. */
const MAX_FILES = 12;

/** Anchored and used on the last line only: code may contain the start of a map a million times. */
const MAP = /^\/\/[#@] sourceMappingURL=data:application\/json[^,]*;base64,([A-Za-z0-9+/=]+)$/;

/** Offset of the last line, and the map in it. */
function lastLine(code: string): { readonly start: number; readonly map: string | undefined } {
  const text = code.trimEnd();
  const start = text.lastIndexOf("\n") + 1;
  return { start, map: MAP.exec(text.slice(start))?.[1] };
}

export function withoutMap(code: string): string {
  const { start, map } = lastLine(code);
  return map === undefined ? code : code.slice(0, start).trimEnd();
}

/** Files in an inline source map; none when the map is missing or invalid. */
export function sourcesIn(code: string): SourceFile[] {
  const encoded = lastLine(code).map;
  if (encoded === undefined) return [];
  try {
    const bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
    const map = JSON.parse(new TextDecoder().decode(bytes)) as {
      sources?: unknown;
      sourcesContent?: unknown;
    };
    if (!Array.isArray(map.sources) || !Array.isArray(map.sourcesContent)) return [];
    const texts = map.sourcesContent as readonly unknown[];
    return (map.sources as readonly unknown[])
      .map((name, i) => ({ name: String(name), text: texts[i] }))
      .filter((file): file is SourceFile => typeof file.text === "string")
      .sort((one, other) => Number(isForeign(one.name)) - Number(isForeign(other.name)))
      .slice(0, MAX_FILES);
  } catch {
    return [];
  }
}

/** Own files come first. */
const isForeign = (name: string): boolean => name.includes("node_modules/");
