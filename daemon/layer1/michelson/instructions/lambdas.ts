// Lambdas: literals, calls, partial application.
import type { Job } from "../../job.ts";
import { writeTypeCost } from "../check-costs.ts";
import { FIXED } from "../costs.ts";
import {
  type Instruction,
  type Instructions,
  type Stack,
  argumentsOf,
  badStack,
  does,
  requireItem,
  requireSequence,
  typeIn,
} from "../instruction.ts";
import { applyLambda, callLambda } from "../lambda.ts";
import type { Machine } from "../machine.ts";
import { lambdaNodes } from "../measure.ts";
import { TYPE_RULES } from "../parse-type.ts";
import { requirePackable } from "../type-rules.ts";
import { type Type, type, typeSize } from "../type.ts";
import { unparseWithRests } from "../unparse-value.ts";
import type { LambdaTypes, LambdaValue, Value } from "../value.ts";

const lambda = (recursive: boolean): Instruction =>
  function* (node, stack, scope) {
    const [from, to, code] = argumentsOf(node, 3, scope);
    const argument = typeIn(from, TYPE_RULES.any, scope);
    const result = typeIn(to, TYPE_RULES.any, scope);
    requireSequence(code, scope);
    const value = yield* scope.lambda(argument, result, code, recursive, { ...scope, inLambda: true });
    return does(
      stack.under(type("lambda", argument, result)),
      (m, s) => {
        m.gas.spend(FIXED.step);
        s.push(value);
      },
      lambdaNodes(value),
    );
  };

const exec: Instruction = (node, stack, scope) => {
  argumentsOf(node, 0, scope);
  const [argument, target] = stack.head(2);
  if (!argument || target?.prim !== "lambda") throw badStack(node, stack, scope, 2);
  requireItem(argument, target.args[0], 1, 2, node, stack, scope);
  return does(stack.drop(2).under(target.args[1]), (m, s) => {
    m.gas.spend(FIXED.step);
    const value = s.pop();
    callLambda(m, s.pop() as LambdaValue, value);
  });
};

interface Application {
  readonly to: LambdaValue;
  readonly types: LambdaTypes;
  readonly value: Value;
}

const apply: Instruction = (node, stack, scope) => {
  argumentsOf(node, 0, scope);
  const [captured, target] = stack.head(2);
  const [argument, result] = target?.prim === "lambda" ? (target.args as [Type, Type]) : [];
  if (!captured || argument?.prim !== "pair" || !result) throw badStack(node, stack, scope, 2);
  const [wanted, rest] = argument.args as [Type, Type];
  requirePackable(wanted, false, node, scope);
  requireItem(captured, wanted, 1, 2, node, stack, scope);
  const types = { captured: wanted, argument, rest, result };
  const typesCost = writeTypeCost(typeSize(argument)) + writeTypeCost(typeSize(result));
  return does(
    stack.drop(2).under(type("lambda", rest, result)),
    (m, s) => {
      const value = s.pop();
      const to = s.pop() as LambdaValue;
      m.gas.spend(to.recursive ? FIXED.applyRecursive : FIXED.apply);
      m.gas.reserveCells(8);
      m.gas.spend(writeTypeCost(typeSize(wanted)));
      m.finishWith(applyTo(m, s, { to, types, value }, to.recursive ? typesCost : 0));
    },
    typeSize(wanted),
  );
};

function* applyTo(
  { gas }: Machine,
  stack: Stack,
  { to, types, value }: Application,
  typesCost: number,
): Job<void> {
  const written = yield* unparseWithRests(types.captured, value, "optimized", gas);
  gas.spend(typesCost);
  stack.push(applyLambda(to, types, value, written));
}

export const LAMBDA_INSTRUCTIONS: Instructions = {
  LAMBDA: lambda(false),
  LAMBDA_REC: lambda(true),
  EXEC: exec,
  APPLY: apply,
};
