// What an instruction is to this interpreter: checked once against the types on the stack, which yields the
// types after it and the steps to run. A checked script is kept and run many times.
import type { GasMeter } from "./gas.ts";
import type { Machine } from "./machine.ts";
import type { Micheline, MichelinePrim } from "../../tezos/micheline.ts";
import { MichelsonError, permanent } from "./michelson-error.ts";
import type { DataScope } from "./parse-value.ts";
import type { StackType } from "./stack-type.ts";
import { type Type, unparseType } from "./type.ts";
import type { LambdaValue, Value } from "./value.ts";

/** Running stack: the top is the last element. */
export type Stack = Value[];
/**
 * Does one instruction. It never runs other code by itself: it tells the machine what to enter, so that no nesting
 * that a script chooses is a nesting of the host.
 */
export type Step = (machine: Machine, stack: Stack) => void;
/** Steps one after the other. */
export type Code = readonly Step[];

export interface Checked {
  readonly code: Code;
  /** Types after the code; undefined when it never returns (FAILWITH). */
  readonly after: StackType | undefined;
}

/** What most instructions are checked to: one step. */
export const does = (after: StackType | undefined, step: Step): Checked => ({ code: [step], after });

export type Instruction = (node: MichelinePrim, stack: StackType, scope: Scope) => Checked;
export type Instructions = Readonly<Record<string, Instruction>>;

/** A running contract: who, where, when, and the gas it may use. */
export interface Frame {
  readonly gas: GasMeter;
  readonly self: string;
  readonly sender: string;
  readonly source: string;
  readonly amount: bigint;
  readonly balance: bigint;
  readonly world: World;
}

/** A view that a script may ask, ready to run. */
export interface FoundView {
  readonly code: Code;
  readonly storage: Value;
  readonly balance: bigint;
}

/** The chain as a script sees it. */
export interface World extends Omit<DataScope, "allowTickets" | "compileLambda"> {
  readonly now: bigint;
  readonly level: bigint;
  readonly chainId: string;
  readonly minBlockTime: bigint;
  bigMapValue(id: bigint, keyHash: string): Value | undefined;
  /** The view of that name and types, or undefined when the contract has none. */
  findView(address: string, name: string, input: Type, output: Type): FoundView | undefined;
  isDelegate(keyHash: string): boolean;
  /** Accounts for an expression that the receipt of the operation will show. @throws MichelsonError sandbox.receipt_too_large */
  takeReceipt(expression: Micheline): void;
  /** Next number of an internal operation of the running top-level operation. */
  nextNonce(): number;
  /** Address of the next contract that the running operation originates. */
  nextContract(): string;
}

/** What checking code needs to know of its surroundings. */
export interface Scope {
  /** Parameter type of the contract, absent inside views and lambdas: SELF is not allowed there. */
  readonly parameter: Type | undefined;
  /** True inside a view: no operations may be made. */
  readonly isView: boolean;
  check(code: Micheline, stack: StackType, scope: Scope): Checked;
  lambda(argument: Type, result: Type, code: Micheline, recursive: boolean): LambdaValue;
  /** Checks a whole script given to CREATE_CONTRACT and returns its parameter and storage types. */
  script(code: Micheline): { readonly parameter: Type; readonly storage: Type };
  /** Canonical number of a node in its script. */
  location(node: Micheline): number;
}

/** The stack has not what the instruction needs. */
export function badStack(node: MichelinePrim, stack: StackType, scope: Scope): MichelsonError {
  return new MichelsonError(
    permanent("michelson_v1.bad_stack", {
      location: scope.location(node),
      primitive_name: node.prim,
      relevant_stack_portion: 3,
      wrong_stack_type: stack.head(8).map(unparseType),
    }),
  );
}

/** The arguments in the code are not those of the instruction. */
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

/** Checks the number of arguments in the code and returns them. */
export function argumentsOf(node: MichelinePrim, count: number, scope: Scope): readonly Micheline[] {
  const args = node.args ?? [];
  if (args.length !== count) throw badArguments(node, count, scope);
  return args;
}

/** A small natural number in the code, such as the depth of DIG. */
export function smallNatural(
  node: MichelinePrim,
  argument: Micheline | undefined,
  fallback: number,
  scope: Scope,
): number {
  if (argument === undefined) return fallback;
  if (!Array.isArray(argument) && "int" in argument) {
    const value = BigInt(argument.int);
    if (value >= 0n && value < 1024n) return Number(value);
  }
  throw new MichelsonError(
    permanent("michelson_v1.invalid_syntactic_constant", {
      location: scope.location(node),
      expected_form: "a small natural number",
      wrong_expression: argument,
    }),
  );
}

/** Name of the entrypoint annotation of an instruction, "default" when there is none. */
export function entrypointOf(node: MichelinePrim): string {
  return node.annots?.find((annotation) => annotation.startsWith("%"))?.slice(1) || "default";
}
