// Strings, bytes, lists, sets, maps and big maps.
import {
  type Checked,
  type Frame,
  type Instruction,
  type Instructions,
  argumentsOf,
  badStack,
} from "../instruction.ts";
import { hashKey } from "../pack.ts";
import { BOOL, BYTES, NAT, STRING, type Type, sameType, type } from "../type.ts";
import {
  type BigMapValue,
  type ListValue,
  type MapValue,
  NONE,
  type OptionValue,
  type SetValue,
  type Value,
  cons,
  findKey,
  itemsOf,
  some,
} from "../value.ts";
import { getFromComb, updateComb } from "./stack.ts";

function insertAt<T>(items: readonly T[], at: number, removed: number, ...added: readonly T[]): T[] {
  const copy = items.slice();
  copy.splice(at, removed, ...added);
  return copy;
}

/** Reads a key of a big map: its own changes first, then what is stored. */
function bigMapGet(frame: Frame, keyType: Type, map: BigMapValue, key: Value): Value | undefined {
  const hash = hashKey(keyType, key);
  frame.gas.spend(50_000);
  const change = map.changes.get(hash);
  if (change) return change.value;
  return map.id === undefined ? undefined : frame.world.bigMapValue(map.id, hash);
}

function bigMapSet(keyType: Type, map: BigMapValue, key: Value, value: Value | undefined): BigMapValue {
  const changes = new Map(map.changes);
  changes.set(hashKey(keyType, key), { key, value });
  return { id: map.id, changes };
}

function mapGet(keyType: Type, map: MapValue, key: Value): Value | undefined {
  const at = findKey(keyType, map.keys, key);
  return at < 0 ? undefined : map.values[at];
}

function mapSet(keyType: Type, map: MapValue, key: Value, value: Value | undefined): MapValue {
  const at = findKey(keyType, map.keys, key);
  if (at < 0) {
    if (value === undefined) return map;
    return { keys: insertAt(map.keys, ~at, 0, key), values: insertAt(map.values, ~at, 0, value) };
  }
  if (value === undefined) return { keys: insertAt(map.keys, at, 1), values: insertAt(map.values, at, 1) };
  return { keys: map.keys, values: insertAt(map.values, at, 1, value) };
}

/** Read and write of a map or big map type, or undefined for other types. */
function accessOf(t: Type | undefined) {
  const key = t?.args[0];
  if (!t || !key) return undefined;
  if (t.prim === "map") {
    return {
      get: (_: Frame, map: Value, k: Value) => mapGet(key, map as MapValue, k),
      set: (map: Value, k: Value, v: Value | undefined): Value => mapSet(key, map as MapValue, k, v),
    };
  }
  if (t.prim !== "big_map") return undefined;
  return {
    get: (frame: Frame, map: Value, k: Value) => bigMapGet(frame, key, map as BigMapValue, k),
    set: (map: Value, k: Value, v: Value | undefined): Value => bigMapSet(key, map as BigMapValue, k, v),
  };
}

const option = (value: Value | undefined): OptionValue => (value === undefined ? NONE : some(value));

const mem: Instruction = (node, stack, scope) => {
  const [key, container, ...rest] = stack;
  if (!key || !container?.args[0] || !sameType(key, container.args[0])) throw badStack(node, stack, scope);
  if (container.prim === "set") {
    return {
      after: [BOOL, ...rest],
      step: (_, s) => {
        const k = s.pop()!;
        s.push(findKey(key, (s.pop() as SetValue).items, k) >= 0);
      },
    };
  }
  const access = accessOf(container);
  if (!access) throw badStack(node, stack, scope);
  return {
    after: [BOOL, ...rest],
    step: (frame, s) => {
      const k = s.pop()!;
      s.push(access.get(frame, s.pop()!, k) !== undefined);
    },
  };
};

const get: Instruction = (node, stack, scope) => {
  if (node.args?.length) return getFromComb(node, stack, scope);
  const [key, map, ...rest] = stack;
  const access = accessOf(map);
  if (!key || !map || !access || !sameType(key, map.args[0]!)) throw badStack(node, stack, scope);
  return {
    after: [type("option", map.args[1]!), ...rest],
    step: (frame, s) => {
      const k = s.pop()!;
      s.push(option(access.get(frame, s.pop()!, k)));
    },
  };
};

const update: Instruction = (node, stack, scope) => {
  if (node.args?.length) return updateComb(node, stack, scope);
  const [key, value, container, ...rest] = stack;
  if (!key || !value || !container?.args[0] || !sameType(key, container.args[0]))
    throw badStack(node, stack, scope);
  if (container.prim === "set" && value.prim === "bool") return updateSet(key, [container, ...rest]);
  const access = accessOf(container);
  if (!access || value.prim !== "option" || !sameType(value.args[0]!, container.args[1]!))
    throw badStack(node, stack, scope);
  return {
    after: [container, ...rest],
    step: (_, s) => {
      const k = s.pop()!;
      const v = (s.pop() as OptionValue).some;
      s.push(access.set(s.pop()!, k, v));
    },
  };
};

function updateSet(key: Type, after: readonly Type[]): Checked {
  return {
    after,
    step: (_, s) => {
      const k = s.pop()!;
      const wanted = s.pop() === true;
      const set = s.pop() as SetValue;
      const at = findKey(key, set.items, k);
      if (at >= 0 === wanted) s.push(set);
      else s.push({ items: wanted ? insertAt(set.items, ~at, 0, k) : insertAt(set.items, at, 1) });
    },
  };
}

const getAndUpdate: Instruction = (node, stack, scope) => {
  const [key, value, map, ...rest] = stack;
  const access = accessOf(map);
  if (
    !key ||
    !map ||
    !access ||
    !sameType(key, map.args[0]!) ||
    value?.prim !== "option" ||
    !sameType(value.args[0]!, map.args[1]!)
  ) {
    throw badStack(node, stack, scope);
  }
  return {
    after: [value, map, ...rest],
    step: (frame, s) => {
      const k = s.pop()!;
      const v = (s.pop() as OptionValue).some;
      const container = s.pop()!;
      s.push(access.set(container, k, v), option(access.get(frame, container, k)));
    },
  };
};

const consInstruction: Instruction = (node, stack, scope) => {
  const [head, list, ...rest] = stack;
  if (!head || list?.prim !== "list" || !sameType(head, list.args[0]!)) throw badStack(node, stack, scope);
  return {
    after: [list, ...rest],
    step: (_, s) => {
      const item = s.pop()!;
      s.push(cons(item, s.pop() as ListValue));
    },
  };
};

const size: Instruction = (node, stack, scope) => {
  const [top, ...rest] = stack;
  const measure: Readonly<Record<string, (value: never) => number>> = {
    string: (value: string) => value.length,
    bytes: (value: string) => value.length / 2,
    list: (value: ListValue) => value.size,
    set: (value: SetValue) => value.items.length,
    map: (value: MapValue) => value.keys.length,
  };
  const found = top && measure[top.prim];
  if (!found) throw badStack(node, stack, scope);
  return { after: [NAT, ...rest], step: (_, s) => void s.push(BigInt(found(s.pop()! as never))) };
};

const concat: Instruction = (node, stack, scope) => {
  const [a, b, ...rest] = stack;
  if (a?.prim === "list" && (a.args[0]!.prim === "string" || a.args[0]!.prim === "bytes")) {
    return {
      after: [a.args[0]!, ...stack.slice(1)],
      step: (frame, s) => {
        const joined = itemsOf(s.pop() as ListValue).join("");
        frame.gas.spendBytes(joined.length);
        s.push(joined);
      },
    };
  }
  if (!a || !b || !sameType(a, b) || (a.prim !== "string" && a.prim !== "bytes"))
    throw badStack(node, stack, scope);
  return {
    after: [a, ...rest],
    step: (frame, s) => {
      const first = s.pop() as string;
      const joined = first + (s.pop() as string);
      frame.gas.spendBytes(joined.length);
      s.push(joined);
    },
  };
};

const slice: Instruction = (node, stack, scope) => {
  argumentsOf(node, 0, scope);
  const [offset, length, text, ...rest] = stack;
  if (offset?.prim !== "nat" || length?.prim !== "nat" || (text?.prim !== "string" && text?.prim !== "bytes"))
    throw badStack(node, stack, scope);
  const unit = text.prim === "bytes" ? 2 : 1;
  return {
    after: [type("option", text.prim === "bytes" ? BYTES : STRING), ...rest],
    step: (_, s) => {
      const from = s.pop() as bigint;
      const count = s.pop() as bigint;
      const whole = s.pop() as string;
      const total = BigInt(whole.length / unit);
      // An offset at the very end is out of range even for an empty slice, as in the protocol.
      if (from >= total || from + count > total) s.push(NONE);
      else s.push(some(whole.slice(Number(from) * unit, Number(from + count) * unit)));
    },
  };
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
