import { expect, it } from "vitest";
import { PlaceNames } from "./linked-places.ts";

const names = (...all: string[]): PlaceNames<number> => {
  const made = new PlaceNames<number>();
  all.forEach((name, i) => made.set(name, i));
  return made;
};
const find = (places: PlaceNames<number>, text: string): string[] =>
  places.in(text).map(({ start, end, name }) => {
    expect(text.slice(start, end)).toBe(name);
    return name;
  });

it("finds names that were given, with spaces in them too, and no others", () => {
  const places = names("src/a.ts:5:9", "my folder/b.ts:5:9");
  const stack = "at f (src/a.ts:5:9)\nat g (my folder/b.ts:5:9)\nsrc/c.ts:5:9 src/a.ts:5:8 src/a.ts:5:91";
  expect(find(places, stack)).toEqual(["src/a.ts:5:9", "my folder/b.ts:5:9"]);
});

it("takes the longest name, and none that begins within another", () => {
  const places = names("a.ts:1:1", "src/a.ts:1:1");
  expect(find(places, "src/a.ts:1:1 lib/a.ts:1:1 data.ts:1:1 a.ts:1:1")).toEqual([
    "src/a.ts:1:1",
    "a.ts:1:1",
  ]);
});

it("keeps the latest five thousand names", () => {
  const places = names(...Array.from({ length: 5_001 }, (_, i) => `a.ts:${i + 1}:1`));
  expect(places.get("a.ts:1:1")).toBeUndefined();
  expect(find(places, "a.ts:1:1 a.ts:5001:1")).toEqual(["a.ts:5001:1"]);
});

it("finds at most two thousand places in a megabyte", () => {
  const places = names("a.ts:1:1");
  expect(places.in("a.ts:1:1 ".repeat(100_000))).toHaveLength(2_000);
  expect(places.in(`${"x".repeat(1_000_000)} a.ts:1:1`)).toEqual([]);
});
