// About how much memory rows take: values of Michelson are trees of small objects, which take many times their text.
import { isPrim, isSequence, type Micheline } from "../../tezos/micheline.ts";
import { ShownValue } from "./shown-value.ts";

/** Measured for V8, in bytes: an object with some fields, a list, a text, and each further element. */
const OBJECT = 56;
const LIST = 32;
const SLOT = 8;
const TEXT = 24;

/** Characters of texts that equal ones share: names of primitives, small numbers. */
const SHARED = 10;

/** Bytes, about, of plain data. Goes as deep as it is, without recursion. */
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

/** Nodes of Micheline, without recursion. */
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
