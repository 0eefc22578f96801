import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { HeldOperation } from "../protocol/held-operation.ts";
import { ReceiptPatience } from "./receipt-patience.ts";

const HELD: HeldOperation = { hash: "ab", waiting: 1, seconds: 20 };
let held: HeldOperation | undefined;
let told: HeldOperation[];
let patience: ReceiptPatience;

beforeEach(() => {
  vi.useFakeTimers();
  told = [];
  held = undefined;
});
afterEach(() => {
  patience.end();
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

function wait(): AbortSignal {
  patience = new ReceiptPatience({
    timeoutMs: 60_000,
    held: () => Promise.resolve(held),
    onHeld: (found) => told.push(found),
  });
  return patience.signal;
}

describe("the patience for a receipt", () => {
  it("is over after its time", async () => {
    const signal = wait();
    await vi.advanceTimersByTimeAsync(59_000);
    expect(signal.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(2_000);
    expect([signal.aborted, told]).toEqual([true, []]);
  });

  it("does not end while a debugger holds operations, and says so once", async () => {
    held = HELD;
    const signal = wait();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(told).toEqual([HELD]);
    await vi.advanceTimersByTimeAsync(200_000);
    expect([signal.aborted, told]).toEqual([false, [HELD]]);
    held = undefined;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(signal.aborted).toBe(true);
  });

  it("ends even at a node that says for ever that a debugger holds operations", async () => {
    held = HELD;
    const signal = wait();
    await vi.advanceTimersByTimeAsync(15 * 60_000);
    expect(signal.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(2 * 60_000);
    expect(signal.aborted).toBe(true);
  });

  it("waits out silence while a debugger holds operations, and failures for a minute", async () => {
    held = HELD;
    wait();
    for (let silences = 0; silences < 5; silences++) {
      expect(await patience.outlasts(true)).toBe(true);
      await vi.advanceTimersByTimeAsync(65_000);
    }
    expect(await patience.outlasts(false)).toBe(true);
    await vi.advanceTimersByTimeAsync(59_000);
    expect(await patience.outlasts(false)).toBe(true);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await patience.outlasts(false)).toBe(false);
    held = undefined;
    expect(await patience.outlasts(true)).toBe(false);
  });

  it("says nothing when the receipt comes soon", async () => {
    held = HELD;
    wait();
    patience.end();
    await vi.advanceTimersByTimeAsync(100_000);
    expect([told, patience.signal.aborted]).toEqual([[], false]);
  });
});
