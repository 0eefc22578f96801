import { afterEach, expect, it, vi } from "vitest";
import { afterRunning } from "./running-timer.ts";

afterEach(() => void vi.useRealTimers());

it("calls back once, after the time", () => {
  vi.useFakeTimers();
  const run = vi.fn();
  afterRunning(1_000, run);
  vi.advanceTimersByTime(999);
  expect(run).not.toHaveBeenCalled();
  vi.advanceTimersByTime(5_000);
  expect(run).toHaveBeenCalledTimes(1);
});

it("does not call back once cancelled", () => {
  vi.useFakeTimers();
  const run = vi.fn();
  const timer = afterRunning(1_000, run).unref();
  vi.advanceTimersByTime(950);
  timer.cancel();
  vi.advanceTimersByTime(5_000);
  expect(run).not.toHaveBeenCalled();
});

it("hardly counts the time in which the process stood still", async () => {
  const begun = performance.now();
  const ended = new Promise<number>((resolve) => afterRunning(200, () => resolve(performance.now())));
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400);
  expect((await ended) - begun).toBeGreaterThan(550);
});
