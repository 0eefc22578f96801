// Big maps within values: where they are, and the gas for finding them.
// Source: Octez, `fold_lazy_storage` and `extract_lazy_storage_updates` in `script_ir_translator.ml`.
import { type Job, NO_WORK, finish } from "../job.ts";
import { CHECK_INSTRUCTION } from "../michelson/check-costs.ts";
import type { GasMeter } from "../michelson/gas.ts";
import { fromSorted, inOrder } from "../michelson/ordered-tree.ts";
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

/** Nodes visited before others get a turn. */
const NODES_IN_ONE_GO = 2_000;

/** Pays for traversing a value once. A subtree that cannot hold a big map is one step. */
export const payForWalk = (t: Type, value: Value, gas: GasMeter): Job<void> =>
  walk(t, value, { nodes: 0, enter: () => gas.spend(CHECK_INSTRUCTION), found: () => {} });

/** As {@link payForWalk}, plus one step for each stored big map. */
export const payForCollecting = (t: Type, value: Value, gas: GasMeter): Job<void> => {
  const enter = (): void => gas.spend(CHECK_INSTRUCTION);
  return walk(t, value, { nodes: 0, enter, found: ({ id }) => void (id !== undefined && enter()) });
};

/** Ids of the big maps in a stored value. */
export function idsIn(type: Type, value: Value): readonly bigint[] {
  const ids: bigint[] = [];
  const collect = ({ id }: BigMapValue): void => void (id !== undefined && ids.push(id));
  finish(walk(type, value, { nodes: 0, enter: () => {}, found: collect }));
  return ids;
}

interface Walk {
  nodes: number;
  /** Called at each node: what it costs is paid before, for a value may have far more nodes than memory. */
  readonly enter: () => void;
  readonly found: (map: BigMapValue) => void;
}

/** Most parts of a value hold no big map. */
function walk(t: Type, value: Value, at: Walk): Job<void> {
  at.enter();
  return holdsBigMap(t) ? walkInto(t, value, at) : NO_WORK;
}

function* walkInto(t: Type, value: Value, at: Walk): Job<void> {
  if (++at.nodes % NODES_IN_ONE_GO === 0) yield;
  switch (t.prim) {
    case "big_map":
      at.found(value as BigMapValue);
      return;
    case "pair":
      yield* walk(t.args[0], (value as PairValue).left, at);
      yield* walk(t.args[1], (value as PairValue).right, at);
      return;
    case "option": {
      const held = (value as OptionValue).some;
      if (held !== undefined) yield* walk(t.args[0], held, at);
      return;
    }
    case "or": {
      const { isLeft, value: held } = value as OrValue;
      yield* walk(isLeft ? t.args[0] : t.args[1], held, at);
      return;
    }
    case "list":
      for (const item of itemsOf(value as ListValue)) yield* walk(t.args[0], item, at);
      return;
    case "map":
      for (const entry of inOrder((value as MapValue).entries)) yield* walk(t.args[1], entry.value, at);
      return;
    default:
  }
}

type Change = (t: TypeOf<"big_map">, map: BigMapValue) => BigMapValue;

/**
 * Rebuilds a value with each of its big maps replaced, in the order in which the protocol gives ids to them: a map is gone
 * through from its last key to its first. The walk must have been paid for.
 */
export const mapBigMaps = (t: Type, value: Value, gas: GasMeter, change: Change): Job<Value> =>
  rebuild(t, value, { change, gas, nodes: 0 });

interface Rebuilding {
  readonly change: Change;
  readonly gas: GasMeter;
  nodes: number;
}

function* rebuild(t: Type, value: Value, work: Rebuilding): Job<Value> {
  if (!holdsBigMap(t)) return value;
  work.gas.reserveCells(2); // what is shared is no more
  if (++work.nodes % NODES_IN_ONE_GO === 0) yield;
  switch (t.prim) {
    case "big_map":
      return work.change(t, value as BigMapValue);
    case "pair": {
      const left = yield* rebuild(t.args[0], (value as PairValue).left, work);
      return pair(left, yield* rebuild(t.args[1], (value as PairValue).right, work));
    }
    case "option": {
      const held = (value as OptionValue).some;
      return held === undefined ? value : some(yield* rebuild(t.args[0], held, work));
    }
    case "or": {
      const { isLeft, value: held } = value as OrValue;
      return { isLeft, value: yield* rebuild(isLeft ? t.args[0] : t.args[1], held, work) };
    }
    case "list": {
      const items: Value[] = [];
      for (const item of itemsOf(value as ListValue)) items.push(yield* rebuild(t.args[0], item, work));
      return listOf(items);
    }
    case "map": {
      const entries = [...inOrder((value as MapValue).entries)].reverse();
      const rebuilt: [Value, Value][] = [];
      for (const entry of entries) rebuilt.push([entry.key, yield* rebuild(t.args[1], entry.value, work)]);
      return { entries: fromSorted(rebuilt.reverse()) };
    }
    default:
      return value;
  }
}
