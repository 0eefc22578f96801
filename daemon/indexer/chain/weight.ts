// Estimates the memory of rows: Michelson values are trees of small objects, many times larger than their text.
import { isPrim, isSequence, type Micheline } from "../../tezos/micheline.ts";
import { ShownValue } from "./shown-value.ts";

/** Bytes measured in V8: an object with some fields, a list, a text, and each further element. */
const OBJECT = 56;
const LIST = 32;
const SLOT = 8;
const TEXT = 24;

/** Texts up to this length share memory with equal ones: names of primitives, small numbers. */
const SHARED = 10;

/** Estimated bytes of plain data of any depth, without recursion. */
export function weightOf(value: unknown): number {
  let bytes = 0;
  const pending: unknown[] = [value];
  while (pending.length > 0) {
    const next = pending.pop();
    if (typeof next === "string") bytes += next.length <= SHARED ? 0 : TEXT + next.length;
    else if (typeof next === "bigint") bytes += TEXT;
    else if (next instanceof ShownValue) {
      bytes += OBJECT;
      pending.push(next.node);
    } else if (Array.isArray(next)) {
      bytes += LIST + SLOT * next.length;
      for (const item of next) if (typeof item !== "number") pending.push(item);
    } else if (typeof next === "object" && next !== null) {
      bytes += OBJECT;
      for (const item of Object.values(next)) {
        bytes += SLOT;
        if (typeof item !== "number") pending.push(item);
      }
    }
  }
  return bytes;
}

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
