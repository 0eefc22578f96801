// Lambdas: written in code or made by APPLY. The latter keep what they were made of; the code that stands for them is
// built step by step and shared, since nothing but PACK, storage and receipts look at it.
import { FIXED } from "./costs.ts";
import type { Code, Stack } from "./instruction.ts";
import type { Machine } from "./machine.ts";
import type { Micheline } from "../../tezos/micheline.ts";
import { type Type, plainType } from "./type.ts";
import { type LambdaValue, type Value, pair } from "./value.ts";

export type { LambdaValue } from "./value.ts";

export const writtenLambda = (code: Micheline, recursive: boolean, body: Code): LambdaValue => ({
  code,
  recursive,
  body,
  applied: undefined,
});

/**
 * What APPLY makes of a lambda that takes a pair.
 * @param written the captured value as an expression
 */
export function applyLambda(
  to: LambdaValue,
  types: { readonly captured: Type; readonly argument: Type; readonly result: Type },
  value: Value,
  written: Micheline,
): LambdaValue {
  const bind: readonly Micheline[] = [
    { prim: "PUSH", args: [plainType(types.captured), written] },
    { prim: "PAIR" },
  ];
  const rest: readonly Micheline[] = to.recursive
    ? [
        { prim: "LAMBDA_REC", args: [plainType(types.argument), plainType(types.result), to.code] },
        { prim: "SWAP" },
        { prim: "EXEC" },
      ]
    : [to.code];
  return { code: [...bind, ...rest], recursive: false, body: [], applied: { to, value } };
}

/** Has the machine run a lambda on an argument and push what it returns. */
export function callLambda(machine: Machine, lambda: LambdaValue, argument: Value, stack: Stack): void {
  let [target, input] = [lambda, argument];
  while (target.applied) {
    machine.gas.spend(FIXED.unwrap);
    input = pair(target.applied.value, input);
    target = target.applied.to;
  }
  machine.apart(target.body, target.recursive ? [target, input] : [input], (result) => stack.push(result));
}
