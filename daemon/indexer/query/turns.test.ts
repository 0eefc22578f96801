import { expect, it } from "vitest";
import { Turns, type TurnsOptions, type Work } from "./turns.ts";

/** A clock that only work moves, and turns that come when they are asked for. */
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

it("a question that has worked too long ends with an error of its own", async () => {
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

it("what has a limit of its own may take more time", async () => {
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

it("what a question waits for is no work of its own", async () => {
  const { options, pass } = clock();
  const work = new Turns(options).begin(100);
  pass(60);
  await work.outside(work.outside(Promise.resolve().then(() => pass(1_000))));
  pass(40);
  expect(() => work.check()).not.toThrow();
  pass(1);
  expect(() => work.check()).toThrow(expect.objectContaining({ code: "QUERY_TOO_SLOW" }));
});

it("those that have worked least go on first, and a new one before all", async () => {
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

it("a question that gets no turn for long is refused, with a hint to try again", async () => {
  const { options, pass } = clock();
  const work = new Turns(options).begin();
  const turn = work.turn();
  pass(20_001);
  await expect(turn).rejects.toThrow(expect.objectContaining({ code: "SERVER_BUSY" }));
});
