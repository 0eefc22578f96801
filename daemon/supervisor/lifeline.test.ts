import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createLifelines } from "./lifeline.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("is lost one grace period after the last lifeline ended", () => {
  const onLost = vi.fn();
  const lifelines = createLifelines({ graceMs: 10_000, onLost });
  const first = lifelines.attach();
  const second = lifelines.attach();
  first();
  first();
  vi.advanceTimersByTime(20_000);
  expect(onLost).not.toHaveBeenCalled();
  second();
  vi.advanceTimersByTime(9_999);
  expect(onLost).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(onLost).toHaveBeenCalledTimes(1);
});

it("survives when a client attaches within the grace period", () => {
  const onLost = vi.fn();
  const lifelines = createLifelines({ graceMs: 10_000, onLost });
  lifelines.attach()();
  vi.advanceTimersByTime(9_000);
  lifelines.attach();
  vi.advanceTimersByTime(60_000);
  expect(onLost).not.toHaveBeenCalled();
  expect(lifelines.count).toBe(1);
});

it("is never lost after dispose", () => {
  const onLost = vi.fn();
  const lifelines = createLifelines({ graceMs: 10, onLost });
  const end = lifelines.attach();
  lifelines.dispose();
  end();
  vi.advanceTimersByTime(100);
  expect(onLost).not.toHaveBeenCalled();
});
