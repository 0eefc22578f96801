// Checks code against types and makes it ready to run: sequences, lambdas, and the table of all instructions.
import type { Checked, Instruction, Scope, Step } from "./instruction.ts";
import { ARITHMETIC_INSTRUCTIONS } from "./instructions/arithmetic.ts";
import { CHAIN_INSTRUCTIONS } from "./instructions/chain.ts";
import { COLLECTION_INSTRUCTIONS } from "./instructions/collections.ts";
import { CONTROL_INSTRUCTIONS } from "./instructions/control.ts";
import { CRYPTO_INSTRUCTIONS } from "./instructions/crypto.ts";
import { STACK_INSTRUCTIONS } from "./instructions/stack.ts";
import { TICKET_INSTRUCTIONS } from "./instructions/tickets.ts";
import { type Micheline, isPrim, isSequence } from "../../tezos/micheline.ts";
import { MichelsonError, permanent } from "./michelson-error.ts";
import { StackType } from "./stack-type.ts";
import { type Type, requireTypeSize, type, unparseType, unsupported } from "./type.ts";
import { type LambdaValue, writtenLambda } from "./lambda.ts";

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
  if (checked.after?.top) requireTypeSize(checked.after.top);
  return checked;
}

function checkSequence(sequence: readonly Micheline[], stack: StackType, scope: Scope): Checked {
  const steps: Step[] = [];
  let current: StackType | undefined = stack;
  for (const item of sequence) {
    if (!current)
      throw new MichelsonError(
        permanent("michelson_v1.fail_not_in_tail_position", { location: scope.location(item) }),
      );
    const { code, after } = checkCode(item, current, scope);
    for (const step of code) steps.push(step);
    current = after;
  }
  return { after: current, code: steps };
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
  const before = recursive
    ? StackType.of(argument, type("lambda", argument, result))
    : StackType.of(argument);
  const checked = checkCode(code, before, scope);
  if (checked.after && !checked.after.equals(StackType.of(result))) {
    throw new MichelsonError(
      permanent("michelson_v1.bad_return", {
        location: 0,
        expected_return_type: unparseType(result),
        wrong_stack_type: checked.after.head(8).map(unparseType),
      }),
    );
  }
  return writtenLambda(code, recursive, checked.code);
}
