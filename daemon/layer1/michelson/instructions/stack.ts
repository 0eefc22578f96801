// Instructions that move values about: stack, pairs, options, unions, constants.
import {
  FIXED,
  combCost,
  combGetCost,
  combSetCost,
  digCost,
  dropCost,
  dugCost,
  dupCost,
  uncombCost,
} from "../costs.ts";
import { MichelsonError, permanent } from "../michelson-error.ts";
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
  type PairValue,
  type SetValue,
  UNIT_VALUE,
  type Value,
  pair,
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

const pairUp: Instruction = (node, stack, scope) => {
  const args = node.args ?? [];
  if (args.length > 1) throw badArguments(node, 0, scope);
  if (args.length === 0) {
    const [a, b] = stack.head(2);
    if (!a || !b) throw badStack(node, stack, scope, 2);
    return does(stack.drop(2).under(type("pair", a, b)), (m, s) => {
      m.gas.spend(FIXED.step);
      m.gas.takeCells(1);
      const left = s.pop()!;
      s.push(pair(left, s.pop()!));
    });
  }
  if (!stack.top) throw badStack(node, stack, scope, 2);
  const count = smallNatural(args[0]!, scope);
  if (count < 2)
    throw new MichelsonError(permanent("michelson_v1.bad_pair_argument", { loc: scope.location(node) }));
  if (stack.size < count) throw badStack(node, stack, scope);
  const types = stack.head(count);
  let result = types[count - 1]!;
  for (let i = count - 2; i >= 0; i--) result = type("pair", types[i]!, result);
  const cost = combCost(count);
  return does(stack.drop(count).under(result), (m, s) => {
    m.gas.spend(cost);
    m.gas.takeCells(count);
    const items = s.splice(s.length - count, count);
    let value = items[0]!;
    for (let i = 1; i < count; i++) value = pair(items[i]!, value);
    s.push(value);
  });
};

const unpair: Instruction = (node, stack, scope) => {
  const args = node.args ?? [];
  if (args.length > 1) throw badArguments(node, 0, scope);
  if (args.length === 0) {
    const { top } = stack;
    if (top?.prim !== "pair") throw badStack(node, stack, scope);
    return does(stack.drop(1).under(top.args[0]!, top.args[1]!), (m, s) => {
      m.gas.spend(FIXED.step);
      const { left, right } = s.pop() as PairValue;
      s.push(right, left);
    });
  }
  if (!stack.top) throw badStack(node, stack, scope);
  const count = smallNatural(args[0]!, scope);
  if (count < 2)
    throw new MichelsonError(permanent("michelson_v1.bad_unpair_argument", { loc: scope.location(node) }));
  const parts: Type[] = [];
  let rest: Type | undefined = stack.top;
  for (let i = 1; i < count; i++) {
    if (rest?.prim !== "pair") throw badStack(node, stack, scope);
    parts.push(rest.args[0]!);
    rest = rest.args[1];
  }
  const cost = uncombCost(count);
  return does(stack.drop(1).under(rest!).underAll(parts), (m, s) => {
    m.gas.spend(cost);
    let value = s.pop()!;
    const items: Value[] = [];
    for (let i = 1; i < count; i++) {
      items.push((value as PairValue).left);
      value = (value as PairValue).right;
    }
    s.push(value);
    for (let i = items.length - 1; i >= 0; i--) s.push(items[i]!);
  });
};

const part =
  (side: "left" | "right"): Instruction =>
  (node, stack, scope) => {
    argumentsOf(node, 0, scope);
    const { top } = stack;
    if (top?.prim !== "pair") throw badStack(node, stack, scope);
    return does(stack.drop(1).under(top.args[side === "left" ? 0 : 1]!), (m, s) => {
      m.gas.spend(FIXED.step);
      s.push((s.pop() as PairValue)[side]);
    });
  };

/** Type at place `n` of a right comb: even places are the rest, odd ones the element. */
function combType(t: Type, n: number): Type | undefined {
  let current: Type | undefined = t;
  for (let i = n; i >= 2; i -= 2) current = current?.prim === "pair" ? current.args[1] : undefined;
  return n % 2 === 0 ? current : current?.prim === "pair" ? current.args[0] : undefined;
}

/** GET n on pairs. GET without argument reads maps and lives with them. */
export const getFromComb: Instruction = (node, stack, scope) => {
  const [argument] = argumentsOf(node, 1, scope);
  if (!stack.top) throw badStack(node, stack, scope, 2);
  const n = smallNatural(argument!, scope, 11);
  const found = combType(stack.top, n);
  if (!found) throw badStack(node, stack, scope);
  const cost = combGetCost(n);
  return does(stack.drop(1).under(found), (m, s) => {
    m.gas.spend(cost);
    let value = s.pop()!;
    for (let i = n; i >= 2; i -= 2) value = (value as PairValue).right;
    s.push(n % 2 === 0 ? value : (value as PairValue).left);
  });
};

function replaceType(t: Type, n: number, by: Type): Type {
  if (n === 0) return by;
  if (n === 1) return type("pair", by, t.args[1]!);
  return type("pair", t.args[0]!, replaceType(t.args[1]!, n - 2, by));
}

function replaceValue(value: Value, n: number, by: Value): Value {
  if (n === 0) return by;
  const { left, right } = value as PairValue;
  return n === 1 ? pair(by, right) : pair(left, replaceValue(right, n - 2, by));
}

/** UPDATE n on pairs. */
export const updateComb: Instruction = (node, stack, scope) => {
  const [argument] = argumentsOf(node, 1, scope);
  const [by, target] = stack.head(2);
  if (!by || !target) throw badStack(node, stack, scope, 3);
  const n = smallNatural(argument!, scope, 11);
  if (!combType(target, n)) throw badStack(node, stack, scope, 2);
  const cost = combSetCost(n);
  return does(stack.drop(2).under(replaceType(target, n, by)), (m, s) => {
    m.gas.spend(cost);
    m.gas.takeCells(n >> 1);
    const value = s.pop()!;
    s.push(replaceValue(s.pop()!, n, value));
  });
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
  PAIR: pairUp,
  UNPAIR: unpair,
  CAR: part("left"),
  CDR: part("right"),
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
