import { expect, it } from "vitest";
import { storedKeys } from "./stored-keys.ts";

/** A runtime with the values of these keys. */
function runtimeWith(keys: readonly string[]) {
  let asked = 0;
  return {
    asked: () => asked,
    subkeys: (_address: string, key?: string) => {
      asked++;
      const below = key === undefined ? keys : keys.filter((each) => each.startsWith(`${key}/`));
      const from = key === undefined ? 0 : key.length + 1;
      const names = new Set(below.map((each) => each.slice(from).split("/")[0]!));
      if (key !== undefined && keys.includes(key)) names.add("");
      return Promise.resolve(names.size === 0 ? undefined : [...names]);
    },
  };
}

it("finds keys at all levels, also those with keys below", async () => {
  const keys = ["a", "a/b", "a/b/c", "d/e"];
  expect(await storedKeys(runtimeWith(keys.toReversed()), "KT1", 100)).toEqual({ keys, isWhole: true });
  expect(await storedKeys(runtimeWith([]), "KT1", 100)).toEqual({ keys: [], isWhole: true });
});

it("asks no more often than it may, and says that there is more", async () => {
  const runtime = runtimeWith(Array.from({ length: 500 }, (_, i) => `k${i}`));
  const { keys, isWhole } = await storedKeys(runtime, "KT1", 50);
  expect([runtime.asked(), keys.length, isWhole]).toEqual([50, 49, false]);
});
