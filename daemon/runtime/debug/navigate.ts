// Steps through a recording, forwards and backwards: each is a search for an event, by its index. Pure functions, so
// that stepping is the same whoever steps. What a step finds is a moment; a debugger goes there by running to it.
import { type Activation, EVENT, type Recording } from "./recording.ts";

/** Index of an event; undefined when there is none in that direction. */
export type Found = number | undefined;

export interface Stops {
  /** Whether the debugger stops at this event. */
  readonly at: (event: number) => boolean;
}

const isLine = ({ events }: Recording, event: number): boolean => events.kind[event] === EVENT.line;

function search(recording: Recording, from: number, by: 1 | -1, wanted: (event: number) => boolean): Found {
  const { length } = recording.events;
  for (let at = from + by; at >= 0 && at < length; at += by) if (wanted(at)) return at;
  return undefined;
}

/** The next line that runs, wherever. */
export const stepIn = (recording: Recording, from: number): Found =>
  search(recording, from, 1, (event) => isLine(recording, event));

/** The line that ran before, wherever. */
export const stepInBack = (recording: Recording, from: number): Found =>
  search(recording, from, -1, (event) => isLine(recording, event));

/**
 * The next line of this activation or of one that called it: functions that are called run through. When none of them
 * goes on, the next line at all, which another call or a continuation runs.
 */
export function stepOver(recording: Recording, from: number): Found {
  return among(recording, from, 1, callersOf(recording, from, true)) ?? stepIn(recording, from);
}

/** The line of this activation, or of one that called it, that ran before. */
export function stepBack(recording: Recording, from: number): Found {
  return among(recording, from, -1, callersOf(recording, from, true)) ?? stepInBack(recording, from);
}

/** The first line after this activation in one that called it. */
export function stepOut(recording: Recording, from: number): Found {
  return among(recording, from, 1, callersOf(recording, from, false));
}

/** The last line before this activation in one that called it. */
export function stepOutBack(recording: Recording, from: number): Found {
  return among(recording, from, -1, callersOf(recording, from, false));
}

/** The next stop. */
export const goOn = (recording: Recording, from: number, { at }: Stops): Found =>
  search(recording, from, 1, at);

/** The last stop before. */
export const goBack = (recording: Recording, from: number, { at }: Stops): Found =>
  search(recording, from, -1, at);

/** The first event of the activation: where to restart its frame. */
export function startOf(recording: Recording, from: number): Found {
  const { activation } = recording.events;
  const wanted = activation[from]!;
  let first: Found;
  for (let at = 0; at <= from && first === undefined; at++)
    if (activation[at] === wanted && isLine(recording, at)) first = at;
  return first;
}

/** The last event at or before a moment. */
export function eventAt({ events }: Recording, moment: number): Found {
  let [low, high] = [0, events.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (events.moment[middle]! <= moment) low = middle + 1;
    else high = middle;
  }
  return low === 0 ? undefined : low - 1;
}

/** Activations from the one of an event to the outermost, over calls of other smart functions as well. */
export function stackOf(recording: Recording, event: number): number[] {
  const stack: number[] = [];
  for (let at = recording.events.activation[event]!; at >= 0;) {
    stack.push(at);
    at = callerOf(recording, recording.activations[at]!);
  }
  return stack;
}

/** The function that called, or the one whose `fetch` started the call; negative at the end. */
function callerOf({ calls }: Recording, { parent, call }: Activation): number {
  return parent >= 0 ? parent : calls[call]!.parent;
}

function callersOf(recording: Recording, event: number, withOwn: boolean): ReadonlySet<number> {
  return new Set(stackOf(recording, event).slice(withOwn ? 0 : 1));
}

const among = (recording: Recording, from: number, by: 1 | -1, wanted: ReadonlySet<number>): Found =>
  search(
    recording,
    from,
    by,
    (event) => isLine(recording, event) && wanted.has(recording.events.activation[event]!),
  );
