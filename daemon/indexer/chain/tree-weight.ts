// Estimates the memory of plain data: values of JSON are trees of small objects, many times larger than their text.

/** Bytes measured in V8: an object with some fields, a list, a text, a large integer, and each further element. */
const OBJECT = 56;
const LIST = 32;
const SLOT = 8;
const TEXT = 24;
const INTEGER = 24;

/** Texts up to this length share memory with equal ones: names of primitives, small numbers. */
const SHARED = 10;

/** Integers between these take one word. */
const WORD = 1n << 63n;

/** Estimated bytes of an integer: one of a script may have thousands. */
export const integerWeight = (value: bigint): number =>
  value < WORD && value > -WORD ? INTEGER : INTEGER + Math.ceil(value.toString(16).length / 2);

export const textWeight = (text: string): number => (text.length <= SHARED ? 0 : TEXT + text.length);

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
      bytes += LIST + SLOT * next.length;
      for (const item of next) if (typeof item !== "number") pending.push(item);
    } else if (typeof next === "object" && next !== null) {
      const own = ownWeight(next);
      bytes += own ?? OBJECT;
      if (own !== undefined) continue;
      for (const item of Object.values(next)) {
        bytes += SLOT;
        if (typeof item !== "number") pending.push(item);
      }
    }
  }
  return bytes;
}
