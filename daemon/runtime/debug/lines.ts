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
export function linesOf({ events, places, later }: Recording): LineGas[] {
  const bySource = new Map<string, Map<number, LineGas>>();
  const add = (place: number, gas: number, count: number): void => {
    if (place === RUNTIME_PLACE) return;
    const { source, line } = places[place]!;
    let lines = bySource.get(source);
    if (lines === undefined) bySource.set(source, (lines = new Map()));
    let found = lines.get(line);
    if (found === undefined) lines.set(line, (found = { source, line, count: 0, gas: 0 }));
    found.count += count;
    found.gas += gas;
  };
  for (let i = 0; i < events.length; i++)
    add(events.place[i]!, events.gas[i]!, events.kind[i] === EVENT.line ? 1 : 0);
  for (const [place, { gas, count }] of later) add(place, gas, count);
  return [...bySource.values()].flatMap((lines) =>
    [...lines.values()]
      .filter(({ count, gas }) => count + gas > 0)
      .sort((one, other) => one.line - other.line),
  );
}
