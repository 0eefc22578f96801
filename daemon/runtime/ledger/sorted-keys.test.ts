import fc from "fast-check";
import { expect, it } from "vitest";
import misc from "../../protocol/fixtures/inbox-receipts-misc.json" with { type: "json" };
import { Ledger } from "./ledger.ts";
import { SortedKeys } from "./sorted-keys.ts";

const ADDRESS = "KT1GFiPkkTjd14oHe6MrBPiRh5djzRkVWcni";

/** The children of a key, by checking every key. */
function plainly(keys: Iterable<string>, key: string | undefined): string[] | undefined {
  const prefix = key === undefined || key === "" ? "" : `${key}/`;
  const found = new Set<string>();
  for (const candidate of keys) {
    if (candidate === key) found.add("");
    else if (candidate.startsWith(prefix)) found.add(candidate.slice(prefix.length).split("/")[0]!);
  }
  return found.size === 0 ? undefined : [...found].sort();
}

it.each(misc.kvSubkeys.expectSorted)("of $key are $subkeys", ({ key, subkeys }) => {
  const stored = new Set(misc.kvSubkeys.storedKeys);
  expect(new SortedKeys(stored, (each) => stored.has(each)).subkeys(key ?? undefined)).toEqual(subkeys);
});

it("of a key without value and children are undefined", () => {
  expect(new SortedKeys([], () => false).subkeys(undefined)).toBeUndefined();
  expect(new SortedKeys(["a/bc"], (key) => key === "a/bc").subkeys("a/b")).toBeUndefined();
});

// Segments with characters around "/" in sort order, so that keys of one parent are not adjacent.
const key = fc
  .array(fc.constantFrom("a", "a-b", "a.b", "a0", "b"), { minLength: 1, maxLength: 3 })
  .map((segments) => segments.join("/"));

it("equal those found by checking every key, after any writes and removals", () => {
  const step = fc.record({ key, value: fc.option(fc.constant("1"), { nil: undefined }), list: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), fc.option(key, { nil: undefined }), (steps, wanted) => {
      const ledger = new Ledger();
      for (const { key: written, value, list } of steps) {
        ledger.apply(["value", ADDRESS, written, value]);
        if (list) expect(ledger.subkeys(ADDRESS, wanted)).toEqual(plainly(ledger.keys(ADDRESS), wanted));
      }
      expect(ledger.subkeys(ADDRESS, wanted)).toEqual(plainly(ledger.keys(ADDRESS), wanted));
    }),
  );
});

it("keep no keys that are added and removed after a listing", () => {
  const ledger = new Ledger();
  ledger.apply(["value", ADDRESS, "m", "1"]);
  expect(ledger.subkeys(ADDRESS, undefined)).toEqual(["m"]);
  const keys = new SortedKeys(["m"], (each) => each === "m");
  let isKept = true;
  for (let i = 0; i < 1_000 && isKept; i++) isKept = keys.changed(`gone ${i}`);
  expect(isKept).toBe(false);
  for (let i = 0; i < 1_000; i++) {
    ledger.apply(["value", ADDRESS, `k${i}`, "1"]);
    ledger.apply(["value", ADDRESS, `k${i}`, undefined]);
  }
  expect(ledger.subkeys(ADDRESS, undefined)).toEqual(["m"]);
});

it("are merged when many keys were added at once", () => {
  const ledger = new Ledger();
  ledger.apply(["value", ADDRESS, "m", "1"]);
  expect(ledger.subkeys(ADDRESS, undefined)).toEqual(["m"]);
  const names = Array.from({ length: 500 }, (_, i) => `n${String(i).padStart(3, "0")}/x`);
  for (const name of names) ledger.apply(["value", ADDRESS, name, "1"]);
  expect(ledger.subkeys(ADDRESS, undefined)).toHaveLength(501);
  expect(ledger.subkeys(ADDRESS, "n499")).toEqual(["x"]);
});
