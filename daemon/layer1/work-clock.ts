// The clock by which jobs are limited. It follows a monotonic clock, but not while the process stands still: a paused
// container, a closed laptop or a debugger must not use up the time of the operation that runs at that moment.

/** Milliseconds between two readings up to which all of it is work: jobs read the clock much more often. */
const GAP_MS = 50;
/** Precision of processor time in milliseconds: Windows counts it in ticks of 15.6 ms. */
const PRECISION_MS = 16;

export interface WorkClockOptions {
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  /** Processor time of this process in milliseconds, of all its threads. */
  readonly used: () => number;
}

const REAL: WorkClockOptions = {
  now: () => performance.now(),
  used: () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  },
};

/**
 * A clock in milliseconds. Of a long time without a reading, only what the process may have worked counts: its
 * processor time. Other threads may have used some of that, so too much is counted rather than too little.
 */
export function workClock({ now, used }: WorkClockOptions = REAL): () => number {
  let last = now();
  let time = 0;
  /** When the processor time was last asked for: by this clock, by the other one, and the answer. */
  let asked = { time, at: last, used: used() };
  return () => {
    const at = now();
    const gap = at - last;
    last = at;
    if (at - asked.at < GAP_MS) return (time += gap);
    const usedNow = used();
    if (gap < GAP_MS) time += gap;
    else {
      const worked = usedNow - asked.used - (time - asked.time) + PRECISION_MS;
      time += Math.min(gap, Math.max(0, worked));
    }
    asked = { time, at, used: usedNow };
    return time;
  };
}
