// Instructions that move values about: stack, options, unions, constants.
import { FIXED, digCost, dropCost, dugCost, dupCost } from "../costs.ts";
import {
  type Instruction,
  type Instructions,
  argumentsOf,
  badArguments,
  badStack,
  does,
  inconsistentTypes,
  isSame,
  smallNatural,
  typeIn,
} from "../instruction.ts";
import { valueNodes } from "../measure.ts";
import { MichelsonError, permanent } from "../michelson-error.ts";
import { parseValue } from "../parse-value.ts";
import type { StackType } from "../stack-type.ts";
import { requireDuplicable } from "../type-rules.ts";
import { TYPE_RULES, type Type, type TypeRules, UNIT, type, typeSize } from "../type.ts";
import {
  type BigMapValue,
  type MapValue,
  NIL,
  NONE,
  type OrValue,
  type SetValue,
  UNIT_VALUE,
  type Value,
  some,
} from "../value.ts";

/** An instruction that pushes one thing known when the code is checked. @param rules of the types it names */
const pushing =
  (
    make: (args: readonly Type[]) => readonly [Type, Value],
    rules: readonly TypeRules[],
    cost: number = FIXED.step,
    held: (args: readonly Type[]) => number = (args) => args.reduce((sum, arg) => sum + typeSize(arg), 0),
  ): Instruction =>
  (node, stack, scope) => {
    const args = argumentsOf(node, rules.length, scope).map((arg, i) => typeIn(arg, rules[i]!, scope));
    const [result, value] = make(args);
    return does(
      stack.under(result),
      (m, s) => {
        m.gas.spend(cost);
        s.push(value);
      },
      held(args),
    );
  };

/** Nodes that the protocol counts for the types above some place of the stack. */
const prefixNodes = (stack: StackType, depth: number): number =>
  stack.head(depth).reduce((sum, t) => sum + 1 + typeSize(t), 0);

const drop: Instruction = (node, stack, scope) => {
  const args = node.args ?? [];
  if (args.length === 0) {
    if (stack.size === 0) throw badStack(node, stack, scope);
    return does(stack.drop(1), (m, s) => {
      m.gas.spend(FIXED.step);
      s.length--;
    });
  }
  const [argument] = argumentsOf(node, 1, scope);
  const count = smallNatural(argument!, scope);
  if (stack.size < count) throw badStack(node, stack, scope, count);
  const cost = dropCost(count);
  return does(
    stack.drop(count),
    (m, s) => {
      m.gas.spend(cost);
      s.length -= count;
    },
    prefixNodes(stack, count),
  );
};

const dup: Instruction = (node, stack, scope) => {
  const args = node.args ?? [];
  if (args.length > 1) throw badArguments(node, 0, scope);
  if (args.length === 0) {
    if (!stack.top) throw badStack(node, stack, scope);
    requireDuplicable(stack.top, node, scope);
    return does(stack.under(stack.top), (m, s) => {
      m.gas.spend(FIXED.step);
      s.push(s[s.length - 1]!);
    });
  }
  if (!stack.top) throw badStack(node, stack, scope);
  const depth = smallNatural(args[0]!, scope);
  const loc = scope.location(node);
  if (depth === 0) throw new MichelsonError(permanent("michelson_v1.bad_dupn_argument", { loc }));
  const copied = stack.at(depth - 1);
  if (!copied)
    throw new MichelsonError(
      permanent("michelson_v1.bad_dupn_stack", { loc }),
      ...badStack(node, stack, scope).errors,
    );
  requireDuplicable(copied, node, scope);
  const cost = dupCost(depth);
  return does(stack.under(copied), (m, s) => {
    m.gas.spend(cost);
    s.push(s[s.length - depth]!);
  });
};

const dig: Instruction = (node, stack, scope) => {
  const depth = smallNatural(argumentsOf(node, 1, scope)[0]!, scope);
  const moved = stack.at(depth);
  if (!moved) throw badStack(node, stack, scope, 3);
  const cost = digCost(depth);
  return does(
    stack
      .drop(depth + 1)
      .underAll(stack.head(depth))
      .under(moved),
    (m, s) => {
      m.gas.spend(cost);
      s.push(s.splice(s.length - 1 - depth, 1)[0]!);
    },
    prefixNodes(stack, depth),
  );
};

const dug: Instruction = (node, stack, scope) => {
  const [argument] = argumentsOf(node, 1, scope);
  const moved = stack.top;
  if (!moved) throw badStack(node, stack, scope);
  const depth = smallNatural(argument!, scope);
  if (stack.size <= depth) throw badStack(node, stack.drop(1), scope, depth);
  const after = stack
    .drop(depth + 1)
    .under(moved)
    .underAll(stack.drop(1).head(depth));
  const cost = dugCost(depth);
  return does(
    after,
    (m, s) => {
      m.gas.spend(cost);
      s.splice(s.length - 1 - depth, 0, s.pop()!);
    },
    prefixNodes(stack.drop(1), depth),
  );
};

const swap: Instruction = (node, stack, scope) => {
  argumentsOf(node, 0, scope);
  const [a, b] = stack.head(2);
  if (!a || !b) throw badStack(node, stack, scope, 2);
  return does(stack.drop(2).under(b, a), (m, s) => {
    m.gas.spend(FIXED.step);
    const top = s.pop()!;
    const below = s.pop()!;
    s.push(top, below);
  });
};

const push: Instruction = (node, stack, scope) => {
  const [typeNode, valueNode] = argumentsOf(node, 2, scope);
  const pushed = typeIn(typeNode!, TYPE_RULES.packable, scope);
  const value = parseValue(pushed, valueNode!, {
    gas: scope.gas,
    location: (at) => scope.location(at),
    compileLambda: (argument, result, code, recursive) =>
      scope.lambda(argument, result, code, recursive, {
        ...scope,
        place: "data",
        parameter: undefined,
        inLambda: recursive,
      }),
    hasEntrypoint: () => false,
    bigMapTypes: () => undefined,
    allowTickets: false,
    allowBigMapIds: false,
  });
  return does(
    stack.under(pushed),
    (m, s) => {
      m.gas.spend(FIXED.step);
      s.push(value);
    },
    typeSize(pushed) + valueNodes(pushed, value, false),
  );
};

/** Wraps the top of the stack: SOME, LEFT, RIGHT. */
const wrapping =
  (
    count: 0 | 1,
    result: (top: Type, args: readonly Type[]) => Type,
    wrap: (value: Value) => Value,
  ): Instruction =>
  (node, stack, scope) => {
    const given = argumentsOf(node, count, scope);
    const { top } = stack;
    if (!top) throw badStack(node, stack, scope);
    const args = given.map((arg) => typeIn(arg, TYPE_RULES.any, scope));
    return does(
      stack.drop(1).under(result(top, args)),
      (m, s) => {
        m.gas.spend(FIXED.step);
        m.gas.takeCells(1);
        s.push(wrap(s.pop()!));
      },
      args.length > 0 ? typeSize(args[0]!) : 0,
    );
  };

/** CAST and RENAME change nothing that runs. */
const cast: Instruction = (node, stack, scope) => {
  const [wanted] = argumentsOf(node, 1, scope);
  if (!stack.top) throw badStack(node, stack, scope);
  const target = typeIn(wanted!, TYPE_RULES.any, scope);
  if (!isSame(target, stack.top, scope)) throw inconsistentTypes(target, stack.top, scope.location(node));
  return { after: stack, steps: [], nodes: 0 };
};

const rename: Instruction = (node, stack, scope) => {
  argumentsOf(node, 0, scope);
  if (stack.size === 0) throw badStack(node, stack, scope);
  return { after: stack, steps: [], nodes: 0 };
};

const { any, comparable, bigMapValue } = TYPE_RULES;

export const STACK_INSTRUCTIONS: Instructions = {
  DROP: drop,
  DUP: dup,
  DIG: dig,
  DUG: dug,
  SWAP: swap,
  PUSH: push,
  CAST: cast,
  RENAME: rename,
  UNIT: pushing(() => [UNIT, UNIT_VALUE], []),
  NONE: pushing(([t]) => [type("option", t!), NONE], [any]),
  NIL: pushing(([t]) => [type("list", t!), NIL], [any]),
  EMPTY_SET: pushing(
    ([t]) => [type("set", t!), { items: undefined } satisfies SetValue],
    [comparable],
    FIXED.emptyCollection,
  ),
  EMPTY_MAP: pushing(
    ([k, v]) => [type("map", k!, v!), { entries: undefined } satisfies MapValue],
    [comparable, any],
    FIXED.emptyCollection,
    ([k]) => typeSize(k!),
  ),
  EMPTY_BIG_MAP: pushing(
    ([k, v]) => [type("big_map", k!, v!), { id: undefined, changes: undefined } satisfies BigMapValue],
    [comparable, bigMapValue],
    FIXED.emptyCollection,
  ),
  SOME: wrapping(0, (top) => type("option", top), some),
  LEFT: wrapping(
    1,
    (top, [other]) => type("or", top, other!),
    (value): OrValue => ({ isLeft: true, value }),
  ),
  RIGHT: wrapping(
    1,
    (top, [other]) => type("or", other!, top),
    (value): OrValue => ({ isLeft: false, value }),
  ),
};
