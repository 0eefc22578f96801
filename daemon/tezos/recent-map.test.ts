import { expect, it } from "vitest";
import { RecentMap } from "./recent-map.ts";

it("keeps the entries last set or read, and forgets the rest", () => {
  const map = new RecentMap<number>(10);
  map.set("found", 1);
  map.set("not looked up", 2);
  for (let i = 0; i < 100; i++) {
    map.set(`other ${i}`, i);
    expect(map.get("found")).toBe(1);
  }
  expect(map.get("not looked up")).toBeUndefined();
  for (let i = 91; i < 100; i++) expect(map.get(`other ${i}`)).toBe(i);
  map.delete("found");
  expect(map.get("found")).toBeUndefined();
});

it("makes what it does not know, once; and what there is none of, each time", () => {
  const map = new RecentMap<string>(10);
  const made: string[] = [];
  const make = (key: string) => {
    made.push(key);
    return key === "none" ? undefined : `${key}!`;
  };
  expect(["a", "a", "none", "none"].map((key) => map.getOrMake(key, make))).toEqual([
    "a!",
    "a!",
    undefined,
    undefined,
  ]);
  expect(made).toEqual(["a", "none", "none"]);
});
