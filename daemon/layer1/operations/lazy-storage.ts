// Big maps within values: where they are, and the gas for finding them.
// Source: Octez, `fold_lazy_storage` and `extract_lazy_storage_updates` in `script_ir_translator.ml`.
import { CHECK_INSTRUCTION } from "../michelson/check-costs.ts";
import { inOrder, mapTree } from "../michelson/ordered-tree.ts";
import { type Type, type TypeOf, holdsBigMap } from "../michelson/type.ts";
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

/** Milligas of traversing a value once. A subtree that cannot hold a big map is one step. */
export function walkCost(t: Type, value: Value): number {
  return CHECK_INSTRUCTION * steps(t, value);
}

/** As {@link walkCost}, plus one step for each stored big map. */
export function collectCost(t: Type, value: Value): number {
  return CHECK_INSTRUCTION * (steps(t, value) + idsIn(t, value).length);
}

function steps(t: Type, value: Value): number {
  if (!holdsBigMap(t)) return 1;
  switch (t.prim) {
    case "pair": {
      const { left, right } = value as PairValue;
      return 1 + steps(t.args[0], left) + steps(t.args[1], right);
    }
    case "option": {
      const held = (value as OptionValue).some;
      return 1 + (held === undefined ? 0 : steps(t.args[0], held));
    }
    case "or": {
      const { isLeft, value: held } = value as OrValue;
      return 1 + steps(isLeft ? t.args[0] : t.args[1], held);
    }
    case "list":
      return itemsOf(value as ListValue).reduce((sum, item) => sum + steps(t.args[0], item), 1);
    case "map": {
      let sum = 1;
      for (const entry of inOrder((value as MapValue).entries)) sum += steps(t.args[1], entry.value);
      return sum;
    }
    default:
      return 1;
  }
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

/**
 * Rebuilds a value with each of its big maps replaced, in the order in which the protocol gives ids to them: a map is gone
 * through from its last key to its first.
 */
export function mapBigMaps(
  t: Type,
  value: Value,
  change: (t: TypeOf<"big_map">, map: BigMapValue) => BigMapValue,
): Value {
  if (!holdsBigMap(t)) return value;
  const inner = (type: Type, v: Value): Value => mapBigMaps(type, v, change);
  switch (t.prim) {
    case "big_map":
      return change(t, value as BigMapValue);
    case "pair":
      return pair(inner(t.args[0], (value as PairValue).left), inner(t.args[1], (value as PairValue).right));
    case "option": {
      const held = (value as OptionValue).some;
      return held === undefined ? value : some(inner(t.args[0], held));
    }
    case "or": {
      const { isLeft, value: held } = value as OrValue;
      return { isLeft, value: inner(isLeft ? t.args[0] : t.args[1], held) };
    }
    case "list":
      return listOf(itemsOf(value as ListValue).map((item) => inner(t.args[0], item)));
    case "map": {
      return { entries: mapTree((value as MapValue).entries, (item) => inner(t.args[1], item)) };
    }
    default:
      return value;
  }
}
