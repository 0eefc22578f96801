// Turns of an event loop that a test makes by hand, with a clock that only jobs move.
import type { Job } from "../job.ts";
import { Turns } from "../turns.ts";

export interface SteppedTurns {
  readonly turns: Turns;
  /** Milliseconds. */
  now: number;
  /** One turn of the event loop. @returns false when nothing had been asked of it */
  turn(): boolean;
  /** Turns, and what promises do between them, until nothing is asked of the loop. */
  settle(): Promise<void>;
  /** A job that takes `ms` milliseconds, resting after each, and notes when it has ended. */
  job<T>(name: T, ms: number): Job<T>;
  /** Names of the jobs that have ended, in order. */
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
