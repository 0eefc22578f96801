// The deadline for work between two pauses of a job: reading a value or code in one go stops when the job's time is used
// up, as it does when gas is. The driver of a job sets the deadline; other work has none.
import { outOfTime } from "./michelson-error.ts";

let now = (): number => 0;
let end = Infinity;

/** Runs `run` with a deadline in milliseconds of the clock. */
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
