// Lambdas: literals in code or data, or results of APPLY. The latter keep their components; their equivalent code is built
// step by step and shared, since only PACK, storage and receipts show it.
import type { Micheline } from "../../tezos/micheline.ts";
import { FIXED } from "./costs.ts";
import { type Code, type Step, stackOf } from "./instruction.ts";
import type { Machine } from "./machine.ts";
import { StackType } from "./stack-type.ts";
import { plainType, type } from "./type.ts";
import { type LambdaTypes, type LambdaValue, type PairValue, type Value, pair } from "./value.ts";

/**
 * Applies a lambda that takes a pair to the left component.
 * @param written the captured value as an expression
 */
export function applyLambda(
  to: LambdaValue,
  types: LambdaTypes,
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
  return {
    code: [...bind, ...rest],
    recursive: false,
    place: to.place,
    applied: { to, value, types },
    rewrite: to.rewrite,
  };
}

/** Makes the machine run a lambda on an argument and push the result. */
export function callLambda(machine: Machine, lambda: LambdaValue, argument: Value): void {
  machine.runOnOwnStack(codeOf(lambda), lambda.recursive ? stackOf(lambda, argument) : stackOf(argument));
}

/** The equivalent steps of a lambda, by lambda that APPLY made. */
const codes = new WeakMap<LambdaValue, Code>();

function codeOf(lambda: LambdaValue): Code {
  if (lambda.body) return lambda.body;
  let code = codes.get(lambda);
  if (!code) codes.set(lambda, (code = appliedCode(lambda)));
  return code;
}

/** Code that pushes the captured value, pairs it with the argument, and continues with the original lambda. */
function appliedCode({ place, applied }: LambdaValue): Code {
  const { to, value, types } = applied!;
  const { captured, argument, rest, result } = types;
  const paired = StackType.of(argument);
  const push: Step = ({ gas }, s) => {
    gas.spend(FIXED.step);
    s.push(value);
  };
  const join: Step = ({ gas }, s) => {
    gas.spend(FIXED.step);
    gas.reserveCells(1);
    const left = s.pop();
    s.push(pair(left, s.pop()));
  };
  const locate = (): number => place;
  const holds = [value, to];
  const start = [StackType.of(rest), StackType.of(captured, rest), paired];
  if (!to.recursive) {
    return { steps: [push, join, (m) => m.call(codeOf(to))], types: [...start, undefined], locate, holds };
  }
  const self = type("lambda", argument, result);
  return {
    steps: [push, join, ...callItself(to)],
    types: [...start, paired.under(self), StackType.of(argument, self), StackType.of(result)],
    locate,
    holds,
  };
}

/** LAMBDA_REC; SWAP; EXEC */
function callItself(to: LambdaValue): readonly Step[] {
  return [
    ({ gas }, s) => {
      gas.spend(FIXED.step);
      s.push(to);
    },
    ({ gas }, s) => {
      gas.spend(FIXED.step);
      const top = s.pop();
      const below = s.pop();
      s.push(top, below);
    },
    (m, s) => {
      m.gas.spend(FIXED.step);
      const argument = s.pop() as PairValue;
      callLambda(m, s.pop() as LambdaValue, argument);
    },
  ];
}
