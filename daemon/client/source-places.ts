// Places of functions in texts of guests (stack traces, logs): found, and shown as places of the source. A guest may write
// such a place itself; where it leads is what the sandbox knows of the function's source, never what the guest says.
import { type CodePlace, MAX_CODE_PLACES, type SourcePlace } from "../protocol/debug-api.ts";

/** Characters of a text that are searched. */
const MAX_SEARCHED = 1_000_000;

/** `jstz://<address>:<line>:<column>`, as in stack traces. */
const PLACE = /jstz:\/\/(KT1[1-9A-HJ-NP-Za-km-z]{33}):([1-9]\d{0,8}):([1-9]\d{0,8})(?!\d)/g;

export interface PlaceInText extends CodePlace {
  /** Offset of its first character, and of the one behind it. */
  readonly start: number;
  readonly end: number;
}

export function codePlacesIn(text: string): PlaceInText[] {
  return [...text.slice(0, MAX_SEARCHED).matchAll(PLACE)].map(
    ({ 0: whole, 1: address = "", 2: line, 3: column, index }) => ({
      ...{ address, line: Number(line), column: Number(column) },
      ...{ start: index, end: index + whole.length },
    }),
  );
}

/** Finds sources, as the client of the debugger does. */
export type FindSources = (places: readonly CodePlace[]) => Promise<readonly (SourcePlace | null)[]>;

/** Names of the places of a text, by how the sandbox answers. A sandbox that does not tell changes nothing. */
export interface TextWithSources {
  readonly text: string;
  /** The places that were replaced, by what stands for them in the text. */
  readonly sources: ReadonlyMap<string, SourcePlace>;
}

/**
 * The text with places of the source, as far as they are known: those of the first functions of a long text.
 * @param nameOf a source, for the reader
 * @throws what `find` throws
 */
export async function withSources(
  text: string,
  find: FindSources,
  nameOf: (source: string) => string,
): Promise<TextWithSources> {
  const places = codePlacesIn(text);
  const sources = new Map<string, SourcePlace>();
  if (places.length === 0) return { text, sources };
  const byKey = new Map(places.map((place) => [keyOf(place), place] as const));
  const asked = [...byKey.values()].slice(0, MAX_CODE_PLACES);
  const answers = await find(asked.map(({ address, line, column }) => ({ address, line, column })));
  const found = new Map(asked.map((place, i) => [keyOf(place), answers[i] ?? undefined] as const));
  let shown = "";
  let end = 0;
  for (const place of places) {
    const source = found.get(keyOf(place));
    if (source === undefined) continue;
    const name = `${nameOf(source.source)}:${source.line}:${source.column}`;
    sources.set(name, source);
    shown += text.slice(end, place.start) + name;
    end = place.end;
  }
  return { text: shown + text.slice(end), sources };
}

const keyOf = ({ address, line, column }: CodePlace): string => `${address}:${line}:${column}`;
