// Where `goto` can lead from a line of source: the times at which the line begins, the nearest first, and those ahead
// before those behind.
import type { GotoTarget } from "../../../protocol/debug-session-api.ts";
import { SandboxError } from "../../../protocol/errors.ts";
import { EVENT, type Recording } from "../recording.ts";
import { placeBreakpoint } from "./breakpoints.ts";

const MAX_TARGETS = 100;

/**
 * @param here the present event: of many targets the nearest are given
 * @throws SandboxError LINE_NOT_RUN
 */
export function gotoTargets(
  recording: Recording,
  here: number,
  source: string,
  line: number,
): readonly GotoTarget[] {
  const { places, placed } = placeBreakpoint(recording, source, { line });
  const wanted = new Set(places);
  const { events } = recording;
  const all: number[] = [];
  for (let i = 0; i < events.length; i++)
    if (events.kind[i] === EVENT.line && wanted.has(events.place[i]!)) all.push(i);
  if (all.length === 0)
    throw new SandboxError("LINE_NOT_RUN", {
      source,
      line: placed.line ?? line,
      ...(placed.message === undefined ? {} : { reason: placed.message }),
    });
  const ahead = all.findIndex((event) => event > here);
  const first = ahead < 0 ? all.length : ahead;
  const behind = Math.min(first, MAX_TARGETS / 2);
  const nearest = [...all.keys()].slice(first, first + MAX_TARGETS - behind);
  for (let i = first - 1; i >= 0 && nearest.length < MAX_TARGETS; i--) nearest.push(i);
  return nearest.map((number) => {
    const event = all[number]!;
    const place = recording.places[events.place[event]!]!;
    const direction = event === here ? " (here)" : event < here ? " (back)" : "";
    const label = `time ${number + 1} of ${all.length}${direction}`;
    return { moment: events.moment[event]!, label, line: place.line, column: place.column };
  });
}
