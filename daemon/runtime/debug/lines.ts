// The lines of a recording, with how often each ran and the gas that it used.
import { EVENT, type Recording, RUNTIME_PLACE } from "./recording.ts";

export interface LineGas {
  readonly source: string;
  /** From 1. */
  readonly line: number;
  /** How often it began. */
  count: number;
  gas: number;
}

/** Lines that ran, by source in order of first use, then by number. */
export function linesOf({ events, places }: Recording): LineGas[] {
  const bySource = new Map<string, Map<number, LineGas>>();
  for (let i = 0; i < events.length; i++) {
    const place = events.place[i]!;
    if (place === RUNTIME_PLACE) continue;
    const { source, line } = places[place]!;
    let lines = bySource.get(source);
    if (lines === undefined) bySource.set(source, (lines = new Map()));
    let found = lines.get(line);
    if (found === undefined) lines.set(line, (found = { source, line, count: 0, gas: 0 }));
    if (events.kind[i] === EVENT.line) found.count++;
    found.gas += events.gas[i]!;
  }
  return [...bySource.values()].flatMap((lines) =>
    [...lines.values()]
      .filter(({ count, gas }) => count + gas > 0)
      .sort((one, other) => one.line - other.line),
  );
}
