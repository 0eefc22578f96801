import { expect, it } from "vitest";
import { workClock } from "./work-clock.ts";

/** A process whose clocks the test sets. */
function fakeProcess() {
  const process_ = { now: 1_000, used: 70 };
  const read = workClock({ now: () => process_.now, used: () => process_.used });
  const start = read();
  return {
    time: () => read() - start,
    work(ms: number, otherThreads = 0) {
      process_.now += ms;
      process_.used += ms + otherThreads;
    },
    standStill: (ms: number) => void (process_.now += ms),
  };
}

it("counts work, read often or rarely", () => {
  const { time, work } = fakeProcess();
  for (let i = 0; i < 1_000; i++) {
    work(1);
    expect(time()).toBe(i + 1);
  }
  work(3_000);
  expect(time()).toBe(4_000);
});

it("does not count the time in which the process stands still", () => {
  const { time, work, standStill } = fakeProcess();
  for (let i = 0; i < 120; i++) {
    work(1);
    time();
  }
  standStill(60_000);
  work(1);
  expect(time()).toBeLessThan(140);
  standStill(600);
  const before = time();
  for (let i = 0; i < 30; i++) {
    work(10);
    time();
  }
  expect(time() - before).toBe(300);
});

it("counts each of several short times without a reading, whoever worked", () => {
  const { time, work, standStill } = fakeProcess();
  for (let i = 0; i < 100; i++) {
    standStill(40);
    time();
  }
  expect(time()).toBe(4_000);
  work(100, 400);
  standStill(300);
  expect(time()).toBe(4_400);
});

it("never goes back", () => {
  const { time, work, standStill } = fakeProcess();
  let last = 0;
  for (let i = 0; i < 2_000; i++) {
    if (i % 3 === 0) standStill((i * 37) % 900);
    else work((i * 13) % 120, (i * 7) % 50);
    const next = time();
    expect(next).toBeGreaterThanOrEqual(last);
    last = next;
  }
});
