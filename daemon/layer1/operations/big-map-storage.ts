// Big maps when a storage is kept: new ones get an id, changes are written, dropped ones are removed.
import type { Context } from "../chain/context.ts";
import { encodeMicheline } from "../michelson/micheline-binary.ts";
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
  itemsOf,
  listOf,
  pair,
  some,
} from "../michelson/value.ts";

/** Bytes counted for a new entry besides its value, and for an empty map. Source: Octez `lazy_storage_diff.ml`. */
const ENTRY_BYTES = 65;
const EMPTY_BYTES = 33;

export interface KeptStorage {
  readonly storage: Value;
  readonly diff: readonly object[];
  /** Growth of the bytes in big maps. */
  readonly bytes: number;
}

/** Keeps a storage value. `before` is the storage it replaces, undefined for a new contract. */
export function keepBigMaps(
  context: Context,
  type: Type,
  before: Value | undefined,
  after: Value,
): KeptStorage {
  if (!holdsBigMap(type)) return { storage: after, diff: [], bytes: 0 };
  const owned = new Set(before === undefined ? [] : idsIn(type, before));
  const keeper = new Keeper(context, owned);
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
  readonly #context: Context;
  readonly #left: Set<bigint>;
  readonly diff: object[] = [];
  bytes = 0;

  constructor(context: Context, owned: Set<bigint>) {
    this.#context = context;
    this.#left = owned;
  }

  keep(type: Type, value: Value): Value {
    return mapBigMaps(type, value, (t, map) => this.#keepOne(t, map));
  }

  #keepOne(t: Type, map: BigMapValue): BigMapValue {
    const [key, value] = t.args as [Type, Type];
    if (map.id !== undefined && this.#left.delete(map.id)) {
      const updates = this.#write(map.id, key, value, map.changes);
      if (updates.length > 0)
        this.diff.push({ kind: "big_map", id: map.id.toString(), diff: { action: "update", updates } });
      return { id: map.id, changes: new Map() };
    }
    const id = this.#context.nextBigMapId();
    this.#context.setNextBigMapId(id + 1n);
    this.#context.setBigMap(id, { key, value, bytes: 0 });
    this.bytes += EMPTY_BYTES;
    // A big map that another place holds too is copied.
    if (map.id !== undefined) this.#copyEntries(map.id, id);
    const updates = this.#write(id, key, value, map.changes);
    const types = { key_type: plainType(key), value_type: plainType(value) };
    this.diff.push({
      kind: "big_map",
      id: id.toString(),
      diff:
        map.id === undefined
          ? { action: "alloc", updates, ...types }
          : { action: "copy", source: map.id.toString(), updates },
    });
    return { id, changes: new Map() };
  }

  #copyEntries(from: bigint, to: bigint): void {
    for (const hash of this.#context.bigMapKeys(from))
      this.#context.setBigMapEntry(to, hash, this.#context.bigMapEntry(from, hash));
    const source = this.#context.bigMap(from);
    const target = this.#context.bigMap(to)!;
    this.#context.setBigMap(to, { ...target, bytes: source?.bytes ?? 0 });
    this.bytes += source?.bytes ?? 0;
  }

  #write(id: bigint, keyType: Type, valueType: Type, changes: BigMapValue["changes"]): object[] {
    let bytes = 0;
    const updates: object[] = [];
    const size = (value: Value): number =>
      encodeMicheline(unparseValue(valueType, value, "optimized")).length;
    for (const [hash, { key, value }] of changes) {
      const stored = this.#context.bigMapEntry(id, hash);
      if (stored) bytes -= ENTRY_BYTES + size(stored.value);
      if (value !== undefined) bytes += ENTRY_BYTES + size(value);
      if (!stored && value === undefined) continue;
      this.#context.setBigMapEntry(id, hash, value === undefined ? undefined : { key, value });
      updates.push({
        key_hash: scriptExpr(hash),
        key: unparseValue(keyType, key, "optimized"),
        ...(value !== undefined && { value: unparseValue(valueType, value, "optimized") }),
      });
    }
    if (bytes !== 0) {
      const map = this.#context.bigMap(id)!;
      this.#context.setBigMap(id, { ...map, bytes: map.bytes + bytes });
    }
    this.bytes += bytes;
    return updates;
  }

  removeLeft(): void {
    for (const id of this.#left) {
      const map = this.#context.bigMap(id);
      for (const hash of this.#context.bigMapKeys(id)) this.#context.setBigMapEntry(id, hash, undefined);
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
      const { keys, values } = value as MapValue;
      return { keys, values: values.map((item) => inner(second!, item)) };
    }
    default:
      return value;
  }
}
