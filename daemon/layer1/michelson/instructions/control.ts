// Control flow: branches, loops, failure.
import type { Micheline, MichelinePrim } from "../../../tezos/micheline.ts";
import type { Job } from "../../job.ts";
import { CONTROL, FIXED, dipCost } from "../costs.ts";
import {
  type Checked,
  type CheckedCode,
  type Instruction,
  type Instructions,
  type Place,
  type Scope,
  type Stack,
  argumentsOf,
  badArguments,
  badStack,
  does,
  requireSequence,
  smallNatural,
} from "../instruction.ts";
import type { Machine, Waiting } from "../machine.ts";
import { MichelsonError, ScriptRejected, permanent, temporary, traceJobErrors } from "../michelson-error.ts";
import { requireSameStack } from "../stack-rules.ts";
import type { StackType } from "../stack-type.ts";
import { requirePackable } from "../type-rules.ts";
import { type Type, typeSize } from "../type.ts";
import { unparseWithRests } from "../unparse-value.ts";
import { type ListValue, type OptionValue, type OrValue, type Value } from "../value.ts";

function branchMismatch(node: Micheline, a: StackType, b: StackType, scope: Scope): MichelsonError {
  return new MichelsonError(
    permanent("michelson_v1.unmatched_branches", {
      location: scope.location(node),
      first_stack_type: a.shownInErrors(),
      other_stack_type: b.shownInErrors(),
    }),
  );
}

/** An instruction that runs one of two bodies. Both must leave the same stack, unless one fails. */
function branchInstruction(
  node: MichelinePrim,
  { codes: [first, second], next }: Bodies,
  scope: Scope,
  /** Pops the top of the stack. @returns whether to run the first body */
  choose: (stack: Stack) => boolean,
): Checked {
  if (first.after && second.after)
    requireSameStack(first.after, second.after, scope, node, () =>
      branchMismatch(node, first.after!, second.after!, scope),
    );
  const place = scope.location(node);
  return does(
    first.after ?? second.after,
    (m, s) => {
      m.gas.spend(FIXED.step);
      m.enter(choose(s) ? first.code : second.code, place);
    },
    first.nodes + second.nodes,
    next,
  );
}

interface Bodies {
  readonly codes: readonly [CheckedCode, CheckedCode];
  /** The location where both end. */
  readonly next: Place;
}

/** The two bodies of a branching instruction. */
function bodiesOf(node: MichelinePrim, scope: Scope): readonly [Micheline, Micheline] {
  const [first, second] = argumentsOf(node, 2, scope);
  return [first, second];
}

/** Checks two bodies, each on its own stack. */
function* checkBodies(
  bodies: readonly [Micheline, Micheline],
  stacks: readonly [StackType, StackType],
  scope: Scope,
): Job<Bodies> {
  for (const body of bodies) requireSequence(body, scope);
  const next: Place = { at: () => 0 };
  const [first, second] = bodies;
  const codes = [
    yield* scope.check(first, stacks[0], scope, next),
    yield* scope.check(second, stacks[1], scope, next),
  ] as const;
  // Where many branches end at once, no instruction comes between the comparisons of what they leave.
  if (scope.gas.isRestDue()) yield;
  return { codes, next };
}

const ifBool: Instruction = function* (node, stack, scope) {
  const bodies = bodiesOf(node, scope);
  if (stack.top?.prim !== "bool") throw badStack(node, stack, scope);
  const rest = stack.drop(1);
  const codes = yield* checkBodies(bodies, [rest, rest], scope);
  return branchInstruction(node, codes, scope, (s) => s.pop() === true);
};

const ifNone: Instruction = function* (node, stack, scope) {
  const bodies = bodiesOf(node, scope);
  const { top } = stack;
  if (top?.prim !== "option") throw badStack(node, stack, scope);
  const rest = stack.drop(1);
  const codes = yield* checkBodies(bodies, [rest, rest.under(top.args[0])], scope);
  return branchInstruction(node, codes, scope, (s) => {
    const inner = (s.pop() as OptionValue).some;
    if (inner !== undefined) s.push(inner);
    return inner === undefined;
  });
};

const ifLeft: Instruction = function* (node, stack, scope) {
  const bodies = bodiesOf(node, scope);
  const { top } = stack;
  if (top?.prim !== "or") throw badStack(node, stack, scope);
  const rest = stack.drop(1);
  const codes = yield* checkBodies(bodies, [rest.under(top.args[0]), rest.under(top.args[1])], scope);
  return branchInstruction(node, codes, scope, (s) => {
    const { isLeft, value } = s.pop() as OrValue;
    s.push(value);
    return isLeft;
  });
};

const ifCons: Instruction = function* (node, stack, scope) {
  const bodies = bodiesOf(node, scope);
  const { top } = stack;
  if (top?.prim !== "list") throw badStack(node, stack, scope);
  const rest = stack.drop(1);
  const codes = yield* checkBodies(bodies, [rest.under(top.args[0], top), rest], scope);
  return branchInstruction(node, codes, scope, (s) => {
    const list = s.pop() as ListValue;
    if (list.size > 0) s.push(list.tail!, list.head!);
    return list.size > 0;
  });
};

const putBack = (value: Value): Waiting => ({
  cost: CONTROL.putBack,
  holds: [value],
  resume: (_, s) => {
    s.push(value);
    return false;
  },
});

const dip: Instruction = function* (node, stack, scope) {
  const args = node.args ?? [];
  if (args.length === 0 || args.length > 2) throw badArguments(node, 2, scope);
  const code = args.at(-1)!;
  const counted = args.length === 2;
  if (!counted) {
    if (stack.size === 0) throw badStack(node, stack, scope);
    requireSequence(code, scope);
  }
  const depth = counted ? smallNatural(args[0]!, scope) : 1;
  if (stack.size < depth) throw badStack(node, stack, scope);
  const inner = yield* scope.check(code, stack.drop(depth), scope);
  const place = scope.location(node);
  if (!inner.after)
    throw new MichelsonError(permanent("michelson_v1.fail_not_in_tail_position", { location: place }));
  const kept = stack.take(depth);
  const after = inner.after.underStack(kept);
  if (!counted) {
    return does(
      after,
      (m, s) => {
        m.gas.spend(FIXED.step);
        m.keep();
        m.wait(putBack(s.pop()));
        m.begin(inner.code, place);
      },
      inner.nodes,
    );
  }
  const cost = dipCost(depth);
  return does(
    after,
    (m, s) => {
      m.gas.spend(cost);
      m.keep();
      for (let i = 0; i < depth; i++) m.wait(putBack(s.pop()));
      m.begin(inner.code, place);
    },
    inner.nodes + kept.size + kept.typeNodes,
  );
};

/** Body of a loop: must come back to the stack of the loop itself, or fail. */
function* checkLoop(
  node: MichelinePrim,
  code: Micheline,
  stacks: { readonly before: StackType; readonly loop: StackType },
  scope: Scope,
): Job<{ readonly body: CheckedCode; readonly next: Place }> {
  requireSequence(code, scope);
  const next: Place = { at: () => 0 };
  const checked = yield* scope.check(code, stacks.before, scope, next);
  if (scope.gas.isRestDue()) yield;
  if (checked.after)
    requireSameStack(checked.after, stacks.loop, scope, node, () =>
      branchMismatch(node, checked.after!, stacks.loop, scope),
    );
  return { body: checked, next };
}

/** @param again pops the top of the stack. @returns whether there is another round */
function loopInstruction(
  after: StackType,
  { body, next }: { readonly body: CheckedCode; readonly next: Place },
  again: (stack: Stack) => boolean,
): Checked {
  const round: Waiting = {
    cost: CONTROL.loop,
    holds: [],
    resume: (m, s) => {
      if (!again(s)) return false;
      m.wait(round);
      m.begin(body.code, next.at());
      return true;
    },
  };
  const checked = does(
    after,
    (m) => {
      m.gas.spend(FIXED.step);
      m.keep();
      m.wait(round);
      m.proceed();
    },
    body.nodes,
    next,
  );
  return { ...checked, isAtNext: true };
}

const loop: Instruction = function* (node, stack, scope) {
  const [code] = argumentsOf(node, 1, scope);
  if (stack.top?.prim !== "bool") throw badStack(node, stack, scope);
  const rest = stack.drop(1);
  const body = yield* checkLoop(node, code, { before: rest, loop: stack }, scope);
  return loopInstruction(rest, body, (s) => s.pop() === true);
};

const loopLeft: Instruction = function* (node, stack, scope) {
  const [code] = argumentsOf(node, 1, scope);
  const { top } = stack;
  if (top?.prim !== "or") throw badStack(node, stack, scope);
  const rest = stack.drop(1);
  const body = yield* checkLoop(node, code, { before: rest.under(top.args[0]), loop: stack }, scope);
  return loopInstruction(rest.under(top.args[1]), body, (s) => {
    const { isLeft, value } = s.pop() as OrValue;
    s.push(value);
    return isLeft;
  });
};

const failwith: Instruction = (node, stack, scope) => {
  argumentsOf(node, 0, scope);
  const { top } = stack;
  if (!top) throw badStack(node, stack, scope);
  requirePackable(top, false, node, scope);
  const location = scope.location(node);
  return does(
    undefined,
    (m, s: Stack) => m.finishWith(fail(m, top, s[s.length - 1]!, location)),
    typeSize(top),
  );
};

/** @throws ScriptRejected */
function* fail({ gas, frame }: Machine, t: Type, value: Value, location: number): Job<never> {
  const written = yield* traceJobErrors(
    () => temporary("michelson_v1.cannot_serialize_failure"),
    unparseWithRests(t, value, "optimized", gas),
  );
  frame.world.countInReceipt(written);
  throw new ScriptRejected(location, written);
}

const never: Instruction = (node, stack, scope) => {
  argumentsOf(node, 0, scope);
  if (stack.top?.prim !== "never") throw badStack(node, stack, scope);
  return { steps: [], after: undefined, nodes: 1 };
};

export const CONTROL_INSTRUCTIONS: Instructions = {
  IF: ifBool,
  IF_NONE: ifNone,
  IF_LEFT: ifLeft,
  IF_CONS: ifCons,
  DIP: dip,
  LOOP: loop,
  LOOP_LEFT: loopLeft,
  FAILWITH: failwith,
  NEVER: never,
};
