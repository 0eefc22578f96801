import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ReadPlaces } from "./read-places.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const patient = new AbortController().signal;

/** A read that ends only when aborted. */
const endless = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(new Error("aborted"))));

it("runs sixteen reads at once, and the next when one ends", async () => {
  const places = new ReadPlaces();
  const ends: (() => void)[] = [];
  let most = 0;
  let running = 0;
  const all = Array.from({ length: 50 }, () =>
    places.run(patient, async () => {
      most = Math.max(most, ++running);
      await new Promise<void>((resolve) => ends.push(resolve));
      running--;
    }),
  );
  for (let ended = 0; ended < 50; ended++) {
    await vi.waitUntil(() => ends.length > 0, { timeout: 20_000 });
    ends.shift()!();
  }
  await Promise.all(all);
  expect(most).toBe(16);
});

it("aborts the oldest read after two seconds when another waits, and none otherwise", async () => {
  const places = new ReadPlaces();
  const outcomes: unknown[] = [];
  for (let i = 0; i < 16; i++)
    places
      .run(patient, endless)
      .catch((error: unknown) => outcomes.push([i, (error as { code: string }).code]));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(outcomes).toEqual([]);
  expect(await places.run(patient, async () => "read")).toBe("read");
  expect(outcomes).toEqual([[0, "SERVER_BUSY"]]);
  // A new read took its place: the next in the queue waits for the second oldest.
  void places.run(patient, endless).catch(() => undefined);
  expect(await places.run(patient, async () => "read")).toBe("read");
  expect(outcomes).toEqual([
    [0, "SERVER_BUSY"],
    [1, "SERVER_BUSY"],
  ]);
});

it("aborts a read whose page is gone, and reuses its place", async () => {
  const places = new ReadPlaces();
  const page = new AbortController();
  const reads = Array.from({ length: 16 }, () => places.run(page.signal, endless));
  const waiting = places.run(patient, async () => "read");
  page.abort();
  const outcomes = await Promise.allSettled(reads);
  expect(outcomes.every(({ status }) => status === "rejected")).toBe(true);
  expect(await waiting).toBe("read");
});

it("rejects reads when too many are queued", async () => {
  const places = new ReadPlaces();
  for (let i = 0; i < 16 + 128; i++) void places.run(patient, endless).catch(() => undefined);
  await expect(places.run(patient, endless)).rejects.toMatchObject({ code: "SERVER_BUSY" });
});
