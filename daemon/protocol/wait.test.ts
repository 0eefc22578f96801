import { getEventListeners } from "node:events";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { pause } from "./wait.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("ends after its time, and removes its listener", async () => {
  const { signal } = new AbortController();
  let isOver = false;
  void pause(100, signal).then(() => (isOver = true));
  await vi.advanceTimersByTimeAsync(99);
  expect(isOver).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(isOver).toBe(true);
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

it("ends at once when the signal aborts, and leaves no timer", async () => {
  const abort = new AbortController();
  const waiting = pause(60_000, abort.signal);
  expect(vi.getTimerCount()).toBe(1);
  abort.abort();
  await waiting;
  expect(vi.getTimerCount()).toBe(0);
});

it("does not start when the signal is already aborted", async () => {
  await pause(60_000, AbortSignal.abort());
  expect(vi.getTimerCount()).toBe(0);
});
