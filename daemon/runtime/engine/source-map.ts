// Maps stack traces to the source: frames of a program with an inline source map (bundlers write it as the last line)
// show file, line and column of the original.

interface SourceMap {
  readonly sources: readonly unknown[];
  readonly mappings: string;
  readonly sourcesContent?: unknown;
}

/** Generated column, source, original line and column, all from 0. */
export type Segment = readonly [column: number, source: number, line: number, originalColumn: number];

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/** Anchored, because a program may contain the start of a map a million times. */
const INLINE = /^\/\/[#@] sourceMappingURL=data:application\/json[^,\n]*;base64,([A-Za-z0-9+/=]+)\s*$/;

/** Limit of mapped frames. A program may invent a trace of any length. */
const MAX_MAPPED_FRAMES = 100;
/** Longer source names would blow up a short trace. */
const MAX_SOURCE_NAME = 1_024;

/** Variable-length quantities of one segment; see the source map specification, ECMA-426. */
function decodeSegment(text: string): number[] {
  const numbers: number[] = [];
  let value = 0;
  let shift = 0;
  for (const character of text) {
    const digit = ALPHABET.indexOf(character);
    if (digit < 0) return [];
    value += (digit & 31) * 2 ** shift;
    if ((digit & 32) !== 0) {
      shift += 5;
      continue;
    }
    numbers.push(value % 2 === 1 ? -Math.floor(value / 2) : value / 2);
    value = 0;
    shift = 0;
  }
  return numbers;
}

export function decodeMappings(mappings: string): Segment[][] {
  let [source, line, originalColumn] = [0, 0, 0];
  return mappings.split(";").map((row) => {
    let column = 0;
    const segments: Segment[] = [];
    for (const text of row.split(",")) {
      const [dColumn, dSource, dLine, dOriginal] = decodeSegment(text);
      if (dColumn === undefined) continue;
      column += dColumn;
      if (dSource === undefined || dLine === undefined || dOriginal === undefined) continue;
      source += dSource;
      line += dLine;
      originalColumn += dOriginal;
      segments.push([column, source, line, originalColumn]);
    }
    return segments;
  });
}

/** The map at the end of a program, if it has one that can be read. */
export function inlineMap(code: string): SourceMap | undefined {
  const found = INLINE.exec(code.slice(code.lastIndexOf("\n//") + 1));
  if (found === null) return undefined;
  try {
    const map = JSON.parse(Buffer.from(found[1] as string, "base64").toString("utf8")) as Partial<SourceMap>;
    return Array.isArray(map.sources) && typeof map.mappings === "string" ? (map as SourceMap) : undefined;
  } catch {
    // A broken map is the program's fault; its frames stay unmapped.
    return undefined;
  }
}

/** @returns the last segment of a row, ordered by column, that begins at or before the column */
export function segmentAt(row: readonly Segment[], column: number): Segment | undefined {
  let [low, high] = [0, row.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((row[middle] as Segment)[0] <= column) low = middle + 1;
    else high = middle;
  }
  return row[low - 1];
}

/** Whether `mapStack` must read the whole program. */
export const hasInlineMap = (code: string): boolean =>
  code.startsWith("//# sourceMappingURL=", code.lastIndexOf("\n//") + 1) ||
  code.startsWith("//@ sourceMappingURL=", code.lastIndexOf("\n//") + 1);

/**
 * @param stack trace with frames of `specifier`, lines and columns from 1
 * @param code the program, possibly with an inline source map
 * @returns the trace with those frames mapped to the source, or unchanged
 */
export function mapStack(stack: string, code: string, specifier: string): string {
  if (!stack.includes(`${specifier}:`)) return stack;
  const map = inlineMap(code);
  if (map === undefined) return stack;
  const rows = decodeMappings(map.mappings);
  let mapped = 0;
  return stack
    .split("\n")
    .map((frame) => {
      const at = frame.indexOf(`${specifier}:`);
      const place = at < 0 ? null : /^(\d+):(\d+)/.exec(frame.slice(at + specifier.length + 1));
      if (place === null || mapped === MAX_MAPPED_FRAMES) return frame;
      mapped += 1;
      const row = rows[Number(place[1]) - 1];
      const segment = row === undefined ? undefined : segmentAt(row, Number(place[2]) - 1);
      const source = segment === undefined ? undefined : map.sources[segment[1]];
      if (segment === undefined || typeof source !== "string" || source.length > MAX_SOURCE_NAME)
        return frame;
      const rest = frame.slice(at + specifier.length + 1 + place[0].length);
      return `${frame.slice(0, at)}${source}:${segment[2] + 1}:${segment[3] + 1}${rest}`;
    })
    .join("\n");
}
