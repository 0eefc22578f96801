// Maps an offset in bundled code to its source position by the source map (ECMA-426).
import { Mappings } from "../../daemon/text/source-mappings.ts";

export interface SourcePosition {
  /** As in the map. */
  readonly source: string;
  /** From 0. */
  readonly line: number;
  readonly column: number;
}

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
 * @param json a source map as esbuild writes it
 * @returns finds the source of generated lines and columns; decodes the map on first use
 */
export function sourcePositions(json: string): (line: number, column: number) => SourcePosition | undefined {
  const map = JSON.parse(json) as { sources: readonly string[]; mappings: string };
  let mappings: Mappings | undefined;
  return (line, column) => {
    const place = (mappings ??= new Mappings(map.mappings)).within(line, column);
    return place && { ...place, source: map.sources[place.source] ?? "" };
  };
}
