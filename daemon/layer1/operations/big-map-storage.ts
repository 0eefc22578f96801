// Big maps when a storage is kept: new ones get an id, changes are written, dropped ones are removed.
import type { Context } from "../state/context.ts";
import { mapTree } from "../michelson/ordered-tree.ts";
import { type Execution, takeReceipt } from "./execution.ts";
import { encodeMicheline } from "../../tezos/micheline-binary.ts";
import { scriptExpr } from "../michelson/pack.ts";
import { type Type, holdsBigMap, plainType } from "../michelson/type.ts";
import { unparseValue } from "../michelson/unparse-value.ts";
import {
  type BigMapValue,
  type ListValue,
  type MapValue,
  type OptionValue,
  type OrValue,
  type PairValue,
  type Value,
  bigMapChanges,
  itemsOf,
  listOf,
  pair,
  some,
} from "../michelson/value.ts";

/** Bytes counted for a new entry besides its value, and for an empty map. Source: Octez `lazy_storage_diff.ml`. */
const ENTRY_BYTES = 65;
const EMPTY_BYTES = 33;

/** Milligas for each entry of a big map that is copied or removed as a whole. */
const COPY_GAS = 2_000;
const REMOVE_GAS = 200;

export interface KeptStorage {
  readonly storage: Value;
  readonly diff: readonly object[];
  /** Growth of the bytes in big maps. */
  readonly bytes: number;
}

/** Keeps a storage value. `before` is the storage it replaces, undefined for a new contract. */
export function keepBigMaps(
  execution: Execution,
  type: Type,
  before: Value | undefined,
  after: Value,
): KeptStorage {
  if (!holdsBigMap(type)) return { storage: after, diff: [], bytes: 0 };
  const owned = new Set(before === undefined ? [] : idsIn(type, before));
  const keeper = new Keeper(execution, owned);
  const storage = keeper.keep(type, after);
  keeper.removeLeft();
  return { storage, diff: keeper.diff, bytes: keeper.bytes };
}

/** Ids of the stored big maps in a value. */
export function idsIn(type: Type, value: Value): readonly bigint[] {
  const ids: bigint[] = [];
  mapBigMaps(type, value, (_, map) => {
    if (map.id !== undefined) ids.push(map.id);
    return map;
  });
  return ids;
}

class Keeper {
  readonly #execution: Execution;
  readonly #context: Context;
  readonly #left: Set<bigint>;
  readonly diff: object[] = [];
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
      const updates = this.#write(map.id, key, value, map);
      if (updates.length > 0)
        this.diff.push({ kind: "big_map", id: map.id.toString(), diff: { action: "update", updates } });
      return { id: map.id, changes: undefined };
    }
    const id = this.#context.nextBigMapId();
    this.#context.setNextBigMapId(id + 1n);
    this.#context.setBigMap(id, { key, value, bytes: 0 });
    this.bytes += EMPTY_BYTES;
    // A big map that another place holds too is copied.
    if (map.id !== undefined) this.#copyEntries(map.id, id);
    const updates = this.#write(id, key, value, map);
    const types = { key_type: plainType(key), value_type: plainType(value) };
    this.diff.push({
      kind: "big_map",
      id: id.toString(),
      diff:
        map.id === undefined
          ? { action: "alloc", updates, ...types }
          : { action: "copy", source: map.id.toString(), updates },
    });
    return { id, changes: undefined };
  }

  #copyEntries(from: bigint, to: bigint): void {
    const hashes = this.#context.bigMapKeys(from);
    this.#execution.gas.spend(COPY_GAS * hashes.length);
    for (const hash of hashes) this.#context.setBigMapEntry(to, hash, this.#context.bigMapEntry(from, hash));
    const source = this.#context.bigMap(from);
    const target = this.#context.bigMap(to)!;
    this.#context.setBigMap(to, { ...target, bytes: source?.bytes ?? 0 });
    this.bytes += source?.bytes ?? 0;
  }

  #write(id: bigint, keyType: Type, valueType: Type, map: BigMapValue): object[] {
    const { gas } = this.#execution;
    let bytes = 0;
    const updates: object[] = [];
    for (const [hash, { key, value }] of bigMapChanges(map)) {
      const stored = this.#context.bigMapEntry(id, hash);
      if (stored)
        bytes -=
          ENTRY_BYTES + encodeMicheline(unparseValue(valueType, stored.value, "optimized", gas)).length;
      if (!stored && value === undefined) continue;
      const written = value === undefined ? undefined : unparseValue(valueType, value, "optimized", gas);
      const writtenKey = unparseValue(keyType, key, "optimized", gas);
      takeReceipt(this.#execution, [writtenKey, ...(written ? [written] : [])]);
      if (written) bytes += ENTRY_BYTES + encodeMicheline(written).length;
      this.#context.setBigMapEntry(id, hash, value === undefined ? undefined : { key, value });
      updates.push({ key_hash: scriptExpr(hash), key: writtenKey, ...(written && { value: written }) });
    }
    if (bytes !== 0) {
      const kept = this.#context.bigMap(id)!;
      this.#context.setBigMap(id, { ...kept, bytes: kept.bytes + bytes });
    }
    this.bytes += bytes;
    return updates;
  }

  removeLeft(): void {
    for (const id of this.#left) {
      const map = this.#context.bigMap(id);
      const hashes = this.#context.bigMapKeys(id);
      this.#execution.gas.spend(REMOVE_GAS * hashes.length);
      for (const hash of hashes) this.#context.setBigMapEntry(id, hash, undefined);
      this.#context.setBigMap(id, undefined);
      this.bytes -= EMPTY_BYTES + (map?.bytes ?? 0);
      this.diff.push({ kind: "big_map", id: id.toString(), diff: { action: "remove" } });
    }
  }
}

/** Rebuilds a value with each of its big maps replaced. */
function mapBigMaps(t: Type, value: Value, change: (t: Type, map: BigMapValue) => BigMapValue): Value {
  if (!holdsBigMap(t)) return value;
  const [first, second] = t.args;
  const inner = (type: Type, v: Value): Value => mapBigMaps(type, v, change);
  switch (t.prim) {
    case "big_map":
      return change(t, value as BigMapValue);
    case "pair":
      return pair(inner(first!, (value as PairValue).left), inner(second!, (value as PairValue).right));
    case "option": {
      const held = (value as OptionValue).some;
      return held === undefined ? value : some(inner(first!, held));
    }
    case "or": {
      const { isLeft, value: held } = value as OrValue;
      return { isLeft, value: inner(isLeft ? first! : second!, held) };
    }
    case "list":
      return listOf(itemsOf(value as ListValue).map((item) => inner(first!, item)));
    case "map": {
      return { entries: mapTree((value as MapValue).entries, (item) => inner(second!, item)) };
    }
    default:
      return value;
  }
}
