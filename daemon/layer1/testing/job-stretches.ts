// How long each stretch of a job takes.
import type { Job } from "../job.ts";
import type { GasMeter } from "../michelson/gas.ts";

/** Milligas that a job spends from each pause to the next; runs it to its end. */
export function stretchesOf(job: Job<unknown>, gas: GasMeter): readonly number[] {
  const stretches: number[] = [];
  for (let before = gas.used; ; before = gas.used) {
    const { done } = job.next();
    stretches.push(gas.used - before);
    if (done) return stretches;
  }
}
