// The clock that work is held to in between its rests: a value or a code that is read in one go ends when the time of
// its job is used up, as gas ends it. Whoever drives a job sets the limit; work that nobody drives has none.
import { outOfTime } from "./michelson-error.ts";

let now = (): number => 0;
let end = Infinity;

/** Runs something that has to end before a time, in milliseconds of the clock. */
export function endingAt<T>(time: number, clock: () => number, run: () => T): T {
  const [outerClock, outerEnd] = [now, end];
  [now, end] = [clock, time];
  try {
    return run();
  } finally {
    [now, end] = [outerClock, outerEnd];
  }
}

/** @throws MichelsonError sandbox.processor_time_exhausted */
export function requireTime(): void {
  if (end !== Infinity && now() >= end) throw outOfTime();
}
