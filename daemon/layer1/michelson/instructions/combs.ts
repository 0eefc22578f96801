// Pairs, and right combs of any length.
import { FIXED, combCost, combGetCost, combSetCost, uncombCost } from "../costs.ts";
import {
  type Instruction,
  type Instructions,
  type PlainInstruction,
  argumentsOf,
  badArguments,
  badStack,
  does,
  smallNatural,
} from "../instruction.ts";
import { MichelsonError, permanent } from "../michelson-error.ts";
import { type Type, type } from "../type.ts";
import { type PairValue, type Value, pair } from "../value.ts";

/** Room of a type that is made anew, with its arguments and what is known of it. */
const TYPE_CELLS = 6;

const pairUp: Instruction = (node, stack, scope) => {
  const args = node.args ?? [];
  if (args.length > 1) throw badArguments(node, 0, scope);
  const [written] = args;
  if (written === undefined) {
    const [a, b] = stack.head(2);
    if (!a || !b) throw badStack(node, stack, scope, 2);
    return does(stack.drop(2).under(type("pair", a, b)), (m, s) => {
      m.gas.spend(FIXED.step);
      m.gas.reserveCells(1);
      const left = s.pop();
      s.push(pair(left, s.pop()));
    });
  }
  if (!stack.top) throw badStack(node, stack, scope, 2);
  const count = smallNatural(written, scope);
  if (count < 2)
    throw new MichelsonError(permanent("michelson_v1.bad_pair_argument", { loc: scope.location(node) }));
  if (stack.size < count) throw badStack(node, stack, scope);
  scope.gas.takeChecked(TYPE_CELLS * count);
  const types = stack.head(count);
  const result = types.reduceRight((rest, t) => type("pair", t, rest));
  const cost = combCost(count);
  return does(stack.drop(count).under(result), (m, s) => {
    m.gas.spend(cost);
    m.gas.reserveCells(count);
    const items = s.splice(s.length - count, count);
    s.push(items.reduce((rest, item) => pair(item, rest)));
  });
};

const unpair: Instruction = (node, stack, scope) => {
  const args = node.args ?? [];
  if (args.length > 1) throw badArguments(node, 0, scope);
  const [written] = args;
  if (written === undefined) {
    const { top } = stack;
    if (top?.prim !== "pair") throw badStack(node, stack, scope);
    return does(stack.drop(1).under(top.args[0], top.args[1]), (m, s) => {
      m.gas.spend(FIXED.step);
      const { left, right } = s.pop() as PairValue;
      s.push(right, left);
    });
  }
  if (!stack.top) throw badStack(node, stack, scope);
  const count = smallNatural(written, scope);
  if (count < 2)
    throw new MichelsonError(permanent("michelson_v1.bad_unpair_argument", { loc: scope.location(node) }));
  const parts: Type[] = [];
  let rest: Type | undefined = stack.top;
  for (let i = 1; i < count; i++) {
    if (rest?.prim !== "pair") throw badStack(node, stack, scope);
    parts.push(rest.args[0]);
    rest = rest.args[1];
  }
  const cost = uncombCost(count);
  return does(stack.drop(1).under(rest).underAll(parts), (m, s) => {
    m.gas.spend(cost);
    let value = s.pop();
    const items: Value[] = [];
    for (let i = 1; i < count; i++) {
      items.push((value as PairValue).left);
      value = (value as PairValue).right;
    }
    s.push(value);
    for (const item of items.reverse()) s.push(item);
  });
};

const part =
  (side: "left" | "right"): Instruction =>
  (node, stack, scope) => {
    argumentsOf(node, 0, scope);
    const { top } = stack;
    if (top?.prim !== "pair") throw badStack(node, stack, scope);
    return does(stack.drop(1).under(top.args[side === "left" ? 0 : 1]), (m, s) => {
      m.gas.spend(FIXED.step);
      s.push((s.pop() as PairValue)[side]);
    });
  };

/** Type at position `n` of a right comb: even positions are the rest, odd ones an element. */
function combType(t: Type, n: number): Type | undefined {
  let current: Type | undefined = t;
  for (let i = n; i >= 2; i -= 2) current = current?.prim === "pair" ? current.args[1] : undefined;
  return n % 2 === 0 ? current : current?.prim === "pair" ? current.args[0] : undefined;
}

/** GET n on pairs. GET without argument reads maps and lives with them. */
export const getFromComb: PlainInstruction = (node, stack, scope) => {
  const [argument] = argumentsOf(node, 1, scope);
  if (!stack.top) throw badStack(node, stack, scope, 2);
  const n = smallNatural(argument, scope, 11);
  const found = combType(stack.top, n);
  if (!found) throw badStack(node, stack, scope);
  const cost = combGetCost(n);
  return does(stack.drop(1).under(found), (m, s) => {
    m.gas.spend(cost);
    let value = s.pop();
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
  const count = n >> 1;
  const kept = new Array<Value>(count);
  let rest = value;
  for (let i = 0; i < count; i++) {
    kept[i] = (rest as PairValue).left;
    rest = (rest as PairValue).right;
  }
  let made = n % 2 === 0 ? by : pair(by, (rest as PairValue).right);
  for (let i = count - 1; i >= 0; i--) made = pair(kept[i]!, made);
  return made;
}

/** UPDATE n on pairs. */
export const updateComb: PlainInstruction = (node, stack, scope) => {
  const [argument] = argumentsOf(node, 1, scope);
  const [by, target] = stack.head(2);
  if (!by || !target) throw badStack(node, stack, scope, 3);
  const n = smallNatural(argument, scope, 11);
  if (!combType(target, n)) throw badStack(node, stack, scope, 2);
  scope.gas.takeChecked(TYPE_CELLS * (n >> 1));
  const cost = combSetCost(n);
  return does(stack.drop(2).under(replaceType(target, n, by)), (m, s) => {
    m.gas.spend(cost);
    m.gas.reserveCells(n >> 1);
    const value = s.pop();
    s.push(replaceValue(s.pop(), n, value));
  });
};

export const COMB_INSTRUCTIONS: Instructions = {
  PAIR: pairUp,
  UNPAIR: unpair,
  CAR: part("left"),
  CDR: part("right"),
};
