// Writes the changes of big maps into the state. Copying or dropping a whole big map takes no time and costs no gas,
// however many entries it has. Source: Octez, `lazy_storage_diff.ml`.
import { encodedLength } from "../../tezos/micheline-binary.ts";
import type { Job } from "../job.ts";
import type { BigMapDiff, BigMapUpdate } from "../michelson/big-map-diff.ts";
import { MichelsonError, permanent } from "../michelson/michelson-error.ts";
import { unparseWithRests } from "../michelson/unparse-value.ts";
import { existingBigMap } from "../state/context.ts";
import type { Execution } from "./execution.ts";
import { removeBigMapEntryCost, writeBigMapEntryCost } from "./storage-costs.ts";

/** Bytes charged for a new entry besides its value, and for an empty map. */
const ENTRY_BYTES = 65;
const EMPTY_BYTES = 33;

type Writer = Pick<Execution, "context" | "gas">;

/**
 * Writes the changes, in their order.
 * @returns growth in bytes of the big maps that contracts own
 * @throws MichelsonError context.storage_error for an operation that brings a new big map and is emitted twice
 */
export function* writeBigMaps(writer: Writer, diffs: readonly BigMapDiff[]): Job<number> {
  let bytes = 0;
  for (const diff of diffs) {
    const growth = yield* writeOne(writer, diff);
    if (diff.id >= 0n) bytes += growth;
    yield;
  }
  return bytes;
}

function* writeOne(writer: Writer, diff: BigMapDiff): Job<number> {
  const { context } = writer;
  const { id, action } = diff;
  switch (action) {
    case "remove": {
      const removed = existingBigMap(context, id).bytes;
      context.setBigMap(id, undefined);
      return -(EMPTY_BYTES + removed);
    }
    case "update":
      return yield* writeUpdates(writer, id, diff.updates);
    case "copy": {
      const source = existingBigMap(context, diff.source);
      context.setBigMap(id, source);
      context.copyBigMapEntries(diff.source, id);
      return EMPTY_BYTES + source.bytes + (yield* writeUpdates(writer, id, diff.updates));
    }
    case "alloc": {
      if (context.bigMap(id)) throw exists(id);
      context.setBigMap(id, { key: diff.keyType, value: diff.valueType, bytes: 0 });
      return EMPTY_BYTES + (yield* writeUpdates(writer, id, diff.updates));
    }
  }
}

const exists = (id: bigint): MichelsonError =>
  new MichelsonError(
    permanent("context.storage_error", {
      existing_key: ["big_maps", "index", id.toString(), "total_bytes"],
    }),
  );

function* writeUpdates({ context, gas }: Writer, id: bigint, updates: readonly BigMapUpdate[]): Job<number> {
  const { value: valueType } = existingBigMap(context, id);
  let bytes = 0;
  for (const { hash, key, value, written } of updates) {
    const stored = context.bigMapEntry(id, hash);
    if (stored) {
      const replaced = yield* unparseWithRests(valueType, stored.value, "optimized");
      bytes -= ENTRY_BYTES + encodedLength(replaced);
    }
    const size = written && encodedLength(written);
    gas.spend(size === undefined ? removeBigMapEntryCost : writeBigMapEntryCost(size));
    if (size !== undefined) bytes += ENTRY_BYTES + size;
    context.setBigMapEntry(id, hash, value === undefined ? undefined : { key, value });
    yield;
  }
  if (bytes !== 0) {
    const kept = existingBigMap(context, id);
    context.setBigMap(id, { ...kept, bytes: kept.bytes + bytes });
  }
  return bytes;
}
