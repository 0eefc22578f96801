// Resumable work: it yields at the points where it may pause, and its driver decides when it continues. A job has no clock,
// so its result does not depend on where it paused.

export type Job<T> = Generator<void, T, void>;

/** Runs a job to its end. */
export function finish<T>(job: Job<T>): T {
  for (;;) {
    const step = job.next();
    if (step.done) return step.value;
  }
}
