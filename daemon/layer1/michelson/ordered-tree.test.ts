import fc from "fast-check";
import { expect, it } from "vitest";
import {
  type OrderedTree,
  find,
  fromSorted,
  heightOf,
  inOrder,
  insert,
  remove,
  sizeOf,
} from "./ordered-tree.ts";

const order = (a: number, b: number): number => a - b;
const entriesOf = (tree: OrderedTree<number, string>) =>
  [...inOrder(tree)].map(({ key, value }) => [key, value]);

const commands = fc.array(
  fc.oneof(
    fc.record({ put: fc.integer({ min: 0, max: 60 }), value: fc.string({ maxLength: 3 }) }),
    fc.record({ drop: fc.integer({ min: 0, max: 60 }) }),
  ),
  { maxLength: 200 },
);

it("behaves as an ordered map, and leaves every earlier tree unchanged", () => {
  fc.assert(
    fc.property(commands, (list) => {
      const model = new Map<number, string>();
      let tree: OrderedTree<number, string>;
      const kept: { readonly tree: OrderedTree<number, string>; readonly entries: unknown }[] = [];
      for (const command of list) {
        if ("put" in command) {
          model.set(command.put, command.value);
          tree = insert(tree, command.put, command.value, order);
        } else {
          model.delete(command.drop);
          tree = remove(tree, command.drop, order);
        }
        kept.push({ tree, entries: [...model].sort(([a], [b]) => a - b) });
        expect(sizeOf(tree)).toBe(model.size);
      }
      for (const { tree: then, entries } of kept) expect(entriesOf(then)).toEqual(entries);
      for (const [key, value] of model) expect(find(tree, key, order)?.value).toBe(value);
    }),
    { numRuns: 60 },
  );
});

it("stays balanced for any order of keys", () => {
  let [up, down, mixed]: OrderedTree<number, true>[] = [];
  for (let i = 0; i < 4_096; i++) {
    up = insert(up, i, true, order);
    down = insert(down, -i, true, order);
    mixed = insert(mixed, (i * 2_654_435_761) % 4_096, true, order);
  }
  for (let i = 0; i < 2_048; i++) up = remove(up, i, order);
  for (const tree of [up, down, mixed])
    expect(heightOf(tree)).toBeLessThanOrEqual(1.45 * Math.log2(sizeOf(tree) + 2));
});

it("compares a new key with few others, and copies only the path to it", () => {
  let tree = fromSorted(Array.from({ length: 100_000 }, (_, i) => [2 * i, true] as const));
  const before = new Set([...inOrder(tree)]);
  let compared = 0;
  tree = insert(tree, 77_777, true, (a, b) => (compared++, a - b));
  expect(compared).toBeLessThan(20);
  expect([...inOrder(tree)].filter((node) => !before.has(node)).length).toBeLessThan(24);
});
