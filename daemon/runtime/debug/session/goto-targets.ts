// Where `goto` can lead from a line of source: the times at which the line begins.
import type { SessionAnswers } from "../../../protocol/debug-session-api.ts";
import { EVENT, type Recording } from "../recording.ts";
import { placeBreakpoint } from "./breakpoints.ts";

const MAX_TARGETS = 100;

/** @param here the present event: of many targets those around it are given */
export function gotoTargets(
  recording: Recording,
  here: number,
  source: string,
  line: number,
): SessionAnswers["gotoTargets"]["targets"] {
  const { places } = placeBreakpoint(recording, source, { line });
  const wanted = new Set(places);
  const { events } = recording;
  const all: number[] = [];
  for (let i = 0; i < events.length; i++)
    if (events.kind[i] === EVENT.line && wanted.has(events.place[i]!)) all.push(i);
  const near = all.findIndex((event) => event > here);
  const from = Math.max(0, (near < 0 ? all.length : near) - MAX_TARGETS / 2);
  return all.slice(from, from + MAX_TARGETS).map((event, i) => {
    const place = recording.places[events.place[event]!]!;
    const number = from + i + 1;
    const label = `time ${number} of ${all.length}${event === here ? " (here)" : ""}`;
    return { moment: events.moment[event]!, label, line: place.line, column: place.column };
  });
}
