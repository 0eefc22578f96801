// Takes the changes of big maps out of a value, so that it refers to each of them by id alone. A big map of a storage that
// is replaced keeps its id; any other gets a new one, as a copy of the one it is based on if there is one.
// Source: Octez, `extract_lazy_storage_diff` in `script_ir_translator.ml`.
import { countNodes } from "../../tezos/micheline.ts";
import type { Job } from "../job.ts";
import type { BigMapDiff, BigMapOrigin, BigMapUpdate } from "../michelson/big-map-diff.ts";
import { CHECK_INSTRUCTION, stripCost, writeTypeCost } from "../michelson/check-costs.ts";
import { type Type, holdsBigMap, plainType, typeSize } from "../michelson/type.ts";
import { unparseValue, unparseWithRests } from "../michelson/unparse-value.ts";
import { type BigMapValue, type Value, bigMapChanges } from "../michelson/value.ts";
import { type Execution, countBytesInReceipt, countInReceipt } from "./execution.ts";
import { idsIn, mapBigMaps, payForWalk } from "./lazy-storage.ts";

export interface Extracted {
  /** The value; its big maps have ids and no changes. */
  readonly value: Value;
  /** In the order in which they are to be applied. */
  readonly diffs: readonly BigMapDiff[];
}

/** What the value is for: the storage of a contract in place of another, or of a new one, or an emitted operation. */
export type Purpose = { readonly for: "storage"; readonly replaces?: Value } | { readonly for: "operation" };

/** Extracts the changes. The state stays as it is, but for the ids that are given away. */
export function* extractBigMaps(
  execution: Execution,
  type: Type,
  value: Value,
  purpose: Purpose,
): Job<Extracted> {
  yield* payForWalk(type, value, execution.gas);
  if (!holdsBigMap(type)) return { value, diffs: [] };
  const replaced = purpose.for === "storage" ? purpose.replaces : undefined;
  const owned = new Set(replaced === undefined ? [] : idsIn(type, replaced));
  const found: Found[] = [];
  const extracted = yield* mapBigMaps(type, value, execution.gas, ({ args: [keyType, valueType] }, map) => {
    const isKept = map.id !== undefined && owned.delete(map.id);
    const id = isKept ? map.id : freshId(execution, purpose);
    found.push({ id, map, keyType, valueType, isKept });
    countBytesInReceipt(execution, DIFF_BYTES);
    return { id, changes: undefined };
  });
  const diffs: BigMapDiff[] = [];
  for (const one of found) diffs.push(yield* diffOf(execution, one));
  // The last found comes first: of a big map that is held in several places the first keeps the id, and the copies for
  // the others are made before it changes.
  const removed = [...owned].sort((a, b) => (a < b ? 1 : -1));
  return { value: extracted, diffs: [...removed.map(remove), ...diffs.reverse()] };
}

/** Bytes, about, of a diff in a receipt without its updates. */
const DIFF_BYTES = 100;

interface Found {
  readonly id: bigint;
  readonly map: BigMapValue;
  readonly keyType: Type;
  readonly valueType: Type;
  readonly isKept: boolean;
}

const remove = (id: bigint): BigMapDiff => ({ id, action: "remove" });

function freshId({ context, counters }: Execution, purpose: Purpose): bigint {
  if (purpose.for === "operation") return BigInt(-++counters.temporaryBigMaps);
  const id = context.nextBigMapId();
  context.setNextBigMapId(id + 1n);
  return id;
}

function* diffOf(execution: Execution, found: Found): Job<BigMapDiff> {
  const origin = originOf(execution, found);
  return { id: found.id, ...origin, updates: yield* updatesOf(execution, found) };
}

function originOf({ gas }: Execution, { map, isKept, keyType, valueType }: Found): BigMapOrigin {
  if (isKept) return { action: "update" };
  if (map.id !== undefined) return { action: "copy", source: map.id };
  gas.spend(stripCost(countNodes(plainType(keyType))));
  gas.spend(writeTypeCost(typeSize(valueType)) + stripCost(countNodes(plainType(valueType))));
  return { action: "alloc", keyType, valueType };
}

function* updatesOf(execution: Execution, { map, keyType, valueType }: Found): Job<BigMapUpdate[]> {
  const { gas } = execution;
  const updates: BigMapUpdate[] = [];
  for (const [hash, { key, value }] of bigMapChanges(map)) {
    gas.spend(CHECK_INSTRUCTION);
    const writtenKey = unparseValue(keyType, key, "optimized", gas);
    const written =
      value === undefined ? undefined : yield* unparseWithRests(valueType, value, "optimized", gas);
    countInReceipt(execution, [writtenKey, ...(written ? [written] : [])]);
    updates.push({ hash, key, value, writtenKey, written });
    yield;
  }
  return updates;
}
