// Estimates the memory of plain data.
import { integerWeight, LIST_BYTES, SLOT_BYTES, TEXT_BYTES } from "../../parts/heap-weight.ts";

/** Bytes of an object, beside its fields: rows have more of them than the values of layer 1. */
const OBJECT_BYTES = 56;

/** Texts up to this length share memory with equal ones: names of primitives, small numbers. */
const SHARED = 10;

export const textWeight = (text: string): number => (text.length <= SHARED ? 0 : TEXT_BYTES + text.length);

/**
 * Estimated bytes of plain data of any depth, without recursion.
 * @param ownWeight weight of an object that knows its own
 */
export function treeWeight(
  value: unknown,
  ownWeight: (object: object) => number | undefined = () => undefined,
): number {
  let bytes = 0;
  const pending: unknown[] = [value];
  while (pending.length > 0) {
    const next = pending.pop();
    if (typeof next === "string") bytes += textWeight(next);
    else if (typeof next === "bigint") bytes += integerWeight(next);
    else if (Array.isArray(next)) {
      bytes += LIST_BYTES + SLOT_BYTES * next.length;
      for (const item of next) if (typeof item !== "number") pending.push(item);
    } else if (typeof next === "object" && next !== null) {
      const own = ownWeight(next);
      bytes += own ?? OBJECT_BYTES;
      if (own !== undefined) continue;
      for (const item of Object.values(next)) {
        bytes += SLOT_BYTES;
        if (typeof item !== "number") pending.push(item);
      }
    }
  }
  return bytes;
}
