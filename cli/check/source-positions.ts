// Maps an offset in bundled code to its source position by the source map (ECMA-426).

export interface SourcePosition {
  /** As in the map. */
  readonly source: string;
  /** From 0. */
  readonly line: number;
  readonly column: number;
}

/** Values of Base64 digits by character code. */
const DIGITS = new Uint8Array(128);
[..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"].forEach((digit, value) => {
  DIGITS[digit.charCodeAt(0)] = value;
});
const [COMMA, SEMICOLON] = [44, 59];

/** Offsets of line starts. */
export function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

/** Line and column, both from 0, of an offset. */
export function positionIn(starts: readonly number[], offset: number): { line: number; column: number } {
  let [low, high] = [0, starts.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (starts[middle]! <= offset) low = middle + 1;
    else high = middle;
  }
  return { line: low - 1, column: offset - starts[low - 1]! };
}

/**
 * @param mappings of a source map
 * @returns for each generated line its segments, each as generated column, source, line and column
 */
function decode(mappings: string): number[][] {
  const rows: number[][] = [[]];
  // Generated column, source, line, column; all but the first carry over between lines.
  const fields = [0, 0, 0, 0];
  let [field, value, shift] = [0, 0, 0];
  const endSegment = (): void => {
    if (field >= 4) rows[rows.length - 1]!.push(fields[0]!, fields[1]!, fields[2]!, fields[3]!);
    field = 0;
  };
  for (let at = 0; at < mappings.length; at++) {
    const character = mappings.charCodeAt(at);
    if (character === COMMA) endSegment();
    else if (character === SEMICOLON) {
      endSegment();
      rows.push([]);
      fields[0] = 0;
    } else {
      const digit = DIGITS[character]!;
      value |= (digit & 31) << shift;
      shift += 5;
      if ((digit & 32) !== 0) continue;
      if (field < 4) fields[field]! += value & 1 ? -(value >> 1) : value >> 1;
      field += 1;
      value = shift = 0;
    }
  }
  endSegment();
  return rows;
}

/**
 * @param json a source map as esbuild writes it
 * @returns finds the source of generated lines and columns; decodes the map on first use
 */
export function sourcePositions(json: string): (line: number, column: number) => SourcePosition | undefined {
  const { sources, mappings } = JSON.parse(json) as { sources: readonly string[]; mappings: string };
  let rows: number[][] | undefined;
  return (line, column) => {
    const row = (rows ??= decode(mappings))[line] ?? [];
    // Binary search for the last segment at or before the column; a minified line can have a million.
    let [low, high] = [0, row.length / 4];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (row[middle * 4]! <= column) low = middle + 1;
      else high = middle;
    }
    if (low === 0) return undefined;
    const at = (low - 1) * 4;
    const [start, source, sourceLine, sourceColumn] = row.slice(at, at + 4) as [
      number,
      number,
      number,
      number,
    ];
    return { source: sources[source] ?? "", line: sourceLine, column: sourceColumn + column - start };
  };
}
