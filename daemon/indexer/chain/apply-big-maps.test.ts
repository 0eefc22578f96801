import { expect, it } from "vitest";
import { applyDiffs } from "./apply-big-maps.ts";
import { ChainIndex } from "./chain-index.ts";
import type { RpcDiff } from "./rpc-block.ts";

const [SENDER, KEEPER] = ["KT1F3MuqvT9Yz57TgCS3EkDcKNZe9HpiavUJ", "KT1GFiPkkTjd14oHe6MrBPiRh5djzRkVWcni"];
const AT = { level: 7, timestamp: "2026-01-01T00:00:00Z" };

const update = (key: number, value: number) => ({
  key_hash: `expr${key}`,
  key: { int: `${key}` },
  value: { int: `${value}` },
});
const diff = (id: number, change: object): RpcDiff =>
  ({ kind: "big_map", id: `${id}`, diff: { updates: [], ...change } }) as unknown as RpcDiff;
const types = { key_type: { prim: "nat" }, value_type: { prim: "nat" } };
const entries = (index: ChainIndex, ptr: number): readonly unknown[] =>
  [...index.bigMaps.get(ptr)!.keys.values()]
    .sort((one, other) => one.id - other.id)
    .map(({ hash, value }) => [hash, value.node]);

it("gives the receiver that keeps a temporary big map the content at the time of the call", () => {
  const index = new ChainIndex(10);
  applyDiffs(
    index,
    [diff(0, { action: "alloc", updates: [update(1, 11), update(2, 22)], ...types })],
    SENDER,
    AT,
  );
  const sent = applyDiffs(
    index,
    [
      diff(-1, { action: "copy", source: "0", updates: [update(3, 33)] }),
      diff(0, { action: "update", updates: [update(1, 99)] }),
    ],
    SENDER,
    AT,
  );
  expect(sent.rows.map(({ bigmap, action }) => [bigmap, action])).toEqual([[0, "update_key"]]);
  const kept = applyDiffs(index, [diff(1, { action: "copy", source: "-1" })], KEEPER, AT);
  expect(kept.rows.map(({ bigmap, action }) => [bigmap, action])).toEqual([[1, "allocate"]]);
  expect(entries(index, 1)).toEqual([
    ["expr1", { int: "11" }],
    ["expr2", { int: "22" }],
    ["expr3", { int: "33" }],
  ]);
  expect(index.bigMaps.get(1)!.activeKeys).toBe(3);
  expect([...index.bigMaps.keys()]).toEqual([0, 1]);
  // The next operation reuses the number for another map.
  applyDiffs(index, [diff(-1, { action: "alloc", updates: [update(5, 55)], ...types })], SENDER, AT);
  applyDiffs(index, [diff(2, { action: "copy", source: "-1" })], KEEPER, AT);
  expect(entries(index, 2)).toEqual([["expr5", { int: "55" }]]);
});
