import { expect, it } from "vitest";
import { Turns, type TurnsOptions, type Work } from "./turns.ts";

/** A clock that only work advances, and turns on demand. */
function clock(): {
  readonly options: TurnsOptions;
  readonly pass: (ms: number) => void;
  readonly settle: () => Promise<void>;
} {
  let ms = 0;
  return {
    options: { now: () => ms, later: (run) => void setImmediate(run) },
    pass: (more) => (ms += more),
    settle: () => new Promise((resolve) => setImmediate(resolve)),
  };
}

it("a query that works too long fails with an error code", async () => {
  const { options, pass } = clock();
  const work = new Turns(options).begin(100);
  for (let i = 0; i < 10; i++) {
    pass(10);
    expect(work.isDue).toBe(true);
    await work.turn();
  }
  expect(() => work.check()).not.toThrow();
  pass(1);
  expect(() => work.check()).toThrow(expect.objectContaining({ code: "QUERY_TOO_SLOW" }));
});

it("work with its own limit may take more time", async () => {
  const { options, pass } = clock();
  const work = new Turns(options).begin(100);
  pass(100);
  await work.turn();
  work.allow(50);
  pass(50);
  expect(() => work.check()).not.toThrow();
  pass(1);
  expect(() => work.check()).toThrow(expect.objectContaining({ code: "QUERY_TOO_SLOW" }));
});

it("waiting does not count as work", async () => {
  const { options, pass } = clock();
  const work = new Turns(options).begin(100);
  pass(60);
  await work.outside(work.outside(Promise.resolve().then(() => pass(1_000))));
  pass(40);
  expect(() => work.check()).not.toThrow();
  pass(1);
  expect(() => work.check()).toThrow(expect.objectContaining({ code: "QUERY_TOO_SLOW" }));
});

it("the query that has worked least goes first, so a new one before all others", async () => {
  const { options, pass } = clock();
  const turns = new Turns(options);
  const order: string[] = [];
  const run = async (name: string, work: Work, ms: number): Promise<void> => {
    pass(ms);
    await work.turn();
    order.push(name);
  };
  const slow = turns.begin(1_000);
  const middle = turns.begin(1_000);
  const all = [run("slow", slow, 50)];
  all.push(run("middle", middle, 20));
  all.push(run("new", turns.begin(1_000), 0));
  await Promise.all(all);
  expect(order[0]).toBe("new");
});

it("a query that waits too long for a turn is rejected, with a hint to retry", async () => {
  const { options, pass } = clock();
  const work = new Turns(options).begin();
  const turn = work.turn();
  pass(20_001);
  await expect(turn).rejects.toThrow(expect.objectContaining({ code: "SERVER_BUSY" }));
});
