// Memory of values in use. A run is charged for every value it builds, garbage included; a long run may reclaim the memory
// of garbage once it is known how much is still in use.
import { bytesOf } from "../../tezos/number-length.ts";
import type { Job } from "../job.ts";
import { CELL_BYTES } from "./gas.ts";

/** Size of a curve point. */
const POINT_BYTES = 500;
/** Values visited before others get a turn. */
const IN_ONE_GO = 5_000;
/** Fields of lambdas and operations that hold data of the script. */
const OF_SCRIPTS = new Set(["code", "body", "rewrite", "types", "type", "script"]);

/**
 * Counts the bytes of reachable values, each once. They must not change meanwhile.
 * @param roots values, and lists of values
 * @param most bytes above which the exact number does not matter
 * @returns undefined when there are more
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
