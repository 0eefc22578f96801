import { expect, it } from "vitest";
import { finish } from "../job.ts";
import { GasMeter, noGasLimit } from "../michelson/gas.ts";
import { type Type, type } from "../michelson/type.ts";
import { type BigMapValue, type Value, listOf } from "../michelson/value.ts";
import { stretchesOf } from "../testing/job-stretches.ts";
import { idsIn, mapBigMaps, payForCollecting, payForWalk } from "./lazy-storage.ts";

const BIG_MAP = type("big_map", type("nat"), type("nat"));
const map = (id: bigint | undefined): BigMapValue => ({ id, changes: undefined });

/** A list of lists, each of two copies of the next one: little memory, and 2^depth big maps. */
function doubleUp(depth: number): { t: Type; value: Value } {
  let [t, value]: [Type, Value] = [BIG_MAP, map(7n)];
  for (let i = 0; i < depth; i++) [t, value] = [type("list", t), listOf([value, value])];
  return { t, value };
}

it("pays a step for each node, and one more for each stored big map", () => {
  const t = type("pair", type("nat"), type("list", BIG_MAP));
  const value = { left: 5n, right: listOf([map(1n), map(undefined)]) };
  const [walked, collected] = [noGasLimit(), noGasLimit()];
  finish(payForWalk(t, value, walked));
  finish(payForCollecting(t, value, collected));
  expect([walked.used, collected.used]).toEqual([5 * 220, 6 * 220]);
  expect(idsIn(t, value)).toEqual([1n]);
});

it("ends with the gas, however many nodes a value has, and rests on the way", () => {
  const { t, value } = doubleUp(60);
  const gas = new GasMeter(1_040_000_000);
  expect(() => finish(payForWalk(t, value, gas))).toThrow(
    expect.objectContaining({ name: "MichelsonError" }),
  );
  const paid = noGasLimit();
  const small = doubleUp(14);
  const stretches = stretchesOf(payForCollecting(small.t, small.value, paid), paid);
  expect(Math.max(...stretches)).toBeLessThan(2_001 * 440 + 1);
});

it("rebuilds as much as there is room for, with rests", () => {
  const { t, value } = doubleUp(22);
  const gas = noGasLimit();
  expect(() => finish(mapBigMaps(t, value, gas, (_, { changes }) => ({ id: 1n, changes })))).toThrow(
    expect.objectContaining({
      errors: [expect.objectContaining({ id: "sandbox.memory_exhausted" })],
    }),
  );
});
