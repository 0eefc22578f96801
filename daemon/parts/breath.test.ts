import { describe, expect, it } from "vitest";
import { reportArrival } from "./arrivals.ts";
import { afterABreath } from "./breath.ts";

/** Lets a connection arrive in each turn of the event loop. @returns a function that ends them */
function arrivals(): () => void {
  let isOver = false;
  const turn = (): void => {
    if (isOver) return;
    reportArrival();
    setImmediate(turn);
  };
  turn();
  return () => (isOver = true);
}
const breath = (most?: number): Promise<void> => new Promise((resolve) => afterABreath(resolve, most));
/** Resolves when connections may delay work for 200 ms more. */
async function earlyInPeriod(): Promise<void> {
  while (performance.now() % 500 > 50) await new Promise((resolve) => setImmediate(resolve));
}

describe("a pause between pieces of work", () => {
  it("ends after some turns", async () => {
    let turns = 0;
    const count = (): void => void (++turns < 1_000 && setImmediate(count));
    setImmediate(count);
    await breath(8);
    expect(turns).toBeGreaterThanOrEqual(6);
    expect(turns).toBeLessThanOrEqual(8);
  });

  it("lasts while connections arrive", async () => {
    await earlyInPeriod();
    const end = arrivals();
    let isOver = false;
    const over = breath(1).then(() => (isOver = true));
    const until = performance.now() + 50;
    while (performance.now() < until) await new Promise((resolve) => setImmediate(resolve));
    expect(isOver).toBe(false);
    end();
    await over;
  });

  it("ends although connections never end", async () => {
    const end = arrivals();
    const begun = performance.now();
    for (let i = 0; i < 20; i++) await breath(1);
    end();
    expect(performance.now() - begun).toBeLessThan(5_000);
  });
});
