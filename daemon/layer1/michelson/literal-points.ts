// Curve points in code. Code is checked in one go, and each point takes the time of thousands of instructions: so a job that
// can pause parses them first, and the check finds them parsed.
import { type Micheline, isPrim, isSequence } from "../../tezos/micheline.ts";
import type { Job } from "../job.ts";
import { type Group, groupOf, readPoint } from "./bls.ts";
import { READ_COSTS } from "./check-costs.ts";
import type { GasMeter } from "./gas.ts";
import type { PointValue } from "./value.ts";

/** By node. */
const points = new WeakMap<object, PointValue>();
/** Code whose points have all been parsed. */
const done = new WeakSet<object>();

const POINTS_IN_ONE_GO = 4;
const NODES_IN_ONE_GO = 10_000;

/** The point at a node of data, if it has been parsed. */
export const knownPoint = (group: Group, node: { readonly bytes: string }): PointValue | undefined =>
  groupOf(node.bytes) === group ? points.get(node) : undefined;

/** Parses the points of code, as many as the gas can pay for; the check itself charges for them and reports errors. */
export function* readLiteralPoints(code: Micheline, gas: GasMeter): Job<void> {
  if (done.has(code)) return;
  let left = gas.left;
  let nodes = 0;
  let read = 0;
  const pending: { readonly node: Micheline; readonly isDatum: boolean }[] = [{ node: code, isDatum: false }];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { node, isDatum } = next;
    if (++nodes % NODES_IN_ONE_GO === 0) yield;
    if (isSequence(node)) {
      for (const item of node) pending.push({ node: item, isDatum });
    } else if (isPrim(node)) {
      const [type, datum] = node.args ?? [];
      const isPush = node.prim === "PUSH" && datum !== undefined && mentionsPoints(type!);
      for (const arg of node.args ?? [])
        pending.push({ node: arg, isDatum: isDatum || (isPush && arg === datum) });
    } else if (isDatum && "bytes" in node && !points.has(node)) {
      const group = groupOf(node.bytes);
      if (!group) continue;
      left -= READ_COSTS[group];
      if (left < 0) return;
      const point = readPoint(group, node.bytes);
      if (point) points.set(node, point);
      if (++read % POINTS_IN_ONE_GO === 0) yield;
    }
  }
  done.add(code);
}

function mentionsPoints(type: Micheline): boolean {
  const pending: Micheline[] = [type];
  for (let node = pending.pop(); node; node = pending.pop()) {
    if (!isPrim(node)) continue;
    if (node.prim === "bls12_381_g1" || node.prim === "bls12_381_g2") return true;
    for (const arg of node.args ?? []) pending.push(arg);
  }
  return false;
}
