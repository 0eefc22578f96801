// Instructions that move values: stack, options, unions, constants.
import type { MichelinePrim } from "../../../tezos/micheline.ts";
import { FIXED, digCost, dropCost, dugCost, dupCost } from "../costs.ts";
import {
  type Instruction,
  type Instructions,
  type Scope,
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
import { TYPE_RULES, type TypeRules } from "../parse-type.ts";
import { readValue } from "../parse-value.ts";
import type { StackType } from "../stack-type.ts";
import { requireDuplicable } from "../type-rules.ts";
import { type Type, UNIT, type, typeSize } from "../type.ts";
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

/** One type per rule. */
type TypesUnder<Rules extends readonly TypeRules[]> = { readonly [I in keyof Rules]: Type };

/** The type arguments of an instruction, each checked against its rule. */
function typeArguments<const Rules extends readonly TypeRules[]>(
  node: MichelinePrim,
  rules: Rules,
  scope: Scope,
): TypesUnder<Rules> {
  const args = node.args ?? [];
  if (args.length !== rules.length) throw badArguments(node, rules.length, scope);
  return args.map((arg, i) => typeIn(arg, rules[i]!, scope)) as TypesUnder<Rules>; // `map` loses the length
}

/** An instruction that pushes a value known at check time. @param rules rules for the types it names */
const pushInstruction =
  <const Rules extends readonly TypeRules[]>(
    rules: Rules,
    make: (args: TypesUnder<Rules>) => readonly [Type, Value],
    cost: number = FIXED.step,
    held: (args: TypesUnder<Rules>) => number = (args) => args.reduce((sum, arg) => sum + typeSize(arg), 0),
  ): Instruction =>
  (node, stack, scope) => {
    const args = typeArguments(node, rules, scope);
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
const prefixNodes = (prefix: StackType): number => prefix.size + prefix.typeNodes;

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
  const count = smallNatural(argument, scope);
  if (stack.size < count) throw badStack(node, stack, scope, count);
  const cost = dropCost(count);
  return does(
    stack.drop(count),
    (m, s) => {
      m.gas.spend(cost);
      s.length -= count;
    },
    prefixNodes(stack.take(count)),
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
  const depth = smallNatural(argumentsOf(node, 1, scope)[0], scope);
  const moved = stack.at(depth);
  if (!moved) throw badStack(node, stack, scope, 3);
  const cost = digCost(depth);
  const above = stack.take(depth);
  return does(
    stack
      .drop(depth + 1)
      .underStack(above)
      .under(moved),
    (m, s) => {
      m.gas.spend(cost);
      s.push(s.splice(s.length - 1 - depth, 1)[0]!);
    },
    prefixNodes(above),
  );
};

const dug: Instruction = (node, stack, scope) => {
  const [argument] = argumentsOf(node, 1, scope);
  const moved = stack.top;
  if (!moved) throw badStack(node, stack, scope);
  const depth = smallNatural(argument, scope);
  if (stack.size <= depth) throw badStack(node, stack.drop(1), scope, depth);
  const above = stack.drop(1).take(depth);
  const after = stack
    .drop(depth + 1)
    .under(moved)
    .underStack(above);
  const cost = dugCost(depth);
  return does(
    after,
    (m, s) => {
      m.gas.spend(cost);
      s.splice(s.length - 1 - depth, 0, s.pop());
    },
    prefixNodes(above),
  );
};

const swap: Instruction = (node, stack, scope) => {
  argumentsOf(node, 0, scope);
  const [a, b] = stack.head(2);
  if (!a || !b) throw badStack(node, stack, scope, 2);
  return does(stack.drop(2).under(b, a), (m, s) => {
    m.gas.spend(FIXED.step);
    const top = s.pop();
    const below = s.pop();
    s.push(top, below);
  });
};

const push: Instruction = function* (node, stack, scope) {
  const [typeNode, valueNode] = argumentsOf(node, 2, scope);
  const pushed = typeIn(typeNode, TYPE_RULES.packable, scope);
  const value = yield* readValue(pushed, valueNode, {
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

/** Wraps the top of the stack into a value of another type. */
const wrapTop = (stack: StackType, wrapped: Type, wrap: (value: Value) => Value, nodes: number) =>
  does(
    stack.drop(1).under(wrapped),
    (m, s) => {
      m.gas.spend(FIXED.step);
      m.gas.reserveCells(1);
      s.push(wrap(s.pop()));
    },
    nodes,
  );

const wrapSome: Instruction = (node, stack, scope) => {
  argumentsOf(node, 0, scope);
  const { top } = stack;
  if (!top) throw badStack(node, stack, scope);
  return wrapTop(stack, type("option", top), some, 0);
};

/** LEFT and RIGHT name the type of the other branch. */
const wrapBranch =
  (isLeft: boolean): Instruction =>
  (node, stack, scope) => {
    const [given] = argumentsOf(node, 1, scope);
    const { top } = stack;
    if (!top) throw badStack(node, stack, scope);
    const other = typeIn(given, TYPE_RULES.any, scope);
    const union = isLeft ? type("or", top, other) : type("or", other, top);
    return wrapTop(stack, union, (value): OrValue => ({ isLeft, value }), typeSize(other));
  };

/** CAST and RENAME have no effect at run time. */
const cast: Instruction = (node, stack, scope) => {
  const [wanted] = argumentsOf(node, 1, scope);
  if (!stack.top) throw badStack(node, stack, scope);
  const target = typeIn(wanted, TYPE_RULES.any, scope);
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
  UNIT: pushInstruction([], () => [UNIT, UNIT_VALUE]),
  NONE: pushInstruction([any], ([t]) => [type("option", t), NONE]),
  NIL: pushInstruction([any], ([t]) => [type("list", t), NIL]),
  EMPTY_SET: pushInstruction(
    [comparable],
    ([t]) => [type("set", t), { items: undefined } satisfies SetValue],
    FIXED.emptyCollection,
  ),
  EMPTY_MAP: pushInstruction(
    [comparable, any],
    ([k, v]) => [type("map", k, v), { entries: undefined } satisfies MapValue],
    FIXED.emptyCollection,
    ([k]) => typeSize(k),
  ),
  EMPTY_BIG_MAP: pushInstruction(
    [comparable, bigMapValue],
    ([k, v]) => [type("big_map", k, v), { id: undefined, changes: undefined } satisfies BigMapValue],
    FIXED.emptyCollection,
  ),
  SOME: wrapSome,
  LEFT: wrapBranch(true),
  RIGHT: wrapBranch(false),
};
