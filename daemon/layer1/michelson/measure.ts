// Nodes that the protocol counts in values, stacks and lambdas when it measures a script's memory, which is charged per
// node. Source: Octez, `script_typed_ir_size.ml`.
import { type Micheline, isPrim, isSequence } from "../../tezos/micheline.ts";
import { inOrder } from "./ordered-tree.ts";
import { type Type, typeSize } from "./type.ts";
import {
  type BigMapValue,
  type LambdaValue,
  type ListValue,
  type MapValue,
  type OptionValue,
  type OrValue,
  type PairValue,
  type SetValue,
  type TicketValue,
  type Value,
  bigMapChanges,
} from "./value.ts";

/** A stack of these types. */
export const stackNodes = (types: readonly Type[]): number =>
  types.reduce((sum, t) => sum + 1 + typeSize(t), 1);

/** An expression; each annotation counts. */
export function expressionNodes(root: Micheline): number {
  const pending: Micheline[] = [root];
  let nodes = 0;
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    nodes++;
    const children = isSequence(node) ? node : isPrim(node) ? node.args : undefined;
    if (isPrim(node)) nodes += node.annots?.length ?? 0;
    if (children) for (const child of children) pending.push(child);
  }
  return nodes;
}

/** By lambda that APPLY made. */
const cache = new WeakMap<LambdaValue, number>();

/** The checked code of a lambda, without its expression. */
export function lambdaNodes(lambda: LambdaValue): number {
  if (lambda.nodes !== undefined) return lambda.nodes;
  const counted = cache.get(lambda);
  if (counted !== undefined) return counted;
  const { to, value, types } = lambda.applied!;
  const push = 1 + typeSize(types.captured) + valueNodes(types.captured, value, false);
  const ends = stackNodes([types.rest]) + stackNodes([types.result]);
  const inner = lambdaNodes(to);
  // A recursive lambda is pushed and called (LAMBDA_REC, SWAP, EXEC, end); any other is entered directly.
  const nodes = to.recursive
    ? ends + push + 1 + (1 + inner) + 3
    : ends + push + 1 + inner - stackNodes([types.argument]) - stackNodes([types.result]);
  cache.set(lambda, nodes);
  return nodes;
}

/** @param withCode whether the expressions of lambdas count too */
export function valueNodes(t: Type, value: Value, withCode: boolean): number {
  const of = (type: Type, inner: Value): number => valueNodes(type, inner, withCode);
  switch (t.prim) {
    case "pair": {
      // Iterates along the comb, for combs are long.
      let nodes = 0;
      let [type, rest]: [Type, Value] = [t, value];
      while (type.prim === "pair") {
        nodes += 1 + of(type.args[0], (rest as PairValue).left);
        [type, rest] = [type.args[1], (rest as PairValue).right];
      }
      return nodes + of(type, rest);
    }
    case "option": {
      const inner = (value as OptionValue).some;
      return 1 + (inner === undefined ? 0 : of(t.args[0], inner));
    }
    case "or": {
      const { isLeft, value: inner } = value as OrValue;
      return 1 + of(isLeft ? t.args[0] : t.args[1], inner);
    }
    case "list": {
      let nodes = 1;
      for (let cell: ListValue | undefined = value as ListValue; cell && cell.size > 0; cell = cell.tail)
        nodes += of(t.args[0], cell.head!);
      return nodes;
    }
    case "set": {
      let nodes = 1;
      for (const { key } of inOrder((value as SetValue).items)) nodes += of(t.args[0], key);
      return nodes;
    }
    case "map": {
      let nodes = 1;
      for (const entry of inOrder((value as MapValue).entries))
        nodes += of(t.args[0], entry.key) + of(t.args[1], entry.value);
      return nodes;
    }
    case "big_map": {
      let nodes = 1 + typeSize(t.args[0]) + typeSize(t.args[1]);
      for (const [, change] of bigMapChanges(value as BigMapValue))
        nodes +=
          1 + of(t.args[0], change.key) + (change.value === undefined ? 0 : 1 + of(t.args[1], change.value));
      return nodes;
    }
    case "ticket":
      return 1 + of(t.args[0], (value as TicketValue).contents);
    case "contract":
      return 1 + (t.args[0].prim === "unit" ? 0 : typeSize(t.args[0]));
    case "lambda":
      return (
        1 + lambdaNodes(value as LambdaValue) + (withCode ? expressionNodes((value as LambdaValue).code) : 0)
      );
    default:
      return 1;
  }
}
