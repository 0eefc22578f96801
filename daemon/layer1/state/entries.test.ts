import { createHash } from "node:crypto";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { Entries } from "./entries.ts";

const keyOf = (n: number): string => createHash("sha256").update(`${n}`).digest("hex");
const fill = (count: number): Entries<object> => {
  let entries = Entries.none<object>();
  for (let n = 0; n < count; n++) entries = entries.with(keyOf(n), { key: BigInt(n), value: null });
  return entries;
};

describe("entries", () => {
  it("are in the order of their keys, from any place on", () => {
    const keys = Array.from({ length: 300 }, (_, n) => keyOf(n)).sort();
    let entries = Entries.none<string>();
    for (let n = 0; n < 300; n++) entries = entries.with(keyOf(n), keyOf(n));
    expect([...entries.keys()]).toEqual(keys);
    for (const offset of [0, 1, 2, 149, 150, 298, 299, 300, 1_000])
      expect([...entries.values(offset)]).toEqual(keys.slice(offset));
  });

  it("leave the collection before as it was", () => {
    const before = fill(100);
    const after = before.with(keyOf(5), undefined).with("new", { key: 1n }).with("absent", undefined);
    expect([before.size, after.size]).toEqual([100, 100]);
    expect([before.get(keyOf(5)), after.get(keyOf(5))]).toEqual([{ key: 5n, value: null }, undefined]);
    expect([before.get("new"), after.get("new")]).toEqual([undefined, { key: 1n }]);
  });

  it("weigh nothing when all are removed again", () => {
    let entries = fill(50);
    for (let n = 0; n < 50; n++) entries = entries.with(keyOf(n), undefined);
    expect([entries.size, entries.weight]).toEqual([0, 0]);
  });

  it("weigh about what they take, and beside a later collection what they do not share", () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const usedBytes = (): number => {
      collect();
      return process.memoryUsage().heapUsed;
    };
    const start = usedBytes();
    const before = fill(50_000);
    const alone = usedBytes();
    expect(before.weight / (alone - start)).toBeGreaterThan(0.8);
    expect(before.weight / (alone - start)).toBeLessThan(1.5);
    let after = before;
    for (let n = 0; n < 800; n++) after = after.with(keyOf(n * 61), undefined);
    const both = usedBytes();
    expect(before.weightBeside(after) / (both - alone)).toBeGreaterThan(0.5);
    expect(before.weightBeside(after) / (both - alone)).toBeLessThan(2.5);
    expect(before.weightBeside(undefined)).toBe(before.weight);
  });
});
