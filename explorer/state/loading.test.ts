import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createReader } from "./loading.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** A reader whose reads the test completes. */
function heldReader() {
  const reads: { readonly signal: AbortSignal; readonly end: () => void }[] = [];
  const reader = createReader(
    (signal) => new Promise((resolve) => reads.push({ signal, end: resolve })),
    500,
  );
  return { reader, reads };
}

it("reads once more after the read in flight, however often it is requested", async () => {
  const { reader, reads } = heldReader();
  for (let i = 0; i < 100; i++) reader.request();
  expect(reads).toHaveLength(1);
  reads[0]!.end();
  await vi.advanceTimersByTimeAsync(499);
  expect(reads).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(reads).toHaveLength(2);
  reads[1]!.end();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(reads).toHaveLength(2);
  reader.request();
  expect(reads).toHaveLength(3);
});

it("aborts the read in flight with the view", async () => {
  const { reader, reads } = heldReader();
  reader.request();
  reader.request();
  reader.end();
  expect(reads[0]!.signal.aborted).toBe(true);
  reads[0]!.end();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(reads).toHaveLength(1);
});
