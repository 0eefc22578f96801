// An event loop that tests step by hand, with a clock that only jobs advance.
import type { Job } from "../job.ts";
import { Turns } from "../turns.ts";

export interface SteppedTurns {
  readonly turns: Turns;
  /** Milliseconds. */
  now: number;
  /** Runs one turn of the event loop. @returns false when nothing was scheduled */
  turn(): boolean;
  /** Runs turns, and promise callbacks between them, until nothing is scheduled. */
  settle(): Promise<void>;
  /** A job that takes `ms` milliseconds, yields after each, and records its end. */
  job<T>(name: T, ms: number): Job<T>;
  /** Names of finished jobs, in order. */
  readonly ended: unknown[];
}

export function steppedTurns(): SteppedTurns {
  let next: (() => void) | undefined;
  const stepped: SteppedTurns = {
    now: 0,
    ended: [],
    turns: new Turns({ now: () => stepped.now, nextTurn: (run) => void (next = run) }),
    turn() {
      const run = next;
      next = undefined;
      run?.();
      return run !== undefined;
    },
    async settle() {
      do await Promise.resolve().then(() => Promise.resolve());
      while (stepped.turn());
      await Promise.resolve().then(() => Promise.resolve());
    },
    *job(name, ms) {
      for (let i = 0; i < ms; i++) {
        stepped.now++;
        yield;
      }
      stepped.ended.push(name);
      return name;
    },
  };
  return stepped;
}
