// Work that can rest: it yields wherever it may be left alone for a while, and whoever drives it says when it goes on.
// It has no clock of its own, so the same work done in one go or in many comes to the same.

export type Job<T> = Generator<void, T, void>;

/** Does all of a job at once. */
export function finish<T>(job: Job<T>): T {
  for (;;) {
    const step = job.next();
    if (step.done) return step.value;
  }
}
