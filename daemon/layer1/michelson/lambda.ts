// Lambdas: written in code or data, or made by APPLY. The latter keep what they were made of; the code that stands for
// them is built step by step and shared, since nothing but PACK, storage and receipts look at it.
import type { Micheline } from "../../tezos/micheline.ts";
import { FIXED } from "./costs.ts";
import { type Code, type Step, stackOf } from "./instruction.ts";
import type { Machine } from "./machine.ts";
import { StackType } from "./stack-type.ts";
import { plainType, type } from "./type.ts";
import { type LambdaTypes, type LambdaValue, type PairValue, type Value, pair } from "./value.ts";

/**
 * What APPLY makes of a lambda that takes a pair.
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

/** Has the machine run a lambda on an argument and push what it returns. */
export function callLambda(machine: Machine, lambda: LambdaValue, argument: Value): void {
  machine.apart(codeOf(lambda), lambda.recursive ? stackOf(lambda, argument) : stackOf(argument));
}

/** By lambda that APPLY made: the steps that stand for its code. */
const codes = new WeakMap<LambdaValue, Code>();

function codeOf(lambda: LambdaValue): Code {
  if (lambda.body) return lambda.body;
  let code = codes.get(lambda);
  if (!code) codes.set(lambda, (code = appliedCode(lambda)));
  return code;
}

/** The code pushes what was captured, pairs it with the argument, and goes on with the lambda that it was made of. */
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
    gas.takeCells(1);
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
