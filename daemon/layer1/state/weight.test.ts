import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { parseMichelineText } from "../../tezos/micheline-text.ts";
import { parseType } from "../michelson/parse-type.ts";
import { weightOf } from "./weight.ts";

it("counts nodes, texts and integers at any depth", () => {
  expect(weightOf(undefined)).toBe(0);
  expect(weightOf(true)).toBe(0);
  expect(weightOf("abc")).toBe(27);
  const list = (length: number): object | undefined => {
    let tail: object | undefined;
    for (let i = 0; i < length; i++) tail = { head: 5n, tail, size: i };
    return tail;
  };
  const per = (weightOf(list(200_000)) - weightOf(list(100_000))) / 100_000;
  expect(per).toBe(40 + 3 * 8 + 24);
  expect(weightOf(parseType(parseMichelineText("pair int (list string)")))).toBeGreaterThan(100);
});

it("is close to the memory that values take", () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const kept: unknown[] = [];
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let i = 0; i < 200; i++) {
    let tail: object = { head: undefined, tail: undefined, size: 0 };
    for (let n = 1; n <= 1_000; n++) tail = { head: BigInt(n), tail, size: n };
    kept.push({
      balance: 0n,
      contract: { storage: tail, code: [{ prim: "unit", args: [{ int: `${i}` }] }] },
    });
  }
  collect();
  const taken = process.memoryUsage().heapUsed - before;
  const weight = kept.reduce((sum: number, value) => sum + weightOf(value), 0);
  expect(weight / taken).toBeGreaterThan(0.7);
  expect(weight / taken).toBeLessThan(2.5);
});
