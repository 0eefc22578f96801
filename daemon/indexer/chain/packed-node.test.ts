import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { parseMichelineText } from "../../tezos/micheline-text.ts";
import type { Micheline } from "../../tezos/micheline.ts";
import { PackedNode } from "./packed-node.ts";

const nest = (depth: number): Micheline => {
  let node: Micheline = [];
  for (let i = 0; i < depth; i++) node = [node];
  return node;
};

describe("repeats exactly", () => {
  it.each<[string, unknown]>([
    ["a script's value", parseMichelineText('Pair "a\\n\\"" (Pair 0x00ff -12) { Elt 1 (Some Unit) }')],
    [
      "a type with annotations",
      { prim: "pair", args: [{ prim: "nat", annots: ["%a", ":b"] }, { prim: "unit" }] },
    ],
    ["a comb", { prim: "Pair", args: [1, 2, 3, 4].map((i) => ({ int: `${i}` })) }],
    ["a long number", { int: "9".repeat(20_000) }],
    ["a number that is not canonical", { int: "-007" }],
    ["bytes in capitals", { bytes: "AB" }],
    ["a lone surrogate", { string: "\ud800" }],
    ["an unknown primitive", { prim: "CONJURE", args: [] }],
    ["empty annotations", { prim: "unit", annots: [] }],
    ["an annotation with a space", { prim: "unit", annots: ["%a b"] }],
    ["unknown fields", { prim: "unit", more: 1 }],
    ["no Micheline", [null, 1, "x", { int: 5 }]],
    ["deep nesting", nest(50_000)],
    ["very many nodes", Array.from({ length: 150_000 }, () => ({ prim: "Unit" }))],
  ])("%s", (_name, node) => {
    const { node: again } = new PackedNode(node as Micheline);
    if (Array.isArray(node) && node.length === 1)
      return expect(depthOf(again)).toBe(depthOf(node as Micheline));
    expect(again).toEqual(node);
  });
});

function depthOf(root: Micheline): number {
  let depth = 0;
  for (let node = root; Array.isArray(node) && node.length > 0; node = node[0]!) depth++;
  return depth;
}

it("takes about the memory that it says", () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
  const before = process.memoryUsage().heapUsed;
  const packed = Array.from(
    { length: 2_000 },
    (_, i) => new PackedNode({ prim: "Pair", args: [{ bytes: "ab".repeat(2_000) }, { int: String(i) }] }),
  );
  collect();
  const taken = process.memoryUsage().heapUsed - before;
  const weight = packed.reduce((sum, each) => sum + each.weight, 0);
  expect(weight / taken).toBeGreaterThan(0.9);
  expect(weight / taken).toBeLessThan(1.5);
});
