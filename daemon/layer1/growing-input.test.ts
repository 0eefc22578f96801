import { expect, it } from "vitest";
import { processorTime } from "../../test/support/processor-time.ts";
import { READERS } from "./testing/growing-input.ts";

const SMALL = 125_000;
const DOUBLINGS = 3;
/** Allowed growth of the time per doubling of the input: linear is 2, quadratic 4. */
const MOST_PER_DOUBLING = 2.6;
/** Shorter times measure the machine rather than the reader. */
const LEAST_MS = 0.5;

/** Other load only adds time, so the best run counts: of several of the small input, and of one of the large in each round. */
const SMALL_RUNS = 3;
const ROUNDS = 30;

function milliseconds(run: () => unknown, runs = 1): number {
  let best = Infinity;
  for (let i = 0; i < runs; i++) {
    const start = processorTime();
    run();
    best = Math.min(best, processorTime() - start);
  }
  return best;
}

it.each(Object.entries(READERS))(
  "reading %s takes linear time",
  (_name, reader) => {
    const [small, large] = [reader(SMALL), reader(SMALL * 2 ** DOUBLINGS)];
    const limit = MOST_PER_DOUBLING ** DOUBLINGS;
    milliseconds(large); // compiles the code
    let growth = Infinity;
    for (let round = 0; round < ROUNDS && growth >= limit; round++)
      growth = Math.min(growth, milliseconds(large) / Math.max(LEAST_MS, milliseconds(small, SMALL_RUNS)));
    expect(growth).toBeLessThan(limit);
  },
  60_000,
);
