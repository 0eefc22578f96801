// Resumable work: it yields at the points where it may pause, and its driver decides when it continues. A job has no clock,
// so its result does not depend on where it paused.

export type Job<T> = Generator<void, T, void>;

/** A job that has ended: for work that turns out to be none, as a new generator costs more than a small step. */
export const NO_WORK: Job<void> = (function* () {})();
NO_WORK.return();

/** Runs a job to its end. */
export function finish<T>(job: Job<T>): T {
  for (;;) {
    const step = job.next();
    if (step.done) return step.value;
  }
}
