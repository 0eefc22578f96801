// Checks code against types and makes it ready to run: sequences, lambdas, and the table of all instructions.
import { INSTRUCTION_GAS } from "./gas.ts";
import type { Checked, Frame, Instruction, Scope, Stack, StackType, Step } from "./instruction.ts";
import { ARITHMETIC_INSTRUCTIONS } from "./instructions/arithmetic.ts";
import { CHAIN_INSTRUCTIONS } from "./instructions/chain.ts";
import { COLLECTION_INSTRUCTIONS } from "./instructions/collections.ts";
import { CONTROL_INSTRUCTIONS } from "./instructions/control.ts";
import { CRYPTO_INSTRUCTIONS } from "./instructions/crypto.ts";
import { STACK_INSTRUCTIONS } from "./instructions/stack.ts";
import { TICKET_INSTRUCTIONS } from "./instructions/tickets.ts";
import { type Micheline, isPrim, isSequence } from "./micheline.ts";
import { MichelsonError, permanent } from "./michelson-error.ts";
import { type Type, requireTypeSize, sameType, type, unparseType, unsupported } from "./type.ts";
import type { LambdaValue, Value } from "./value.ts";

const INSTRUCTIONS: ReadonlyMap<string, Instruction> = new Map(
  Object.entries({
    ...STACK_INSTRUCTIONS,
    ...CONTROL_INSTRUCTIONS,
    ...ARITHMETIC_INSTRUCTIONS,
    ...COLLECTION_INSTRUCTIONS,
    ...CHAIN_INSTRUCTIONS,
    ...CRYPTO_INSTRUCTIONS,
    ...TICKET_INSTRUCTIONS,
  }),
);

/** Names of the instructions that are carried out, for tests and documents. */
export const SUPPORTED_INSTRUCTIONS: readonly string[] = [...INSTRUCTIONS.keys()];

/** Checks a sequence or one instruction. @throws MichelsonError when it is ill-typed or not supported. */
export function checkCode(code: Micheline, stack: StackType, scope: Scope): Checked {
  if (isSequence(code)) return checkSequence(code, stack, scope);
  if (!isPrim(code))
    throw new MichelsonError(
      permanent("michelson_v1.invalid_expression_kind", {
        location: scope.location(code),
        expected_kinds: ["sequence", "primitiveApplication"],
        wrong_kind: "other",
      }),
    );
  const instruction = INSTRUCTIONS.get(code.prim);
  if (!instruction) throw unsupported(code.prim);
  const checked = instruction(code, stack, scope);
  if (checked.after?.[0]) requireTypeSize(checked.after[0]);
  return checked;
}

function checkSequence(code: readonly Micheline[], stack: StackType, scope: Scope): Checked {
  const steps: Step[] = [];
  let current: StackType | undefined = stack;
  for (const item of code) {
    if (!current)
      throw new MichelsonError(
        permanent("michelson_v1.fail_not_in_tail_position", { location: scope.location(item) }),
      );
    const checked = checkCode(item, current, scope);
    steps.push(checked.step);
    current = checked.after;
  }
  const [only] = steps;
  const cost = INSTRUCTION_GAS * steps.length;
  if (steps.length === 1) {
    return {
      after: current,
      step: (frame, s) => {
        frame.gas.spend(INSTRUCTION_GAS);
        only!(frame, s);
      },
    };
  }
  return {
    after: current,
    step: (frame, s) => {
      frame.gas.spend(cost);
      for (let i = 0; i < steps.length; i++) steps[i]!(frame, s);
    },
  };
}

/** Checks the code of a lambda and returns it as a value. @throws MichelsonError */
export function checkLambda(
  argument: Type,
  result: Type,
  code: Micheline,
  recursive: boolean,
  outer: Scope,
): LambdaValue {
  const scope: Scope = { ...outer, parameter: undefined };
  const before = recursive ? [argument, type("lambda", argument, result)] : [argument];
  const checked = checkCode(code, before, scope);
  if (checked.after && !(checked.after.length === 1 && sameType(checked.after[0]!, result))) {
    throw new MichelsonError(
      permanent("michelson_v1.bad_return", {
        location: 0,
        expected_return_type: unparseType(result),
        wrong_stack_type: checked.after.map(unparseType),
      }),
    );
  }
  const value: LambdaValue = {
    code,
    recursive,
    run: (frame: Frame, input: Value): Value => {
      const stack: Stack = recursive ? [value, input] : [input];
      checked.step(frame, stack);
      return stack.pop()!;
    },
  };
  return value;
}
