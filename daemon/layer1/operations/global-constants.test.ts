// Limits on how far a few bytes of code may expand through constants that contain constants.
import { beforeEach, describe, expect, it } from "vitest";
import type { Micheline } from "../../tezos/micheline.ts";
import { countNodes } from "../../tezos/micheline.ts";
import { GasMeter, noGasLimit } from "../michelson/gas.ts";
import { type MichelsonError } from "../michelson/michelson-error.ts";
import { type Context, writeContext } from "../state/context.ts";
import { Layer } from "../state/store.ts";
import { expandConstants, registerConstant } from "./global-constants.ts";

let context: Context;
beforeEach(() => (context = writeContext(new Layer({ get: () => undefined }))));

const some: Micheline = { prim: "Some", args: [{ int: "0" }] };
const constantOf = (hash: string): Micheline => ({ prim: "constant", args: [{ string: hash }] });
const register = (value: Micheline): string => registerConstant(context, noGasLimit(), value).hash;
const repeat = (count: number, value: Micheline): Micheline => Array<Micheline>(count).fill(value);

/** Milligas spent until an expansion is refused, and the error's id. */
function refusal(code: Micheline): { readonly used: number; readonly id: string | undefined } {
  const gas = new GasMeter(100_000_000_000);
  try {
    expandConstants(context, gas, code);
    return { used: gas.used, id: undefined };
  } catch (error) {
    return { used: gas.used, id: (error as MichelsonError).errors[0]!.id };
  }
}

describe("an expansion that becomes too large", () => {
  it.each<readonly [string, () => Micheline]>([
    ["a constant of many nodes", () => constantOf(register(repeat(8_000, some)))],
    [
      "a constant that is another constant",
      () => constantOf(register(constantOf(register(repeat(8_000, some))))),
    ],
    ["a constant that is a long text", () => constantOf(register({ string: "a".repeat(20_000) }))],
    ["a constant that is a large number", () => constantOf(register({ int: "9".repeat(40_000) }))],
    [
      "a constant of long annotations",
      () => constantOf(register({ prim: "unit", annots: [`%${"a".repeat(20_000)}`] })),
    ],
  ])("stops at the limit, not after the whole expansion: %s", (_name, make) => {
    const constant = make();
    const few = refusal(repeat(10, constant));
    const many = refusal(repeat(800, constant));
    expect([few.id, many.id]).toEqual(["Expression_too_large", "Expression_too_large"]);
    // Only the traversal of the code itself grows with its size.
    const walk = (count: number): number => {
      const gas = noGasLimit();
      expandConstants(context, gas, repeat(count, { prim: "x", args: [{ string: "" }] }));
      return gas.used;
    };
    expect(many.used - few.used).toBe(walk(800) - walk(10));
  });

  it("is refused at the first excess node, and counts constants in expanded form", () => {
    const inner = register(repeat(9_999, { int: "0" }));
    const outer = constantOf(register(constantOf(inner)));
    const sequenceWith = (ints: number): Micheline => [
      ...(repeat(4, outer) as readonly Micheline[]),
      ...(repeat(ints, []) as readonly Micheline[]),
    ];
    const expanded = expandConstants(context, noGasLimit(), sequenceWith(9_999));
    expect(countNodes(expanded)).toBe(50_000);
    expect(refusal(sequenceWith(10_000)).id).toBe("Expression_too_large");
  });
});
