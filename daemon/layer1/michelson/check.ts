// Typechecks code and compiles it to steps: sequences, lambdas, and the table of all instructions.
import { type Micheline, type MichelinePrim, isPrim, isSequence, kindOf } from "../../tezos/micheline.ts";
import type { Job } from "../job.ts";
import { checkAnnotations } from "./annotations.ts";
import { CHECK_INSTRUCTION } from "./check-costs.ts";
import {
  type Checked,
  type CheckedCode,
  type Instruction,
  type Place,
  type Scope,
  type Step,
  inconsistentTypes,
  isSame,
} from "./instruction.ts";
import { ARITHMETIC_INSTRUCTIONS } from "./instructions/arithmetic.ts";
import { CHAIN_INSTRUCTIONS } from "./instructions/chain.ts";
import { COLLECTION_INSTRUCTIONS } from "./instructions/collections.ts";
import { COMB_INSTRUCTIONS } from "./instructions/combs.ts";
import { CONTROL_INSTRUCTIONS } from "./instructions/control.ts";
import { CRYPTO_INSTRUCTIONS } from "./instructions/crypto.ts";
import { EMITTING_INSTRUCTIONS } from "./instructions/emitted-operations.ts";
import { ITERATION_INSTRUCTIONS } from "./instructions/iteration.ts";
import { LAMBDA_INSTRUCTIONS } from "./instructions/lambdas.ts";
import { STACK_INSTRUCTIONS } from "./instructions/stack.ts";
import { TICKET_INSTRUCTIONS } from "./instructions/tickets.ts";
import { VIEW_INSTRUCTIONS } from "./instructions/views.ts";
import { stackNodes } from "./measure.ts";
import { MichelsonError, permanent } from "./michelson-error.ts";
import { rewriteCode } from "./rewrite-code.ts";
import { StackType } from "./stack-type.ts";
import { unsupportedPrimitive, wrongPrimitive } from "./type-errors.ts";
import { type Type, plainType, requireTypeSize, sameType, type } from "./type.ts";
import type { LambdaValue } from "./value.ts";

const INSTRUCTIONS: ReadonlyMap<string, Instruction> = new Map(
  Object.entries({
    ...STACK_INSTRUCTIONS,
    ...COMB_INSTRUCTIONS,
    ...CONTROL_INSTRUCTIONS,
    ...ITERATION_INSTRUCTIONS,
    ...LAMBDA_INSTRUCTIONS,
    ...ARITHMETIC_INSTRUCTIONS,
    ...COLLECTION_INSTRUCTIONS,
    ...CHAIN_INSTRUCTIONS,
    ...EMITTING_INSTRUCTIONS,
    ...VIEW_INSTRUCTIONS,
    ...CRYPTO_INSTRUCTIONS,
    ...TICKET_INSTRUCTIONS,
  }),
);

/** Names of the supported instructions, for tests and documents. */
export const SUPPORTED_INSTRUCTIONS: readonly string[] = [...INSTRUCTIONS.keys()];

/** Instructions of the protocol that this node does not support. */
const UNSUPPORTED = new Set(["SAPLING_EMPTY_STATE", "SAPLING_VERIFY_UPDATE", "OPEN_CHEST"]);
/** Instructions allowed only in old scripts. */
const DEPRECATED = new Set(["CREATE_ACCOUNT", "STEPS_TO_QUOTA", "TICKET_DEPRECATED"]);

/** Instructions that type maps omit, because their types are those of their branches. */
const BRANCHING = new Set(["IF", "IF_NONE", "IF_LEFT", "IF_CONS"]);

/** Assembles the steps of a whole body from its sequences. */
class CodeBuilder {
  readonly steps: Step[] = [];
  readonly types: (StackType | undefined)[] = [];
  readonly places: Place[] = [];
  /** Locations to be set to that of the next instruction. */
  readonly #open: Place[] = [];
  /** Nodes as the protocol counts them. */
  nodes = 0;

  /** @returns the types after the code; undefined when it never returns */
  *add(node: Micheline, stack: StackType, scope: Scope): Job<StackType | undefined> {
    if (isSequence(node)) return yield* this.#addSequence(node, stack, scope);
    const checked = startChecking(node, stack, scope);
    return this.#take(node, stack, "steps" in checked ? checked : yield* checked, scope);
  }

  #take(node: Micheline, stack: StackType, checked: Checked, scope: Scope): StackType | undefined {
    checkAnnotations(node as MichelinePrim, stack, scope);
    const own: Place = { at: () => scope.location(node) };
    const place = checked.isAtNext ? checked.next! : own;
    if (checked.steps.length > 0) this.#reach(place);
    for (const step of checked.steps) {
      this.steps.push(step);
      if (scope.isTraced) this.types.push(stack);
      this.places.push(place);
    }
    if (checked.next) this.#open.push(checked.next);
    this.nodes += checked.nodes;
    if (checked.after?.top) requireTypeSize(checked.after.top, scope.location(node));
    if (!BRANCHING.has((node as MichelinePrim).prim))
      scope.log?.(scope.location(node), stack, checked.after ?? StackType.EMPTY);
    return checked.after;
  }

  /** Marks the end of the code, with its location. */
  end(place: Place): void {
    this.#reach(place);
  }

  #reach(place: Place): void {
    for (const open of this.#open.splice(0)) open.at = () => place.at();
  }

  *#addSequence(items: readonly Micheline[], stack: StackType, scope: Scope): Job<StackType | undefined> {
    // What is left of a sequence is checked as a sequence again.
    scope.gas.spend(CHECK_INSTRUCTION);
    if (items.length === 0) scope.log?.(scope.location(items), stack, stack);
    let current: StackType | undefined = stack;
    for (let i = 0; i < items.length; i++) {
      if (!current)
        throw new MichelsonError(
          permanent("michelson_v1.fail_not_in_tail_position", { location: scope.location(items[i - 1]!) }),
        );
      if (i > 0) scope.gas.spend(CHECK_INSTRUCTION);
      if (scope.gas.isRestDue()) yield;
      const item = items[i]!;
      if (isSequence(item)) {
        current = yield* this.#addSequence(item, current, scope);
        continue;
      }
      const checked = startChecking(item, current, scope);
      current = this.#take(item, current, "steps" in checked ? checked : yield* checked, scope);
    }
    return current;
  }
}

/** Checks an instruction but for its annotations, or begins to. */
function startChecking(node: Micheline, stack: StackType, scope: Scope): Checked | Job<Checked> {
  scope.gas.spend(CHECK_INSTRUCTION);
  if (!isPrim(node))
    throw new MichelsonError(
      permanent("michelson_v1.invalid_expression_kind", {
        location: scope.location(node),
        expected_kinds: ["primitiveApplication", "sequence"],
        wrong_kind: kindOf(node),
      }),
    );
  const instruction = INSTRUCTIONS.get(node.prim);
  if (instruction) return instruction(node, stack, scope);
  if (UNSUPPORTED.has(node.prim)) throw unsupportedPrimitive(node.prim);
  if (DEPRECATED.has(node.prim))
    throw new MichelsonError(permanent("michelson_v1.deprecated_instruction", { prim: node.prim }));
  throw wrongPrimitive(node.prim, SUPPORTED_INSTRUCTIONS, "instruction", scope.location(node));
}

/** Checks a sequence or one instruction. @throws MichelsonError when it is ill-typed or not supported. */
export function* checkCode(code: Micheline, stack: StackType, scope: Scope, end?: Place): Job<CheckedCode> {
  const builder = new CodeBuilder();
  const after = yield* builder.add(code, stack, scope);
  const { steps, types, places, nodes } = builder;
  const own = placeOf(code);
  const last = end ?? { at: () => scope.location(own) };
  builder.end(last);
  return {
    code: {
      steps,
      types: scope.isTraced ? [...types, after] : [],
      locate: (step) => (places[step] ?? last).at(),
    },
    after,
    nodes: after ? nodes + 1 : nodes,
  };
}

/** The node whose location stands for the code: in a sequence of one, that one. */
function placeOf(code: Micheline): Micheline {
  let node = code;
  while (isSequence(node) && node.length === 1) node = node[0]!;
  return node;
}

/** The result of checking code outside of any script, with its cost in milligas. */
interface CachedCheck {
  readonly argument: Type;
  readonly result: Type;
  readonly recursive: boolean;
  readonly legacy: boolean;
  readonly isTraced: boolean;
  readonly lambda: LambdaValue;
  readonly cost: number;
}

/**
 * By code. APPLY nests lambdas, and the protocol checks all of them again for each: this is charged each time but done
 * only once.
 */
const cachedChecks = new WeakMap<object, CachedCheck>();

/** Checks the code of a lambda and returns it as a value. @throws MichelsonError */
export function* checkLambda(
  argument: Type,
  result: Type,
  code: Micheline,
  recursive: boolean,
  scope: Scope,
): Job<LambdaValue> {
  if (!scope.isStandalone) return yield* checkLambdaAnew(argument, result, code, recursive, scope);
  const { gas, legacy, isTraced = false } = scope;
  const found = cachedChecks.get(code);
  if (
    found?.recursive === recursive &&
    found.legacy === legacy &&
    found.isTraced === isTraced &&
    sameType(found.argument, argument) &&
    sameType(found.result, result)
  ) {
    gas.spend(found.cost);
    return found.lambda;
  }
  const before = gas.used;
  const lambda = yield* checkLambdaAnew(argument, result, code, recursive, scope);
  cachedChecks.set(code, { argument, result, recursive, legacy, isTraced, lambda, cost: gas.used - before });
  return lambda;
}

function* checkLambdaAnew(
  argument: Type,
  result: Type,
  code: Micheline,
  recursive: boolean,
  scope: Scope,
): Job<LambdaValue> {
  const self = type("lambda", argument, result);
  const before = recursive ? [argument, self] : [argument];
  const checked = yield* checkCode(code, StackType.of(...before), scope);
  const place = scope.location(placeOf(code));
  if (checked.after) requireResult(checked.after, result, place, scope);
  return {
    code,
    recursive,
    place,
    body: checked.code,
    nodes: stackNodes(before) + stackNodes([result]) + checked.nodes,
    rewrite: (written, form, gas) =>
      rewriteCode(written, form, gas, (from, to, inner, isRecursive, meter) =>
        checkLambda(from, to, inner, isRecursive, {
          ...scope,
          gas: meter,
          legacy: true,
          place: "data",
          parameter: undefined,
          inLambda: isRecursive,
          isStandalone: true,
        }),
      ),
  };
}

/** Requires that the code leaves only its result on the stack. @throws MichelsonError bad_return */
function requireResult(after: StackType, result: Type, location: number, scope: Scope): void {
  const alone = after.size === 1;
  if (alone && isSame(after.top!, result, scope)) return;
  throw new MichelsonError(
    permanent("michelson_v1.bad_return", {
      location,
      expected_return_type: plainType(result),
      wrong_stack_type: after.shownInErrors(),
    }),
    ...(alone ? inconsistentTypes(after.top!, result, location).errors : []),
  );
}
