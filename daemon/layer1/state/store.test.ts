import { describe, expect, it } from "vitest";
import { Entries } from "./entries.ts";
import { Layer, Store } from "./store.ts";

function commit(store: Store, level: number, writes: Readonly<Record<string, unknown>>): number {
  const layer = new Layer(store);
  for (const [key, value] of Object.entries(writes)) layer.set(key, value);
  return store.commit(level, layer.writes);
}

describe("a state of the past", () => {
  it("has what it had, and stays so", () => {
    const store = new Store();
    commit(store, 1, { a: 1, b: 1 });
    const first = store.at(1);
    expect(first.get("a")).toBe(1);
    commit(store, 2, { a: undefined, c: 1 });
    commit(store, 3, { a: 5, b: undefined, c: undefined });
    const read = (level: number) => ["a", "b", "c"].map((key) => store.at(level).get(key));
    expect(["a", "b", "c"].map((key) => first.get(key))).toEqual([1, 1, undefined]);
    expect([1, 2, 3].map(read)).toEqual([
      [1, 1, undefined],
      [undefined, 1, 1],
      [5, undefined, undefined],
    ]);
  });

  it("is that of its level, however often a key was written, and until it is forgotten", () => {
    const store = new Store();
    for (let level = 1; level <= 100; level++)
      commit(store, level, {
        often: level,
        [`once${level}`]: level,
        ...(level % 7 === 0 && { rare: level }),
      });
    const expectedAt = (level: number) => [level, level < 7 ? undefined : level - (level % 7)];
    for (let level = 1; level <= 100; level++)
      expect([store.at(level).get("often"), store.at(level).get("rare")]).toEqual(expectedAt(level));
    for (let level = 0; level < 50; level++) store.forgetBefore(level + 1);
    for (let level = 50; level <= 100; level++) {
      expect([store.at(level).get("often"), store.at(level).get("rare")]).toEqual(expectedAt(level));
      expect(store.at(level).get("once60")).toBe(level >= 60 ? 60 : undefined);
    }
  });
});

describe("the weight of a state", () => {
  it("counts keys and places, and comes back to nothing", () => {
    const store = new Store();
    const long = "k".repeat(1_000);
    const layer = new Layer(store);
    layer.set(long, true);
    const { growth } = layer;
    expect(growth).toBeGreaterThan(1_000);
    store.commit(1, layer.writes);
    expect(store.weight).toBe(growth);
    commit(store, 2, { [long]: undefined });
    expect(store.weight).toBe(0);
  });

  it("counts of the past what the state has no more, and not again what both have", () => {
    const store = new Store();
    const code = Array.from({ length: 5_000 }, (_, i) => ({ int: `${i}` }));
    const account = (storage: unknown) => ({ balance: 5n, contract: { code, storage } });
    const list = (length: number): object => {
      let tail: object = { size: 0 };
      for (let size = 1; size <= length; size++) tail = { head: BigInt(size), tail, size };
      return tail;
    };
    const before = list(5_000);
    const added = { head: 1n, tail: before, size: 5_001 };
    commit(store, 1, { a: account(before) });
    const first = commit(store, 2, { a: account(added) });
    expect(first).toBeLessThan(500); // the account alone
    expect(commit(store, 3, { a: account(7n) })).toBeGreaterThan(5_000 * 80); // the whole list
    expect(commit(store, 4, { a: undefined })).toBeGreaterThan(5_000 * 40); // the code
    const large = account(list(20_000));
    commit(store, 5, { a: large });
    expect(commit(store, 6, { a: { ...large, contract: { code, storage: list(20_000) } } })).toBeGreaterThan(
      20_000 * 80, // too much to look at: the whole
    );
  });

  it("counts collections as they are, and of the past what they do not share", () => {
    const store = new Store();
    let entries = Entries.none<object>();
    for (let i = 0; i < 10_000; i++) entries = entries.with(`${i}`, { n: i });
    commit(store, 1, { list: entries });
    expect(store.weight).toBeGreaterThan(entries.weight);
    const kept = commit(store, 2, { list: entries.with("5", undefined) });
    expect(kept).toBeGreaterThan(500);
    expect(kept).toBeLessThan(2_500);
    const all = commit(store, 3, { list: undefined });
    expect(all).toBeGreaterThan(9_000 * 72);
    expect(store.weight).toBe(0);
  });
});
