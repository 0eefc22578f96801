import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, it } from "vitest";
import { entriesByHash, findHash, type HashTrie, sizeOfTrie, withHash } from "./hash-trie.ts";

const hashOf = (key: string): string => createHash("sha256").update(key).digest("hex");
const entriesOf = (trie: HashTrie<string>) =>
  [...entriesByHash(trie)].map(({ hash, value }) => [hash, value]);

/** Hashes of which many begin alike, and even ones. */
const hash = fc.oneof(
  fc.nat(300).map((n) => hashOf(String(n))),
  fc
    .tuple(fc.nat(20), fc.nat(15))
    .map(([same, last]) => `${"0f".repeat(same)}${last.toString(16)}`.padEnd(64, "a")),
);
const changes = fc.array(fc.tuple(hash, fc.string({ maxLength: 3 })), { maxLength: 150 });

it("behaves as a map in the order of hashes, and leaves every earlier trie unchanged", () => {
  fc.assert(
    fc.property(changes, (list) => {
      const model = new Map<string, string>();
      let trie: HashTrie<string>;
      const kept: { readonly trie: HashTrie<string>; readonly entries: unknown }[] = [];
      for (const [key, value] of list) {
        expect(findHash(trie, key)).toBe(model.get(key));
        trie = withHash(trie, key, (before) => `${before ?? ""}${value}`);
        model.set(key, `${model.get(key) ?? ""}${value}`);
        expect(sizeOfTrie(trie)).toBe(model.size);
        kept.push({ trie, entries: [...model].sort(([a], [b]) => (a < b ? -1 : 1)) });
      }
      for (const { trie: then, entries } of kept) expect(entriesOf(then)).toEqual(entries);
    }),
    { numRuns: 100 },
  );
});

it("is empty at first", () => {
  expect([sizeOfTrie(undefined), findHash(undefined, hashOf("a")), entriesOf(undefined)]).toEqual([
    0,
    undefined,
    [],
  ]);
});

it("stays flat with many entries", () => {
  let trie: HashTrie<number>;
  for (let i = 0; i < 50_000; i++) trie = withHash(trie, hashOf(String(i)), () => i);
  const depthOf = (node: unknown): number => (Array.isArray(node) ? 1 + Math.max(...node.map(depthOf)) : 0);
  expect(depthOf(trie!.root)).toBeLessThan(10);
  expect(findHash(trie, hashOf("777"))).toBe(777);
});
