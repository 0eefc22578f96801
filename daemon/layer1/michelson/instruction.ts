// An instruction of the interpreter: it is checked once against the stack types, which yields the types after it and the
// steps to run. A checked script is cached and run many times.
import type { Address } from "../../tezos/address.ts";
import {
  type Arguments,
  type Micheline,
  type MichelinePrim,
  hasArity,
  kindOf,
} from "../../tezos/micheline.ts";
import type { Job } from "../job.ts";
import type { BigMapDiff } from "./big-map-diff.ts";
import { proofCost } from "./check-costs.ts";
import type { DataScope } from "./data-scope.ts";
import type { GasMeter } from "./gas.ts";
import type { Machine } from "./machine.ts";
import { MichelsonError, permanent } from "./michelson-error.ts";
import { type TypeRules, parseType } from "./parse-type.ts";
import type { StackType } from "./stack-type.ts";
import { type Type, sameType, plainType } from "./type.ts";
import type { LambdaValue, Value } from "./value.ts";

/** The stack of a run; the top is the last element. The check guarantees that `pop` finds a value. */
export interface Stack extends Array<Value> {
  pop(): Value;
}

/** Makes a stack; the last value is the top. */
export const stackOf = (...values: readonly Value[]): Stack => [...values] as Stack;
/**
 * Runs one instruction. It never runs nested code itself but tells the machine what to enter, so that nesting in a script
 * never nests on the call stack.
 */
export type Step = (machine: Machine, stack: Stack) => void;

/** A sequence of steps. */
export interface Code {
  readonly steps: readonly Step[];
  /**
   * Types on the stack before each step and after the last; undefined where no step comes to its end. Empty in code
   * that was not checked to be traced: for many instructions they take more room than all else.
   */
  readonly types: readonly (StackType | undefined)[];
  /** Location of a step in the script, for traces. */
  readonly locate: (step: number) => number;
  /** Values held by the steps that do not belong to the script. */
  readonly holds?: readonly unknown[];
}

export interface Checked {
  readonly steps: readonly Step[];
  /** Stack types after the code; undefined when it never returns (FAILWITH). */
  readonly after: StackType | undefined;
  /** Nodes for the protocol's measure of checked code: the instruction and its arguments. */
  readonly nodes: number;
  /** Location of the following instruction, set once that is known. */
  readonly next?: Place;
  /** Whether the steps report the location of the following instruction, as loops do. */
  readonly isAtNext?: boolean;
}

/** Location of a node in its script, set once it is known. */
export interface Place {
  at: () => number;
}

/** The check result of most instructions: one step. @param held nodes of the types and values in its arguments */
export const does = (after: StackType | undefined, step: Step, held = 0, next?: Place): Checked => ({
  steps: [step],
  after,
  nodes: 1 + held,
  ...(next && { next }),
});

/** Checks one instruction. One that holds code or long data does so by a job, which rests in between. */
export type Instruction = (node: MichelinePrim, stack: StackType, scope: Scope) => Checked | Job<Checked>;
/** An instruction whose check never pauses. */
export type PlainInstruction = (node: MichelinePrim, stack: StackType, scope: Scope) => Checked;
export type Instructions = Readonly<Record<string, Instruction>>;

/** A running contract: its addresses, amounts, world and gas. */
export interface Frame {
  readonly gas: GasMeter;
  readonly self: Address;
  readonly sender: Address;
  readonly source: Address;
  readonly amount: bigint;
  readonly balance: bigint;
  readonly world: World;
}

/** A view found for a script, ready to run. */
export interface FoundView {
  readonly code: Code;
  readonly storage: Value;
  readonly balance: bigint;
}

/** The chain as a script sees it. */
export interface World extends Pick<DataScope, "hasEntrypoint" | "bigMapTypes"> {
  readonly now: bigint;
  readonly level: bigint;
  readonly chainId: string;
  readonly minBlockTime: bigint;
  /** Value of an entry of a stored big map. Charges for reading it. */
  bigMapValue(id: bigint, keyHash: string, gas: GasMeter): Job<Value | undefined>;
  /** Whether a stored big map has an entry. Charges for the lookup. */
  hasBigMapEntry(id: bigint, keyHash: string, gas: GasMeter): boolean;
  /** The view of that name and types, or undefined when the contract has none. Pays for finding it. */
  findView(
    address: string,
    name: string,
    input: Type,
    output: Type,
    gas: GasMeter,
  ): Job<FoundView | undefined> | FoundView | undefined;
  /**
   * A value for an emitted operation: each of its big maps has an id that holds until the operations of the whole are done,
   * and the diffs make it. Charges for the search and for the written keys and values.
   */
  carry(
    type: Type,
    value: Value,
    gas: GasMeter,
  ): Job<{ readonly value: Value; readonly diffs: readonly BigMapDiff[] }>;
  /** Voting power of a delegate, and of all together. Charge for reading it. */
  votingPower(keyHash: string, gas: GasMeter): bigint;
  totalVotingPower(gas: GasMeter): bigint;
  /** Index of an address in the chain's registry, assigned if it has none and `add` is set. Charges for it. */
  addressIndex(address: string, add: boolean, gas: GasMeter): bigint | undefined;
  /** Counts an expression that the operation's receipt will contain. @throws MichelsonError sandbox.receipt_too_large */
  countInReceipt(expression: Micheline): void;
  /** Next nonce for internal operations of the running top-level operation. */
  nextNonce(): number;
  /** Address of the next contract that the running operation originates. */
  nextContract(): Address;
}

/** The surroundings of code that is checked. */
export interface Scope {
  /** Charged for the check. */
  readonly gas: GasMeter;
  /** Whether deprecated features are allowed, as in scripts already stored on the chain. */
  readonly legacy: boolean;
  /** What the code belongs to: a contract with its parameter, a view, or a lambda in data. */
  readonly place: "contract" | "view" | "data";
  readonly parameter: Type | undefined;
  /** Whether the code is that of a lambda. */
  readonly inLambda: boolean;
  /** Whether the code belongs to no script: what was checked once is then known when it comes again. */
  readonly isStandalone: boolean;
  /** @param end place of the end of the code, the code itself unless given */
  check(code: Micheline, stack: StackType, scope: Scope, end?: Place): Job<CheckedCode>;
  lambda(argument: Type, result: Type, code: Micheline, recursive: boolean, scope: Scope): Job<LambdaValue>;
  /** Checks a whole script given to CREATE_CONTRACT and returns its parameter and storage types. */
  script(code: Micheline, scope: Scope): Job<{ readonly parameter: Type; readonly storage: Type }>;
  /** Canonical number of a node in its script. */
  location(node: Micheline): number;
  /** Whether the code may be traced, so that the types before and after its steps are kept. */
  readonly isTraced?: boolean;
  /** Told of the types before and after each instruction that is checked. */
  readonly log?: TypeLog;
}

/** `after` is empty where the instruction never returns. */
export type TypeLog = (location: number, before: StackType, after: StackType) => void;

/** A body of an instruction or of a lambda, ready to run. */
export interface CheckedCode {
  readonly code: Code;
  readonly after: StackType | undefined;
  /** As in {@link Checked}, including the end of the code. */
  readonly nodes: number;
}

/** Reads a type in code. @throws MichelsonError */
export const typeIn = (node: Micheline, rules: TypeRules, scope: Scope): Type =>
  parseType(node, { rules, gas: scope.gas, location: (at) => scope.location(at) });

/** Whether two types are equal. Charges for the comparison. */
export function isSame(a: Type, b: Type, scope: Pick<Scope, "gas">): boolean {
  return sameType(a, b, scope.gas);
}

/** Error for two types that must be equal but are not. */
export const inconsistentTypes = (a: Type, b: Type, location: number): MichelsonError =>
  new MichelsonError(
    permanent("michelson_v1.inconsistent_types", {
      loc: location,
      first_type: plainType(a),
      other_type: plainType(b),
    }),
  );

/** Requires that a stack item has a type. @throws MichelsonError bad_stack > bad_stack_item > inconsistent_types */
export function requireItem(
  wanted: Type,
  found: Type,
  item: number,
  portion: number,
  node: MichelinePrim,
  stack: StackType,
  scope: Scope,
): void {
  if (isSame(wanted, found, scope)) return;
  throw new MichelsonError(
    ...badStack(node, stack, scope, portion).errors,
    permanent("michelson_v1.bad_stack_item", { item_level: item }),
    ...inconsistentTypes(wanted, found, scope.location(node)).errors,
  );
}

/** The top of the stack does not match the instruction. */
export function badStack(node: MichelinePrim, stack: StackType, scope: Scope, portion = 1): MichelsonError {
  return new MichelsonError(
    permanent("michelson_v1.bad_stack", {
      location: scope.location(node),
      primitive_name: node.prim,
      relevant_stack_portion: portion,
      wrong_stack_type: stack.shownInErrors(),
    }),
  );
}

/** No overload of the instruction accepts these two operands, or this one. */
export function undefinedOperands(node: MichelinePrim, stack: StackType, scope: Scope): MichelsonError {
  const [a, b] = stack.head(2);
  const place = { location: scope.location(node), operator_name: node.prim };
  if (a && b)
    return new MichelsonError(
      permanent("michelson_v1.undefined_binop", {
        ...place,
        wrong_left_operand_type: plainType(a),
        wrong_right_operand_type: plainType(b),
      }),
    );
  return badStack(node, stack, scope, 2);
}

export function undefinedOperand(node: MichelinePrim, stack: StackType, scope: Scope): MichelsonError {
  if (!stack.top) return badStack(node, stack, scope);
  return new MichelsonError(
    permanent("michelson_v1.undefined_unop", {
      location: scope.location(node),
      operator_name: node.prim,
      wrong_operand_type: plainType(stack.top),
    }),
  );
}

/** The instruction has the wrong number of arguments. */
export function badArguments(node: MichelinePrim, expected: number, scope: Scope): MichelsonError {
  return new MichelsonError(
    permanent("michelson_v1.invalid_arity", {
      location: scope.location(node),
      primitive_name: node.prim,
      expected_arity: expected,
      wrong_arity: node.args?.length ?? 0,
    }),
  );
}

/** Checks the number of arguments and returns them. */
export function argumentsOf<N extends 0 | 1 | 2 | 3>(
  node: MichelinePrim,
  count: N,
  scope: Scope,
): Arguments<N> {
  const args = node.args ?? [];
  if (!hasArity(args, count)) throw badArguments(node, count, scope);
  return args;
}

/** Requires that a body is a sequence. @throws MichelsonError invalid_expression_kind */
export function requireSequence(code: Micheline, scope: Scope): void {
  if (Array.isArray(code)) return;
  throw new MichelsonError(
    permanent("michelson_v1.invalid_expression_kind", {
      location: scope.location(code),
      expected_kinds: ["sequence"],
      wrong_kind: kindOf(code),
    }),
  );
}

/** A small natural number as an argument, such as the depth of DIG. Charged by its value. */
export function smallNatural(argument: Micheline, scope: Scope, bits = 10): number {
  if (!Array.isArray(argument) && "int" in argument) {
    const value = BigInt(argument.int);
    if (value >= 0n && value < 1n << BigInt(bits)) {
      scope.gas.spend(proofCost(Number(value)));
      return Number(value);
    }
  }
  throw new MichelsonError(
    permanent("michelson_v1.invalid_syntactic_constant", {
      location: scope.location(argument),
      expected_form: `a positive ${bits}-bit integer (between 0 and ${2 ** bits - 1})`,
      wrong_expression: argument,
    }),
  );
}

/** Forbids an instruction in views, except in lambdas, which run elsewhere, and in stored scripts. */
export function notInView(node: Parameters<Instruction>[0], scope: Scope): void {
  if (scope.place !== "view" || scope.legacy || scope.inLambda) return;
  throw new MichelsonError(
    permanent("michelson_v1.forbidden_instr_in_context", {
      location: scope.location(node),
      context: "view",
      forbidden_instruction: node.prim,
    }),
  );
}
