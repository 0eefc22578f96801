import { expect, it } from "vitest";
import { processorTime } from "../../../test/support/processor-time.ts";
import { BigMapKeys } from "./big-map-keys.ts";
import type { BigMapKeyRow } from "./index-rows.ts";
import { PersistentMap } from "./persistent-map.ts";
import { ShownValue } from "./shown-value.ts";

const row = (hash: string, id: number, active = true): BigMapKeyRow => ({
  id,
  active,
  hash,
  key: new ShownValue(undefined, { string: hash }),
  value: new ShownValue(undefined, { int: String(id) }),
  firstLevel: 1,
  lastLevel: 1,
  updates: 1,
});
const show = (keys: BigMapKeys): unknown =>
  [...keys.values()]
    .sort((one, other) => one.id - other.id)
    .map(({ id, hash, firstLevel }) => [id, hash, firstLevel]);

it("a persistent map behaves like a Map, and older versions stay unchanged", () => {
  let seed = 7;
  const random = (most: number): number => (seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31) % most;
  // Keys of two characters: many hashes share their first bits, and some collide in all of them.
  const key = (): string => String.fromCharCode(random(300), random(300));
  let map = PersistentMap.empty<number>();
  const model = new Map<string, number>();
  const old: { readonly map: PersistentMap<number>; readonly values: number[] }[] = [];
  for (let i = 1; i <= 20_000; i++) {
    const name = key();
    if (random(3) === 0) {
      map = map.without(name);
      model.delete(name);
    } else {
      map = map.with(name, i);
      model.set(name, i);
    }
    if (i % 4_000 === 0) old.push({ map, values: [...model.values()].sort((a, b) => a - b) });
  }
  expect(map.size).toBe(model.size);
  for (const [name, value] of model) expect(map.get(name)).toBe(value);
  for (const each of old) expect([...each.map.values()].sort((a, b) => a - b)).toEqual(each.values);
});

it("keys with the same hash stay distinct", () => {
  // Two texts with the same FNV-1a hash.
  const [one, other] = ["costarring", "liquid"];
  const map = PersistentMap.empty<number>().with(one, 1).with(other, 2);
  expect([map.get(one), map.get(other), map.size]).toEqual([1, 2, 2]);
  const less = map.without(one);
  expect([less.get(one), less.get(other), less.size]).toEqual([undefined, 2, 1]);
});

it("a copy has the active keys under its own numbers, and neither sees later changes of the other", () => {
  const keys = BigMapKeys.none();
  keys.set(row("a", 1));
  keys.set(row("b", 2));
  keys.set(row("gone", 3, false));
  const copy = keys.copy({ firstId: 10, level: 5, active: 2 });
  keys.set({ ...row("a", 1), updates: 2 });
  copy.set({ ...copy.get("b")!, updates: 9 });
  copy.set(row("c", 20));
  expect(show(keys)).toEqual([
    [1, "a", 1],
    [2, "b", 1],
    [3, "gone", 1],
  ]);
  expect(show(copy)).toEqual([
    [10, "a", 5],
    [11, "b", 5],
    [20, "c", 5 - 4],
  ]);
  expect([keys.size, copy.size]).toEqual([3, 3]);
  expect([keys.get("a")!.updates, copy.get("a")!.updates, keys.get("b")!.updates]).toEqual([2, 1, 1]);
  expect(copy.get("gone")).toBeUndefined();
  const again = copy.copy({ firstId: 30, level: 6, active: 3 });
  expect(show(again)).toEqual([
    [30, "a", 6],
    [31, "b", 6],
    [33, "c", 6],
  ]);
});

it("a hundred and fifty copies of twenty thousand keys cost next to nothing, even when each changes a key", () => {
  const keys = BigMapKeys.none();
  for (let i = 0; i < 20_000; i++) keys.set(row(`expr${i}`, i));
  const begun = processorTime();
  const copies = Array.from({ length: 150 }, (_, i) => {
    const copy = keys.copy({ firstId: 0, level: 2, active: 20_000 });
    copy.set(row(`expr${i}`, 1));
    return copy;
  });
  expect(processorTime() - begun).toBeLessThan(100);
  expect(copies.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(keys.bytes / 20);
});
