// The sources behind the places that texts of functions name, as far as sandboxd tells the page.
import type { CallTrace } from "../../daemon/protocol/call-trace.ts";
import type { SourcePlace } from "../../daemon/protocol/debug-api.ts";
import { findSources, type FoundSources, nameSources } from "../../daemon/text/source-places.ts";
import { Failure, post } from "./api.ts";
import { allCalls, type Operation } from "./trace.ts";

/** Shows a text with `src/file.ts:line:column` where it names a place of deployed code. */
export type NameSources = (text: string) => string;

/** Texts of an operation that may name places: errors and logs. */
export function textsOf({ failure, trace }: Pick<Operation, "failure" | "trace">): string[] {
  const ofCall = ({ error, logs }: CallTrace) => [
    ...(error ? [error.message] : []),
    ...logs.map(({ text }) => text),
  ];
  return [...(failure === null ? [] : [failure]), ...(trace ? allCalls(trace.call).flatMap(ofCall) : [])];
}

/** Nothing is known where the page may not ask, or the runtime keeps no sources: the texts stay as they are. */
export async function readSources(texts: readonly string[], signal: AbortSignal): Promise<FoundSources> {
  try {
    return await findSources(texts, async (places) => {
      const answer = await post<{ places: (SourcePlace | null)[] }>("api/places", { places }, signal);
      return answer?.places ?? [];
    });
  } catch (error) {
    if (error instanceof Failure) return new Map();
    throw error;
  }
}

export const namesOf =
  (found: FoundSources | undefined): NameSources =>
  (text) =>
    found === undefined ? text : nameSources(text, found, (source) => source).text;
