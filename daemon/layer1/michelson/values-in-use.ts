// The room that values in use take. A run is charged for whatever it builds, also what it has thrown away since; a long
// one may have the room of that back, once it is known how much is still in use.
import type { Job } from "../job.ts";
import { bytesOf } from "./costs.ts";
import { CELL_BYTES } from "./gas.ts";

/** What a point of a curve counts as. */
const POINT_BYTES = 500;
/** Things that are looked at before others have their turn. */
const IN_ONE_GO = 5_000;
/** Fields of lambdas and operations that belong to a script. */
const OF_SCRIPTS = new Set(["code", "body", "rewrite", "types", "type", "script"]);

/**
 * Counts what can be reached, each thing once. Nothing of it may change meanwhile.
 * @param roots values, and lists of values
 * @param most bytes from which on the number is of no use
 * @returns undefined when there is more
 */
export function* bytesInUse(roots: Iterable<unknown>, most: number): Job<number | undefined> {
  const seen = new Set<object>();
  const pending: unknown[] = [...roots];
  let bytes = 0;
  let looks = 0;
  while (pending.length > 0) {
    const value = pending.pop();
    if (++looks % IN_ONE_GO === 0) yield;
    if (typeof value === "string") bytes += value.length;
    else if (typeof value === "bigint") bytes += bytesOf(value);
    else if (typeof value === "object" && value !== null && !seen.has(value)) {
      seen.add(value);
      bytes += CELL_BYTES;
      if ("point" in value) bytes += POINT_BYTES;
      else if (Array.isArray(value)) for (const item of value) pending.push(item);
      else
        for (const name in value)
          if (!OF_SCRIPTS.has(name)) pending.push((value as Readonly<Record<string, unknown>>)[name]);
    }
    if (bytes > most) return undefined;
  }
  return bytes;
}
