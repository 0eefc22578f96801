import { describe, expect, it } from "vitest";
import { Layer, Store } from "./store.ts";

function commit(store: Store, level: number, writes: Readonly<Record<string, unknown>>): void {
  const layer = new Layer(store);
  for (const [key, value] of Object.entries(writes)) layer.set(key, value);
  store.commit(level, layer.writes);
}

const listed = (state: { keys(family: string): Iterable<string> }, family: string): string[] =>
  [...state.keys(family)].sort();

describe("keys of the state", () => {
  it("are listed by family, through every write and removal", () => {
    const store = new Store();
    commit(store, 1, { "a:tz1A": 1, "e:1:aa": 1, "e:12:bb": 1, "t:tz1A:KT1:cc": 1, "g:counter": 1 });
    commit(store, 2, { "e:1:dd": 1, "e:1:aa": 2 });
    commit(store, 3, { "e:1:aa": undefined, "t:tz1A:KT1:cc": undefined, "e:1:zz": undefined });
    expect(listed(store, "a:")).toEqual(["a:tz1A"]);
    expect(listed(store, "e:1:")).toEqual(["e:1:dd"]);
    expect(listed(store, "e:12:")).toEqual(["e:12:bb"]);
    expect(listed(store, "t:tz1A:")).toEqual([]);
    expect(listed(store.at(2), "e:1:")).toEqual(["e:1:aa", "e:1:dd"]);
    expect(listed(store.at(1), "e:1:")).toEqual(["e:1:aa"]);
    expect(listed(store.at(2), "t:tz1A:")).toEqual(["t:tz1A:KT1:cc"]);
  });

  it("are those of the layer where it wrote", () => {
    const store = new Store();
    commit(store, 1, { "e:1:aa": 1, "e:1:bb": 1 });
    const layer = new Layer(store);
    layer.set("e:1:aa", undefined);
    layer.set("e:1:cc", 1);
    layer.set("e:2:dd", 1);
    expect(listed(layer, "e:1:")).toEqual(["e:1:bb", "e:1:cc"]);
    expect(listed(store, "e:1:")).toEqual(["e:1:aa", "e:1:bb"]);
  });
});

it("a state of the past lists the families that it had, and stays so", () => {
  const store = new Store();
  commit(store, 1, { "a:1": 1, "a:2": 1 });
  const first = store.at(1);
  expect(listed(first, "a:")).toEqual(["a:1", "a:2"]);
  commit(store, 2, { "a:1": undefined, "a:3": 1 });
  commit(store, 3, { "a:1": 5, "a:2": undefined, "a:3": undefined });
  expect([listed(first, "a:"), first.get("a:1"), first.get("a:3")]).toEqual([["a:1", "a:2"], 1, undefined]);
  expect(listed(store.at(2), "a:")).toEqual(["a:2", "a:3"]);
  expect(listed(store.at(3), "a:")).toEqual(["a:1"]);
});
