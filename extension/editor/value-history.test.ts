import { expect, it } from "vitest";
import { historyItems } from "./value-history.ts";

const entry = (hash: string, before: string | null, after: string | null, canReplay = true) => ({
  hash,
  before,
  after,
  canReplay,
});

it("lists the operations that wrote a value, the oldest first, without those that cannot run again", () => {
  const entries = [entry("c", "2", null), entry("b", "1", "2", false), entry("a", null, "1")];
  expect(historyItems({ entries }).map(({ label, hash }) => `${hash} ${label}`)).toEqual([
    "a (nothing) → 1",
    "c 2 → (nothing)",
  ]);
});

it("shortens long values", () => {
  const [item] = historyItems({ entries: [entry("a", null, "1".repeat(1_000))] });
  expect(item!.label).toBe(`(nothing) → ${"1".repeat(100)}…`);
});
