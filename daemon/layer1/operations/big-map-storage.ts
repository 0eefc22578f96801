// Stores the big maps of a storage: new ones get an id, changes are written, dropped ones are removed.
import { encodeMicheline } from "../../tezos/micheline-binary.ts";
import { countNodes } from "../../tezos/micheline.ts";
import type { Job } from "../job.ts";
import { CHECK_INSTRUCTION, stripCost, writeTypeCost } from "../michelson/check-costs.ts";
import { scriptExpr } from "../michelson/pack.ts";
import { type Type, holdsBigMap, plainType, typeSize } from "../michelson/type.ts";
import { unparseValue } from "../michelson/unparse-value.ts";
import { type BigMapValue, type Value, bigMapChanges } from "../michelson/value.ts";
import type { Context } from "../state/context.ts";
import { type Execution, countInReceipt } from "./execution.ts";
import { idsIn, mapBigMaps, walkCost } from "./lazy-storage.ts";
import { removeBigMapEntryCost, writeBigMapEntryCost } from "./storage-costs.ts";

/** Bytes charged for a new entry besides its value, and for an empty map. Source: Octez `lazy_storage_diff.ml`. */
const ENTRY_BYTES = 65;
const EMPTY_BYTES = 33;

export interface KeptStorage {
  readonly storage: Value;
  readonly diff: readonly object[];
  /** Growth of big maps in bytes. */
  readonly bytes: number;
}

/**
 * Keeps a storage value. `before` is the storage it replaces, undefined for a new contract. Copying or dropping a whole
 * big map takes no time and costs no gas, however many entries it has. Source: Octez `lazy_storage_diff.ml`.
 */
export function* keepBigMaps(
  execution: Execution,
  type: Type,
  before: Value | undefined,
  after: Value,
): Job<KeptStorage> {
  execution.gas.spend(walkCost(type, after));
  if (!holdsBigMap(type)) return { storage: after, diff: [], bytes: 0 };
  const owned = new Set(before === undefined ? [] : idsIn(type, before));
  const keeper = new Keeper(execution, owned);
  const storage = keeper.keep(type, after);
  const diff = yield* keeper.finish();
  return { storage, diff, bytes: keeper.bytes };
}

/** One diff of the receipt. */
type Task = () => Job<object>;

class Keeper {
  readonly #execution: Execution;
  readonly #context: Context;
  readonly #left: Set<bigint>;
  /**
   * Pending writes, last found first. A big map held in several places keeps its id in the first of them, and the copies
   * for the others are made before it changes.
   */
  readonly #tasks: Task[] = [];
  bytes = 0;

  constructor(execution: Execution, owned: Set<bigint>) {
    this.#execution = execution;
    this.#context = execution.context;
    this.#left = owned;
  }

  keep(type: Type, value: Value): Value {
    return mapBigMaps(type, value, (t, map) => this.#keepOne(t, map));
  }

  #keepOne(t: Type, map: BigMapValue): BigMapValue {
    const [key, value] = t.args as [Type, Type];
    if (map.id !== undefined && this.#left.delete(map.id)) {
      const { id } = map;
      this.#tasks.unshift(() => this.#update(id, key, value, map));
      return { id, changes: undefined };
    }
    const id = this.#context.nextBigMapId();
    this.#context.setNextBigMapId(id + 1n);
    this.#tasks.unshift(() => this.#make(id, key, value, map));
    return { id, changes: undefined };
  }

  *#update(id: bigint, key: Type, value: Type, map: BigMapValue): Job<object> {
    const updates = yield* this.#write(id, key, value, map);
    return diffOf(id, { action: "update", updates });
  }

  /** Makes a new big map: an empty one, or a copy of one that another place holds too. */
  *#make(id: bigint, key: Type, value: Type, map: BigMapValue): Job<object> {
    this.#context.setBigMap(id, { key, value, bytes: 0 });
    this.bytes += EMPTY_BYTES;
    if (map.id !== undefined) {
      this.#copyEntries(map.id, id);
      const updates = yield* this.#write(id, key, value, map);
      return diffOf(id, { action: "copy", source: map.id.toString(), updates });
    }
    const { gas } = this.#execution;
    const types = { key_type: plainType(key), value_type: plainType(value) };
    gas.spend(stripCost(countNodes(types.key_type)));
    gas.spend(writeTypeCost(typeSize(value)) + stripCost(countNodes(types.value_type)));
    const updates = yield* this.#write(id, key, value, map);
    return diffOf(id, { action: "alloc", updates, ...types });
  }

  /** Writes everything, dropped big maps first, and tells what was done. */
  *finish(): Job<readonly object[]> {
    const diffs: object[] = [];
    for (const id of [...this.#left].reverse()) diffs.push(this.#remove(id));
    for (const task of this.#tasks) diffs.push(yield* task());
    return diffs;
  }

  #copyEntries(from: bigint, to: bigint): void {
    this.#context.copyBigMapEntries(from, to);
    const source = this.#context.bigMap(from);
    const target = this.#context.bigMap(to)!;
    this.#context.setBigMap(to, { ...target, bytes: source?.bytes ?? 0 });
    this.bytes += source?.bytes ?? 0;
  }

  *#write(id: bigint, keyType: Type, valueType: Type, map: BigMapValue): Job<object[]> {
    const { gas } = this.#execution;
    let bytes = 0;
    const updates: object[] = [];
    for (const [hash, { key, value }] of bigMapChanges(map)) {
      gas.spend(CHECK_INSTRUCTION);
      const stored = this.#context.bigMapEntry(id, hash);
      if (stored)
        bytes -= ENTRY_BYTES + encodeMicheline(unparseValue(valueType, stored.value, "optimized")).length;
      const writtenKey = unparseValue(keyType, key, "optimized", gas);
      const written = value === undefined ? undefined : unparseValue(valueType, value, "optimized", gas);
      countInReceipt(this.#execution, [writtenKey, ...(written ? [written] : [])]);
      const size = written && encodeMicheline(written).length;
      gas.spend(size === undefined ? removeBigMapEntryCost : writeBigMapEntryCost(size));
      if (size !== undefined) bytes += ENTRY_BYTES + size;
      this.#context.setBigMapEntry(id, hash, value === undefined ? undefined : { key, value });
      updates.push({ key_hash: scriptExpr(hash), key: writtenKey, ...(written && { value: written }) });
      yield;
    }
    if (bytes !== 0) {
      const kept = this.#context.bigMap(id)!;
      this.#context.setBigMap(id, { ...kept, bytes: kept.bytes + bytes });
    }
    this.bytes += bytes;
    return updates;
  }

  #remove(id: bigint): object {
    const map = this.#context.bigMap(id);
    this.#context.setBigMap(id, undefined);
    this.bytes -= EMPTY_BYTES + (map?.bytes ?? 0);
    return diffOf(id, { action: "remove" });
  }
}

const diffOf = (id: bigint, diff: object): object => ({ kind: "big_map", id: id.toString(), diff });
