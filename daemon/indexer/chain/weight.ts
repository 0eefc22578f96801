// Estimates the memory of rows.
import { isPrim, isSequence, type Micheline } from "../../tezos/micheline.ts";
import { PackedNode } from "./packed-node.ts";
import { ShownValue } from "./shown-value.ts";
import { treeWeight } from "./tree-weight.ts";

/** Estimated bytes of a row, or of any part of one, of any depth. */
export const weightOf = (value: unknown): number =>
  treeWeight(value, (object) =>
    object instanceof ShownValue || object instanceof PackedNode ? object.weight : undefined,
  );

/** Counts Micheline nodes, without recursion. */
export function nodesOf(node: Micheline): number {
  let nodes = 0;
  const pending: Micheline[] = [node];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    nodes++;
    const children = isSequence(next) ? next : isPrim(next) ? (next.args ?? []) : [];
    for (const child of children) pending.push(child);
  }
  return nodes;
}
