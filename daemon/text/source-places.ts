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

/** Sources by the place as texts have it: `jstz://<address>:<line>:<column>`. */
export type FoundSources = ReadonlyMap<string, SourcePlace>;

/**
 * The sources of the places in texts, as far as they are known, in one question: those of the first places of many.
 * @throws what `find` throws
 */
export async function findSources(texts: readonly string[], find: FindSources): Promise<FoundSources> {
  const byKey = new Map(texts.flatMap(codePlacesIn).map((place) => [keyOf(place), place] as const));
  const asked = [...byKey].slice(0, MAX_CODE_PLACES);
  if (asked.length === 0) return new Map();
  const answers = await find(asked.map(([, { address, line, column }]) => ({ address, line, column })));
  return new Map(asked.flatMap(([key], i) => (answers[i] ? [[key, answers[i]] as const] : [])));
}

/** The text with places of the source where these are known. @param nameOf a source, for the reader */
export function nameSources(
  text: string,
  found: FoundSources,
  nameOf: (source: string) => string,
): TextWithSources {
  const sources = new Map<string, SourcePlace>();
  let shown = "";
  let end = 0;
  for (const place of found.size === 0 ? [] : codePlacesIn(text)) {
    const source = found.get(keyOf(place));
    if (source === undefined) continue;
    const name = `${nameOf(source.source)}:${source.line}:${source.column}`;
    sources.set(name, source);
    shown += text.slice(end, place.start) + name;
    end = place.end;
  }
  return { text: shown + text.slice(end), sources };
}

/** {@link nameSources} of {@link findSources}. @throws what `find` throws */
export const withSources = async (
  text: string,
  find: FindSources,
  nameOf: (source: string) => string,
): Promise<TextWithSources> => nameSources(text, await findSources([text], find), nameOf);

const keyOf = ({ address, line, column }: CodePlace): string => `jstz://${address}:${line}:${column}`;
