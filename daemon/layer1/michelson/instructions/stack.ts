// Instructions that move values about: stack, pairs, options, unions, constants.
import { FIXED, combCost, combGetCost, digCost, dropCost, dupCost } from "../costs.ts";
import { MichelsonError, permanent } from "../michelson-error.ts";
import {
  type Instruction,
  type Instructions,
  argumentsOf,
  badArguments,
  badStack,
  does,
  smallNatural,
} from "../instruction.ts";
import { parseValue } from "../parse-value.ts";
import {
  type Type,
  UNIT,
  isComparable,
  isDuplicable,
  isPushable,
  parseType,
  sameType,
  type,
  unparseType,
} from "../type.ts";
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

/** An instruction that pushes one thing known when the code is checked. */
const pushing =
  (
    make: (args: readonly Type[]) => readonly [Type, Value],
    count: number,
    cost: number = FIXED.push,
  ): Instruction =>
  (node, stack, scope) => {
    const [result, value] = make(argumentsOf(node, count, scope).map(parseType));
    return does(stack.under(result), (m, s) => {
      m.gas.spend(cost);
      s.push(value);
    });
  };

const drop: Instruction = (node, stack, scope) => {
  const count = smallNatural(node, node.args?.[0], 1, scope);
  if (stack.size < count) throw badStack(node, stack, scope);
  return does(stack.drop(count), (m, s) => {
    m.gas.spend(dropCost(count));
    s.length -= count;
  });
};

const dup: Instruction = (node, stack, scope) => {
  const depth = smallNatural(node, node.args?.[0], 1, scope);
  const copied = depth === 0 ? undefined : stack.at(depth - 1);
  if (!copied) throw badStack(node, stack, scope);
  if (!isDuplicable(copied))
    throw new MichelsonError(
      permanent("michelson_v1.non_dupable_type", {
        location: scope.location(node),
        type: unparseType(copied),
      }),
    );
  return does(stack.under(copied), (m, s) => {
    m.gas.spend(dupCost(depth));
    s.push(s[s.length - depth]!);
  });
};

const dig: Instruction = (node, stack, scope) => {
  const depth = smallNatural(node, argumentsOf(node, 1, scope)[0], 0, scope);
  const moved = stack.at(depth);
  if (!moved) throw badStack(node, stack, scope);
  return does(
    stack
      .drop(depth + 1)
      .underAll(stack.head(depth))
      .under(moved),
    (m, s) => {
      m.gas.spend(digCost(depth));
      s.push(s.splice(s.length - 1 - depth, 1)[0]!);
    },
  );
};

const dug: Instruction = (node, stack, scope) => {
  const depth = smallNatural(node, argumentsOf(node, 1, scope)[0], 0, scope);
  const moved = stack.top;
  if (!moved || stack.size <= depth) throw badStack(node, stack, scope);
  const after = stack
    .drop(depth + 1)
    .under(moved)
    .underAll(stack.drop(1).head(depth));
  return does(after, (m, s) => {
    m.gas.spend(digCost(depth));
    s.splice(s.length - 1 - depth, 0, s.pop()!);
  });
};

const swap: Instruction = (node, stack, scope) => {
  const [a, b] = stack.head(2);
  if (!a || !b) throw badStack(node, stack, scope);
  return does(stack.drop(2).under(b, a), (m, s) => {
    m.gas.spend(FIXED.stack);
    const top = s.pop()!;
    const below = s.pop()!;
    s.push(top, below);
  });
};

const push: Instruction = (node, stack, scope) => {
  const [typeNode, valueNode] = argumentsOf(node, 2, scope);
  const pushed = parseType(typeNode!);
  if (!isPushable(pushed))
    throw new MichelsonError(
      permanent("michelson_v1.unexpected_type", {
        location: scope.location(node),
        type: unparseType(pushed),
      }),
    );
  const value = parseValue(pushed, valueNode!, {
    compileLambda: (argument, result, code, recursive) => scope.lambda(argument, result, code, recursive),
    hasEntrypoint: () => false,
    hasBigMap: () => false,
    allowTickets: false,
  });
  return does(stack.under(pushed), (m, s) => {
    m.gas.spend(FIXED.push);
    s.push(value);
  });
};

const pairUp: Instruction = (node, stack, scope) => {
  const count = smallNatural(node, node.args?.[0], 2, scope);
  if (count < 2 || stack.size < count) throw badStack(node, stack, scope);
  const types = stack.head(count);
  let result = types[count - 1]!;
  for (let i = count - 2; i >= 0; i--) result = type("pair", types[i]!, result);
  const after = stack.drop(count).under(result);
  const cost = combCost(count);
  if (count === 2) {
    return does(after, (m, s) => {
      m.gas.spend(cost);
      m.gas.takeCells(1);
      const left = s.pop()!;
      s.push(pair(left, s.pop()!));
    });
  }
  return does(after, (m, s) => {
    m.gas.spend(cost);
    m.gas.takeCells(count);
    const items = s.splice(s.length - count, count);
    let value = items[0]!;
    for (let i = 1; i < count; i++) value = pair(items[i]!, value);
    s.push(value);
  });
};

const unpair: Instruction = (node, stack, scope) => {
  const count = smallNatural(node, node.args?.[0], 2, scope);
  const parts: Type[] = [];
  let rest = stack.top;
  for (let i = 1; i < count; i++) {
    if (rest?.prim !== "pair") throw badStack(node, stack, scope);
    parts.push(rest.args[0]!);
    rest = rest.args[1];
  }
  if (count < 2 || !rest) throw badStack(node, stack, scope);
  const cost = combCost(count);
  return does(stack.drop(1).under(rest).underAll(parts), (m, s) => {
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
    const { top } = stack;
    if (top?.prim !== "pair") throw badStack(node, stack, scope);
    return does(stack.drop(1).under(top.args[side === "left" ? 0 : 1]!), (m, s) => {
      m.gas.spend(FIXED.stack);
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
  const n = smallNatural(node, node.args?.[0], 0, scope);
  const found = stack.top && combType(stack.top, n);
  if (!found) throw badStack(node, stack, scope);
  return does(stack.drop(1).under(found), (m, s) => {
    m.gas.spend(combGetCost(n));
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
  const n = smallNatural(node, node.args?.[0], 0, scope);
  const [by, target] = stack.head(2);
  if (!by || !target || !combType(target, n)) throw badStack(node, stack, scope);
  return does(stack.drop(2).under(replaceType(target, n, by)), (m, s) => {
    m.gas.spend(combGetCost(n));
    const value = s.pop()!;
    s.push(replaceValue(s.pop()!, n, value));
  });
};

/** Wraps the top of the stack: SOME, LEFT, RIGHT. */
const wrapping =
  (
    count: number,
    result: (top: Type, args: readonly Type[]) => Type,
    wrap: (value: Value) => Value,
  ): Instruction =>
  (node, stack, scope) => {
    const args = argumentsOf(node, count, scope).map(parseType);
    const { top } = stack;
    if (!top) throw badStack(node, stack, scope);
    return does(stack.drop(1).under(result(top, args)), (m, s) => {
      m.gas.spend(FIXED.wrap);
      m.gas.takeCells(1);
      s.push(wrap(s.pop()!));
    });
  };

/** CAST and RENAME change nothing that runs. */
const cast: Instruction = (node, stack, scope) => {
  const target = parseType(argumentsOf(node, 1, scope)[0]!);
  if (!stack.top || !sameType(stack.top, target)) throw badStack(node, stack, scope);
  return { after: stack.drop(1).under(target), code: [] };
};

const rename: Instruction = (node, stack, scope) => {
  if (stack.size === 0) throw badStack(node, stack, scope);
  if (node.args?.length) throw badArguments(node, 0, scope);
  return { after: stack, code: [] };
};

function comparable(t: Type): Type {
  if (!isComparable(t))
    throw new MichelsonError(permanent("michelson_v1.type_not_comparable", { type: unparseType(t) }));
  return t;
}

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
  UNIT: pushing(() => [UNIT, UNIT_VALUE], 0),
  NONE: pushing(([t]) => [type("option", t!), NONE], 1),
  NIL: pushing(([t]) => [type("list", t!), NIL], 1),
  EMPTY_SET: pushing(
    ([t]) => [type("set", comparable(t!)), { items: undefined } satisfies SetValue],
    1,
    FIXED.emptyCollection,
  ),
  EMPTY_MAP: pushing(
    ([k, v]) => [type("map", comparable(k!), v!), { entries: undefined } satisfies MapValue],
    2,
    FIXED.emptyCollection,
  ),
  EMPTY_BIG_MAP: pushing(
    ([k, v]) => [
      type("big_map", comparable(k!), v!),
      { id: undefined, changes: undefined } satisfies BigMapValue,
    ],
    2,
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
