// Control flow: branches, loops, lambdas, failure.
import { FIXED, dipCost, listElementsCost } from "../costs.ts";
import type { Micheline } from "../../../tezos/micheline.ts";
import { MichelsonError, ScriptRejected, permanent } from "../michelson-error.ts";
import {
  type Checked,
  type Code,
  type Instruction,
  type Instructions,
  type Scope,
  type Stack,
  type Step,
  argumentsOf,
  badStack,
  does,
  smallNatural,
} from "../instruction.ts";
import { applyLambda, callLambda } from "../lambda.ts";
import { type OrderedTree, fromSorted, inOrder, sizeOf } from "../ordered-tree.ts";
import type { StackType } from "../stack-type.ts";
import { type Type, isPackable, isPushable, parseType, sameType, type, unparseType } from "../type.ts";
import {
  type LambdaValue,
  type ListValue,
  type MapValue,
  type OptionValue,
  type OrValue,
  type SetValue,
  type Value,
  cons,
  NIL,
  pair,
  some,
} from "../value.ts";
import { unparseValue } from "../unparse-value.ts";

/** Both branches must leave the same stack, unless one of them fails. */
function join(node: Micheline, a: Checked, b: Checked, scope: Scope): StackType | undefined {
  if (!a.after) return b.after;
  if (b.after && !a.after.equals(b.after)) {
    throw new MichelsonError(
      permanent("michelson_v1.unmatched_branches", {
        location: scope.location(node),
        first_stack_type: a.after.head(8).map(unparseType),
        other_stack_type: b.after.head(8).map(unparseType),
      }),
    );
  }
  return a.after;
}

/** Body of a loop: must come back to the given stack (or fail). */
function body(node: Micheline, code: Micheline, before: StackType, expected: StackType, scope: Scope): Code {
  const checked = scope.check(code, before, scope);
  if (checked.after && !checked.after.equals(expected)) {
    throw new MichelsonError(
      permanent("michelson_v1.inconsistent_stack_lengths", {
        location: scope.location(node),
        found: checked.after.head(8).map(unparseType),
        expected: expected.head(8).map(unparseType),
      }),
    );
  }
  return checked.code;
}

const ifBool: Instruction = (node, stack, scope) => {
  const [yes, no] = argumentsOf(node, 2, scope);
  if (stack.top?.prim !== "bool") throw badStack(node, stack, scope);
  const rest = stack.drop(1);
  const then = scope.check(yes!, rest, scope);
  const otherwise = scope.check(no!, rest, scope);
  return does(join(node, then, otherwise, scope), (m, s) => {
    m.gas.spend(FIXED.branch);
    m.enter(s.pop() === true ? then.code : otherwise.code);
  });
};

const ifNone: Instruction = (node, stack, scope) => {
  const [none, present] = argumentsOf(node, 2, scope);
  const { top } = stack;
  if (top?.prim !== "option") throw badStack(node, stack, scope);
  const rest = stack.drop(1);
  const empty = scope.check(none!, rest, scope);
  const full = scope.check(present!, rest.under(top.args[0]!), scope);
  return does(join(node, empty, full, scope), (m, s) => {
    m.gas.spend(FIXED.branch);
    const inner = (s.pop() as OptionValue).some;
    if (inner !== undefined) s.push(inner);
    m.enter(inner === undefined ? empty.code : full.code);
  });
};

const ifLeft: Instruction = (node, stack, scope) => {
  const [whenLeft, whenRight] = argumentsOf(node, 2, scope);
  const { top } = stack;
  if (top?.prim !== "or") throw badStack(node, stack, scope);
  const rest = stack.drop(1);
  const left = scope.check(whenLeft!, rest.under(top.args[0]!), scope);
  const right = scope.check(whenRight!, rest.under(top.args[1]!), scope);
  return does(join(node, left, right, scope), (m, s) => {
    m.gas.spend(FIXED.branch);
    const { isLeft, value } = s.pop() as OrValue;
    s.push(value);
    m.enter((isLeft ? left : right).code);
  });
};

const ifCons: Instruction = (node, stack, scope) => {
  const [whenFull, whenEmpty] = argumentsOf(node, 2, scope);
  const { top } = stack;
  if (top?.prim !== "list") throw badStack(node, stack, scope);
  const rest = stack.drop(1);
  const full = scope.check(whenFull!, rest.under(top.args[0]!, top), scope);
  const empty = scope.check(whenEmpty!, rest, scope);
  return does(join(node, full, empty, scope), (m, s) => {
    m.gas.spend(FIXED.branch);
    const list = s.pop() as ListValue;
    if (list.size > 0) s.push(list.tail!, list.head!);
    m.enter(list.size > 0 ? full.code : empty.code);
  });
};

const dip: Instruction = (node, stack, scope) => {
  const args = node.args ?? [];
  const depth = args.length === 2 ? smallNatural(node, args[0], 1, scope) : 1;
  const code = args[args.length === 2 ? 1 : 0];
  if (!code || args.length > 2) throw badStack(node, stack, scope);
  if (stack.size < depth) throw badStack(node, stack, scope);
  const inner = scope.check(code, stack.drop(depth), scope);
  if (!inner.after)
    throw new MichelsonError(
      permanent("michelson_v1.fail_not_in_tail_position", { location: scope.location(node) }),
    );
  const after = inner.after.underAll(stack.head(depth));
  if (depth === 1) {
    return does(after, (m, s) => {
      m.gas.spend(FIXED.dip);
      const top = s.pop()!;
      m.enterThen(inner.code, (_, below) => void below.push(top));
    });
  }
  return does(after, (m, s) => {
    m.gas.spend(dipCost(depth));
    const kept = s.splice(s.length - depth, depth);
    m.enterThen(inner.code, (_, below) => {
      for (const value of kept) below.push(value);
    });
  });
};

const loop: Instruction = (node, stack, scope) => {
  const [code] = argumentsOf(node, 1, scope);
  if (stack.top?.prim !== "bool") throw badStack(node, stack, scope);
  const rest = stack.drop(1);
  const inner = body(node, code!, rest, stack, scope);
  const again: Step = (m, s) => {
    m.gas.spend(FIXED.loop);
    if (s.pop() !== true) return;
    m.enter(round);
    m.enter(inner);
  };
  const round = [again];
  return does(rest, again);
};

const loopLeft: Instruction = (node, stack, scope) => {
  const [code] = argumentsOf(node, 1, scope);
  const { top } = stack;
  if (top?.prim !== "or") throw badStack(node, stack, scope);
  const rest = stack.drop(1);
  const inner = body(node, code!, rest.under(top.args[0]!), stack, scope);
  const again: Step = (m, s) => {
    m.gas.spend(FIXED.loop);
    const { isLeft, value } = s.pop() as OrValue;
    s.push(value);
    if (!isLeft) return;
    m.enter(round);
    m.enter(inner);
  };
  const round = [again];
  return does(rest.under(top.args[1]!), again);
};

/** Elements of a list, set or map as ITER and MAP hand them out, one after the other. */
interface Elements {
  readonly element: Type;
  /** Gas for making ready to hand them out. */
  readonly cost: (value: Value) => number;
  readonly read: (value: Value) => Iterator<Value>;
}

function* listElements(list: ListValue): Generator<Value, void> {
  for (let cell: ListValue | undefined = list; cell && cell.size > 0; cell = cell.tail) yield cell.head!;
}

function* treeElements<V>(
  tree: OrderedTree<Value, V>,
  element: (key: Value, value: V) => Value,
): Generator<Value, void> {
  for (const { key, value } of inOrder(tree)) yield element(key, value);
}

function elementsOf(t: Type): Elements | undefined {
  switch (t.prim) {
    case "list":
      return {
        element: t.args[0]!,
        cost: () => FIXED.wrap,
        read: (value) => listElements(value as ListValue),
      };
    case "set":
      return {
        element: t.args[0]!,
        cost: (value) => listElementsCost(sizeOf((value as SetValue).items)),
        read: (value) => treeElements((value as SetValue).items, (key) => key),
      };
    case "map":
      return {
        element: type("pair", t.args[0]!, t.args[1]!),
        cost: (value) => listElementsCost(sizeOf((value as MapValue).entries)),
        read: (value) => treeElements((value as MapValue).entries, pair),
      };
    default:
      return undefined;
  }
}

const iter: Instruction = (node, stack, scope) => {
  const [code] = argumentsOf(node, 1, scope);
  const { top } = stack;
  const elements = top && elementsOf(top);
  if (!elements) throw badStack(node, stack, scope);
  const rest = stack.drop(1);
  const inner = body(node, code!, rest.under(elements.element), rest, scope);
  return does(rest, (m, s) => {
    const collection = s.pop()!;
    m.gas.spend(elements.cost(collection));
    const items = elements.read(collection);
    const again: Step = (_, below) => {
      m.gas.spend(FIXED.iterate);
      const next = items.next();
      if (next.done) return;
      below.push(next.value);
      m.enter(round);
      m.enter(inner);
    };
    const round = [again];
    again(m, s);
  });
};

const map: Instruction = (node, stack, scope) => {
  const [code] = argumentsOf(node, 1, scope);
  const { top } = stack;
  if (!top || (top.prim !== "list" && top.prim !== "map" && top.prim !== "option"))
    throw badStack(node, stack, scope);
  const element = top.prim === "option" ? top.args[0]! : elementsOf(top)!.element;
  const rest = stack.drop(1);
  const checked = scope.check(code!, rest.under(element), scope);
  const result = checked.after?.top;
  if (!checked.after || !result || !checked.after.drop(1).equals(rest)) throw badStack(node, stack, scope);
  if (top.prim === "option") return mapOption(checked.code, rest.under(type("option", result)));
  const after = top.prim === "list" ? type("list", result) : type("map", top.args[0]!, result);
  return mapAll(top, elementsOf(top)!, checked.code, rest.under(after));
};

function mapOption(inner: Code, after: StackType): Checked {
  return does(after, (m, s) => {
    m.gas.spend(FIXED.mapElement);
    const option = s.pop() as OptionValue;
    if (option.some === undefined) {
      s.push(option);
      return;
    }
    s.push(option.some);
    m.enterThen(inner, (_, below) => void below.push(some(below.pop()!)));
  });
}

function mapAll(from: Type, elements: Elements, inner: Code, after: StackType): Checked {
  return does(after, (m, s) => {
    const collection = s.pop()!;
    m.gas.spend(elements.cost(collection));
    const items = elements.read(collection);
    let results = NIL;
    const again: Step = (_, below) => {
      m.gas.spend(FIXED.mapElement);
      const next = items.next();
      if (next.done) {
        below.push(from.prim === "list" ? reversed(results) : withValues(collection as MapValue, results));
        return;
      }
      below.push(next.value);
      m.enter(round);
      m.enterThen(inner, (_machine, stack) => {
        m.gas.takeCells(2);
        results = cons(stack.pop()!, results);
      });
    };
    const round = [again];
    again(m, s);
  });
}

function reversed(list: ListValue): ListValue {
  let turned = NIL;
  for (let cell: ListValue | undefined = list; cell && cell.size > 0; cell = cell.tail)
    turned = cons(cell.head!, turned);
  return turned;
}

/** @param values those of the map's keys, last first */
function withValues(map: MapValue, values: ListValue): MapValue {
  const ordered = listElements(reversed(values));
  return {
    entries: fromSorted(
      [...inOrder(map.entries)].map(({ key }) => [key, ordered.next().value as Value] as const),
    ),
  };
}

const lambda =
  (recursive: boolean): Instruction =>
  (node, stack, scope) => {
    const [from, to, code] = argumentsOf(node, 3, scope);
    const [argument, result] = [parseType(from!), parseType(to!)];
    const value = scope.lambda(argument, result, code!, recursive);
    return does(stack.under(type("lambda", argument, result)), (m, s) => {
      m.gas.spend(FIXED.push);
      s.push(value);
    });
  };

const exec: Instruction = (node, stack, scope) => {
  const [argument, target] = stack.head(2);
  if (!argument || target?.prim !== "lambda" || !sameType(argument, target.args[0]!))
    throw badStack(node, stack, scope);
  return does(stack.drop(2).under(target.args[1]!), (m, s) => {
    m.gas.spend(FIXED.exec);
    const value = s.pop()!;
    callLambda(m, s.pop() as LambdaValue, value, s);
  });
};

const apply: Instruction = (node, stack, scope) => {
  const [captured, target] = stack.head(2);
  if (!captured || target?.prim !== "lambda") throw badStack(node, stack, scope);
  const [argument, result] = target.args as [Type, Type];
  if (argument.prim !== "pair" || !sameType(argument.args[0]!, captured) || !isPushable(captured))
    throw badStack(node, stack, scope);
  const remaining = argument.args[1]!;
  const types = { captured, argument, result };
  return does(stack.drop(2).under(type("lambda", remaining, result)), (m, s) => {
    m.gas.spend(FIXED.apply);
    m.gas.takeCells(8);
    const value = s.pop()!;
    const written = unparseValue(captured, value, "optimized", m.gas);
    s.push(applyLambda(s.pop() as LambdaValue, types, value, written));
  });
};

const failwith: Instruction = (node, stack, scope) => {
  const { top } = stack;
  if (!top || !isPackable(top)) throw badStack(node, stack, scope);
  const location = scope.location(node);
  return does(undefined, (m, s: Stack) => {
    const value = unparseValue(top, s[s.length - 1]!, "optimized", m.gas);
    m.frame.world.takeReceipt(value);
    throw new ScriptRejected(location, value);
  });
};

const never: Instruction = (node, stack, scope) => {
  if (stack.top?.prim !== "never") throw badStack(node, stack, scope);
  return { code: [], after: undefined };
};

export const CONTROL_INSTRUCTIONS: Instructions = {
  IF: ifBool,
  IF_NONE: ifNone,
  IF_LEFT: ifLeft,
  IF_CONS: ifCons,
  DIP: dip,
  LOOP: loop,
  LOOP_LEFT: loopLeft,
  ITER: iter,
  MAP: map,
  LAMBDA: lambda(false),
  LAMBDA_REC: lambda(true),
  EXEC: exec,
  APPLY: apply,
  FAILWITH: failwith,
  NEVER: never,
};
