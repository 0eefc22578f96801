// Carries a motion out: a search through the recording, from stop to stop. It asks for looks into the guest when the
// conditions of breakpoints need them, and goes on from there.
import type { Arrival, Motion, OutputLine } from "../../../protocol/debug-session-api.ts";
import { TOP_LEVEL } from "../function-table.ts";
import {
  eventAt,
  type Found,
  startOf,
  stackOf,
  stepBack,
  stepIn,
  stepInBack,
  stepOut,
  stepOutBack,
  stepOver,
} from "../navigate.ts";
import { EVENT, type Recording } from "../recording.ts";
import type { Stops } from "./stops.ts";

/** Events looked at in one go for the conditions of breakpoints that lie behind. */
const MAX_VISITS = 20_000;
/** Characters that breakpoints say on one way, and how many a line counts for besides its text. */
const MAX_OUTPUT = 1_000_000;
const PER_LINE = 100;

/** Where a motion leads: an event, or the number of events for the end of the operation. */
export interface Destination {
  readonly event: number;
  readonly reason: Arrival["reason"];
  readonly description?: string;
}

export type Progress =
  | { readonly kind: "arrived"; readonly at: Destination; readonly output: readonly OutputLine[] }
  | { readonly kind: "visit"; readonly events: readonly number[] };

export interface Journey {
  /** Goes on as far as it can. */
  next(): Progress;
  /** Where it has come. */
  readonly event: number;
}

/**
 * @param from event; -1 before the first, their number after the last
 * @param fatal event of what made the operation fail
 */
export function journeyOf(
  recording: Recording,
  stops: Stops,
  from: number,
  motion: Exclude<Motion, { kind: "step" }>,
  fatal: number | undefined,
): Journey {
  const end = recording.events.length;
  const first = firstLine(recording);
  const straight = (event: number, reason: Arrival["reason"]): Journey => ({
    event,
    next: () => ({ kind: "arrived", at: { event, reason }, output: [] }),
  });
  const inside = from >= 0 && from < end;
  const forwards = (target: Found): Journey => searching(recording, stops, from, target ?? end, 1);
  const backwards = (target: Found): Journey => searching(recording, stops, from, target ?? first, -1);
  const last = (): Found => stepInBack(recording, end);
  switch (motion.kind) {
    case "start":
      return straight(first, first === end ? "end" : "entry");
    case "handler": {
      const event = firstLine(recording, (at) => !isOfTopLevel(recording, at));
      return straight(event, event === end ? "end" : "entry");
    }
    case "end":
      return straight(end, "end");
    case "error": {
      const event = fatal ?? last() ?? end;
      return straight(event, fatal === undefined ? (event === end ? "end" : "goto") : "exception");
    }
    case "goto": {
      const event = eventAt(recording, motion.moment);
      return straight(event ?? first, "goto");
    }
    case "restartFrame": {
      const activation = inside ? stackOf(recording, from)[motion.frame] : undefined;
      const event = activation === undefined ? undefined : startOfActivation(recording, from, activation);
      return straight(event ?? (inside ? from : first), "goto");
    }
    case "lastChange": {
      const event = stops.lastChange(motion.dataId);
      return straight(event ?? end, event === undefined ? "end" : "data breakpoint");
    }
    case "continue":
      return forwards(end);
    case "reverseContinue":
      return backwards(first);
    case "next":
      return forwards(inside ? stepOver(recording, from) : stepIn(recording, from));
    case "stepIn":
      return forwards(stepIn(recording, from));
    case "stepOut":
      return forwards(inside ? stepOut(recording, from) : undefined);
    case "stepBack":
      return backwards(inside ? stepBack(recording, from) : last());
    case "stepInBack":
      return backwards(inside ? stepInBack(recording, from) : last());
    case "stepOutBack":
      return backwards(inside ? stepOutBack(recording, from) : last());
  }
}

/** The first line that runs, of those wanted; the number of events when none does. */
function firstLine({ events }: Recording, isWanted: (event: number) => boolean = () => true): number {
  for (let i = 0; i < events.length; i++) if (events.kind[i] === EVENT.line && isWanted(i)) return i;
  return events.length;
}

/** Whether the top level of a module runs, or what it calls. */
function isOfTopLevel({ activations, events, functions }: Recording, event: number): boolean {
  let at = events.activation[event]!;
  let root = -1;
  for (; at >= 0; at = activations[at]!.parent) root = at;
  return root >= 0 && functions[activations[root]!.fn]!.name === TOP_LEVEL;
}

/** The first line of an activation, by any event of it. */
function startOfActivation(recording: Recording, from: number, activation: number): Found {
  const { events } = recording;
  for (let at = from; at >= 0; at--) if (events.activation[at] === activation) return startOf(recording, at);
  return undefined;
}

function searching(recording: Recording, stops: Stops, from: number, target: number, by: 1 | -1): Journey {
  const { length } = recording.events;
  const output: OutputLine[] = [];
  let room = MAX_OUTPUT;
  const addLine = (line: OutputLine): void => {
    if (room < 0) return;
    room -= line.text.length + PER_LINE;
    output.push(room < 0 ? { text: "(further messages are left out)" } : line);
  };
  const print = by === 1 ? addLine : undefined;
  let at = from + by;
  const arrivalAt = (destination: Destination): Progress => ({ kind: "arrived", at: destination, output });
  return {
    get event() {
      return Math.max(0, Math.min(at, length - 1));
    },
    next() {
      for (; by === 1 ? at < length && at <= target : at >= 0 && at >= target; at += by) {
        const verdict = stops.at(at, print);
        if (verdict.kind === "visit")
          return by === 1 ? verdict : { kind: "visit", events: unseenUntil(stops, at, verdict.events) };
        if (verdict.kind === "stop") {
          const { reason, description } = verdict;
          return arrivalAt({ event: at, reason, ...(description === undefined ? {} : { description }) });
        }
      }
      if (target >= length) return arrivalAt({ event: length, reason: "end" });
      // Going back beyond the first line stays there.
      return arrivalAt({
        event: target,
        reason: by === -1 && target === firstLine(recording) ? "entry" : "step",
      });
    },
  };
}

/** All that going back may have to look at, for one pass through the operation. */
function unseenUntil(stops: Stops, event: number, wanted: readonly number[]): readonly number[] {
  const found = new Set(wanted);
  for (let at = event; at >= 0 && found.size < MAX_VISITS; at--)
    if (stops.breakpointsAt(at).some((breakpoint) => !stops.isVisited(breakpoint, at))) found.add(at);
  return [...found].sort((one, other) => one - other);
}
