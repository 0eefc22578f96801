import { expect, it } from "vitest";
import { READERS } from "./testing/growing-input.ts";

const SMALL = 125_000;
const DOUBLINGS = 3;
/** Allowed growth of the time per doubling of the input: linear is 2, quadratic 4. */
const MOST_PER_DOUBLING = 2.6;
/** Shorter times measure the machine rather than the reader. */
const LEAST_MS = 0.5;

/** Other load only adds time: so the best of several runs counts, over several rounds. */
const RUNS = 3;
const ROUNDS = 12;

function milliseconds(run: () => unknown): number {
  let best = Infinity;
  for (let i = 0; i < RUNS; i++) {
    const start = performance.now();
    run();
    best = Math.min(best, performance.now() - start);
  }
  return best;
}

it.each(Object.entries(READERS))(
  "reading %s takes linear time",
  (_name, reader) => {
    const [small, large] = [reader(SMALL), reader(SMALL * 2 ** DOUBLINGS)];
    const limit = MOST_PER_DOUBLING ** DOUBLINGS;
    let growth = Infinity;
    for (let round = 0; round < ROUNDS && growth >= limit; round++)
      growth = Math.min(growth, milliseconds(large) / Math.max(LEAST_MS, milliseconds(small)));
    expect(growth).toBeLessThan(limit);
  },
  60_000,
);
