import { expect, it } from "vitest";
import { READERS } from "./testing/growing-input.ts";

const SMALL = 125_000;
const DOUBLINGS = 3;
/** What a doubling of the input may cost: linear is 2, quadratic 4. */
const MOST_PER_DOUBLING = 2.6;
/** Shorter times tell more of the machine than of the reader. */
const LEAST_MS = 0.5;

/** The shortest of some runs: what else the machine does only makes them longer. */
function milliseconds(run: () => unknown): number {
  let best = Infinity;
  for (let i = 0; i < 4; i++) {
    const start = performance.now();
    run();
    best = Math.min(best, performance.now() - start);
  }
  return best;
}

it.each(Object.entries(READERS))("reading %s takes time by its length, and not more", (_name, reader) => {
  const small = Math.max(LEAST_MS, milliseconds(reader(SMALL)));
  const large = milliseconds(reader(SMALL * 2 ** DOUBLINGS));
  expect(large / small).toBeLessThan(MOST_PER_DOUBLING ** DOUBLINGS);
});
