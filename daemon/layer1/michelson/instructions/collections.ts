// Strings, bytes, lists, sets, maps and big maps.
import { wantHashes } from "../../../tezos/fast-hashes.ts";
import type { MichelinePrim } from "../../../tezos/micheline.ts";
import type { Job } from "../../job.ts";
import {
  FIXED,
  concatCost,
  concatCountCost,
  concatListCost,
  findCost,
  getAndUpdateCost,
  keySize,
  setFindCost,
  setUpdateCost,
  sliceCost,
  updateCost,
} from "../costs.ts";
import { sizeOfTrie } from "../hash-trie.ts";
import {
  type Checked,
  type Instruction,
  type Instructions,
  type Scope,
  argumentsOf,
  badStack,
  does,
  requireItem,
  undefinedOperand,
  undefinedOperands,
} from "../instruction.ts";
import type { Machine } from "../machine.ts";
import { find, insert, remove, sizeOf } from "../ordered-tree.ts";
import { hashKey } from "../pack.ts";
import type { StackType } from "../stack-type.ts";
import { BOOL, BYTES, NAT, STRING, type Type, type, type TypeOf } from "../type.ts";
import {
  type BigMapValue,
  type ListValue,
  type MapValue,
  NONE,
  type OptionValue,
  type SetValue,
  type Value,
  bigMapChange,
  changeBigMap,
  cons,
  itemsOf,
  orderOf,
  some,
} from "../value.ts";
import { getFromComb, updateComb } from "./combs.ts";

/** Cells that an update of a tree adds permanently; the rest of the copied path is soon garbage. */
const UPDATE_CELLS = 3;
/** Bytes of the hash of a big-map key. */
const HASH_BYTES = 32;

/** Operations on a map or big map, which charge for themselves. An undefined value means none, or removes the key. */
interface Access {
  has(machine: Machine, map: Value, key: Value): boolean;
  /** @param use what the instruction does with the value: at once, or when a stored one has been read */
  get(machine: Machine, map: Value, key: Value, use: Use): void;
  set(machine: Machine, map: Value, key: Value, value: Value | undefined): Value;
  exchange(
    machine: Machine,
    map: Value,
    key: Value,
    value: Value | undefined,
    use: (before: Value | undefined, map: Value) => void,
  ): void;
}

type Use = (value: Value | undefined) => void;

function accessMap(key: Type): Access {
  const order = orderOf(key);
  const get = ({ gas }: Machine, map: Value, k: Value): Value | undefined => {
    const { entries } = map as MapValue;
    gas.spend(findCost(keySize(key, k), sizeOf(entries)));
    return find(entries, k, order)?.value;
  };
  const put = (map: Value, k: Value, v: Value | undefined): Value => {
    const { entries } = map as MapValue;
    if (v !== undefined) return { entries: insert(entries, k, v, order) };
    const rest = remove(entries, k, order);
    return rest === entries ? map : { entries: rest };
  };
  return {
    has: (machine, map, k) => get(machine, map, k) !== undefined,
    get: (machine, map, k, use) => use(get(machine, map, k)),
    set: ({ gas }, map, k, v) => {
      gas.spend(updateCost(keySize(key, k), sizeOf((map as MapValue).entries)));
      gas.reserveCells(UPDATE_CELLS);
      return put(map, k, v);
    },
    exchange: ({ gas }, map, k, v, use) => {
      const { entries } = map as MapValue;
      gas.spend(getAndUpdateCost(keySize(key, k), sizeOf(entries)));
      gas.reserveCells(UPDATE_CELLS);
      use(find(entries, k, order)?.value, put(map, k, v));
    },
  };
}

function accessBigMap(key: Type): Access {
  wantHashes();
  const hash = ({ gas }: Machine, cost: typeof findCost, map: Value, k: Value): string => {
    gas.spend(cost(HASH_BYTES, sizeOfTrie((map as BigMapValue).changes)));
    return hashKey(key, k, gas);
  };
  const read = (machine: Machine, map: Value, hashed: string, use: Use): void => {
    const change = bigMapChange(map as BigMapValue, hashed);
    const { id } = map as BigMapValue;
    if (change || id === undefined) use(change?.value);
    else machine.finishWith(readStored(machine, id, hashed, use));
  };
  return {
    has: (machine, map, k) => {
      const hashed = hash(machine, findCost, map, k);
      const change = bigMapChange(map as BigMapValue, hashed);
      if (change) return change.value !== undefined;
      const { id } = map as BigMapValue;
      return id !== undefined && machine.frame.world.hasBigMapEntry(id, hashed, machine.gas);
    },
    get: (machine, map, k, use) => read(machine, map, hash(machine, findCost, map, k), use),
    set: (machine, map, k, v) => {
      const hashed = hash(machine, updateCost, map, k);
      machine.gas.reserveCells(UPDATE_CELLS);
      return changeBigMap(map as BigMapValue, hashed, k, v);
    },
    exchange: (machine, map, k, v, use) => {
      const hashed = hash(machine, getAndUpdateCost, map, k);
      machine.gas.reserveCells(UPDATE_CELLS);
      read(machine, map, hashed, (before) => use(before, changeBigMap(map as BigMapValue, hashed, k, v)));
    },
  };
}

/** Reads a value from the state, which may be long. */
function* readStored({ gas, frame }: Machine, id: bigint, hash: string, use: Use): Job<void> {
  use(yield* frame.world.bigMapValue(id, hash, gas));
}

type MapType = TypeOf<"map" | "big_map">;

const isMap = (t: Type | undefined): t is MapType => t?.prim === "map" || t?.prim === "big_map";

const accessOf = ({ prim, args: [key] }: MapType): Access =>
  prim === "map" ? accessMap(key) : accessBigMap(key);

const option = (value: Value | undefined): OptionValue => (value === undefined ? NONE : some(value));

const mem: Instruction = (node, stack, scope) => {
  argumentsOf(node, 0, scope);
  const [key, container] = stack.head(2);
  const after = stack.drop(2).under(BOOL);
  const wanted = container?.args[0];
  if (!key || !container || !wanted) throw badStack(node, stack, scope, 2);
  if (container.prim === "set") {
    requireItem(wanted, key, 1, 2, node, stack, scope);
    const order = orderOf(key);
    return does(after, ({ gas }, s) => {
      const k = s.pop();
      const { items } = s.pop() as SetValue;
      gas.spend(setFindCost(keySize(key, k), sizeOf(items)));
      s.push(find(items, k, order) !== undefined);
    });
  }
  if (!isMap(container)) throw badStack(node, stack, scope, 2);
  const access = accessOf(container);
  requireItem(key, wanted, 1, 2, node, stack, scope);
  return does(after, (m, s) => {
    const k = s.pop();
    s.push(access.has(m, s.pop(), k));
  });
};

const get: Instruction = (node, stack, scope) => {
  if (node.args?.length) return getFromComb(node, stack, scope);
  const [key, map] = stack.head(2);
  if (!key || !isMap(map)) throw badStack(node, stack, scope, 2);
  const access = accessOf(map);
  requireItem(key, map.args[0], 1, 2, node, stack, scope);
  return does(stack.drop(2).under(type("option", map.args[1])), (m, s) => {
    const k = s.pop();
    access.get(m, s.pop(), k, (value) => s.push(option(value)));
  });
};

/** The operations on the map below a key and an optional value, whose types must match it. */
function accessBelow(node: MichelinePrim, stack: StackType, scope: Scope): Access {
  const [key, value, map] = stack.head(3);
  if (!key || !isMap(map) || value?.prim !== "option") throw badStack(node, stack, scope, 3);
  requireItem(key, map.args[0], 1, 3, node, stack, scope);
  requireItem(value.args[0], map.args[1], 2, 3, node, stack, scope);
  return accessOf(map);
}

const update: Instruction = (node, stack, scope) => {
  if (node.args?.length) return updateComb(node, stack, scope);
  const [key, value, container] = stack.head(3);
  const after = stack.drop(2);
  if (key && value?.prim === "bool" && container?.prim === "set") {
    requireItem(container.args[0], key, 1, 3, node, stack, scope);
    return updateSet(key, after);
  }
  const access = accessBelow(node, stack, scope);
  return does(after, (m, s) => {
    const k = s.pop();
    const v = (s.pop() as OptionValue).some;
    s.push(access.set(m, s.pop(), k, v));
  });
};

function updateSet(key: Type, after: StackType): Checked {
  const order = orderOf(key);
  return does(after, ({ gas }, s) => {
    const k = s.pop();
    const wanted = s.pop() === true;
    const set = s.pop() as SetValue;
    gas.spend(setUpdateCost(keySize(key, k), sizeOf(set.items)));
    gas.reserveCells(UPDATE_CELLS);
    const items = wanted ? insert(set.items, k, true, order) : remove(set.items, k, order);
    s.push(items === set.items ? set : { items });
  });
}

const getAndUpdate: Instruction = (node, stack, scope) => {
  argumentsOf(node, 0, scope);
  const access = accessBelow(node, stack, scope);
  return does(stack.drop(1), (m, s) => {
    const k = s.pop();
    const v = (s.pop() as OptionValue).some;
    access.exchange(m, s.pop(), k, v, (before, map) => s.push(map, option(before)));
  });
};

const consInstruction: Instruction = (node, stack, scope) => {
  argumentsOf(node, 0, scope);
  const [head, list] = stack.head(2);
  if (!head || list?.prim !== "list") throw badStack(node, stack, scope, 2);
  requireItem(head, list.args[0], 1, 2, node, stack, scope);
  return does(stack.drop(1), (m, s) => {
    m.gas.spend(FIXED.step);
    m.gas.reserveCells(2);
    const item = s.pop();
    s.push(cons(item, s.pop() as ListValue));
  });
};

const MEASURES: Readonly<Record<string, (value: never) => number>> = {
  string: (value: string) => value.length,
  bytes: (value: string) => value.length,
  list: (value: ListValue) => value.size,
  set: (value: SetValue) => sizeOf(value.items),
  map: (value: MapValue) => sizeOf(value.entries),
};

const size: Instruction = (node, stack, scope) => {
  argumentsOf(node, 0, scope);
  const found = stack.top && MEASURES[stack.top.prim];
  if (!found) throw undefinedOperand(node, stack, scope);
  const cost = stack.top.prim === "string" ? FIXED.stringSize : FIXED.step;
  return does(stack.drop(1).under(NAT), (m, s) => {
    m.gas.spend(cost);
    s.push(BigInt(found(s.pop() as never)));
  });
};

const concat: Instruction = (node, stack, scope) => {
  argumentsOf(node, 0, scope);
  const [a, b] = stack.head(2);
  if (a?.prim === "list" && (a.args[0].prim === "string" || a.args[0].prim === "bytes"))
    return concatList(a.args[0], stack.drop(1));
  if (a && !b) throw undefinedOperand(node, stack, scope);
  if (!a || a.prim !== b!.prim || (a.prim !== "string" && a.prim !== "bytes"))
    throw undefinedOperands(node, stack, scope);
  return does(stack.drop(1), ({ gas }, s) => {
    const first = s.pop() as string;
    const second = s.pop() as string;
    const bytes = first.length + second.length;
    gas.spend(concatCost(bytes));
    gas.reserveText(bytes);
    s.push(first + second);
  });
};

function concatList(t: Type, rest: StackType): Checked {
  return does(rest.under(t), ({ gas }, s) => {
    const list = s.pop() as ListValue;
    gas.spend(concatCountCost(list.size));
    const items = itemsOf(list) as string[];
    const bytes = items.reduce((sum, item) => sum + item.length, 0);
    gas.spend(concatListCost(bytes));
    gas.reserveText(bytes);
    s.push(items.join(""));
  });
}

const slice: Instruction = (node, stack, scope) => {
  argumentsOf(node, 0, scope);
  const [offset, length, text] = stack.head(3);
  if (offset?.prim !== "nat" || length?.prim !== "nat" || (text?.prim !== "string" && text?.prim !== "bytes"))
    throw badStack(node, stack, scope, 3);
  const after = stack.drop(3).under(type("option", text.prim === "bytes" ? BYTES : STRING));
  return does(after, ({ gas }, s) => {
    const from = s.pop() as bigint;
    const count = s.pop() as bigint;
    const whole = s.pop() as string;
    gas.spend(sliceCost(whole.length));
    const total = BigInt(whole.length);
    // An offset at the very end is out of range even for an empty slice, as in the protocol.
    if (from >= total || from + count > total) {
      s.push(NONE);
      return;
    }
    gas.reserveText(Number(count));
    s.push(some(whole.slice(Number(from), Number(from + count))));
  });
};

export const COLLECTION_INSTRUCTIONS: Instructions = {
  MEM: mem,
  GET: get,
  UPDATE: update,
  GET_AND_UPDATE: getAndUpdate,
  CONS: consInstruction,
  SIZE: size,
  CONCAT: concat,
  SLICE: slice,
};
