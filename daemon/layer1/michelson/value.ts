// Values of the interpreter. Their types are known from checking the script, so they carry none themselves:
// whoever handles a value knows its Type.
import { compareAddresses, compareKeys, compareSignatures } from "./address.ts";
import type { Micheline } from "./micheline.ts";
import type { Type } from "./type.ts";

export interface PairValue {
  readonly left: Value;
  readonly right: Value;
}

/** `some` is undefined for None. */
export interface OptionValue {
  readonly some: Value | undefined;
}

export interface OrValue {
  readonly isLeft: boolean;
  readonly value: Value;
}

/** Linked list; the empty list is {@link NIL}. */
export interface ListValue {
  readonly head: Value | undefined;
  readonly tail: ListValue | undefined;
  readonly size: number;
}

/** Elements in ascending order, no two equal. */
export interface SetValue {
  readonly items: readonly Value[];
}

export interface MapValue {
  readonly keys: readonly Value[];
  readonly values: readonly Value[];
}

/** A big map: the stored one it starts from (`id`, or a fresh empty one), and the changes on top of it. */
export interface BigMapValue {
  readonly id: bigint | undefined;
  /** By script_expr hash of the key; a removed key has `value` undefined. */
  readonly changes: ReadonlyMap<string, { readonly key: Value; readonly value: Value | undefined }>;
}

export interface TicketValue {
  readonly ticketer: string;
  readonly contents: Value;
  readonly amount: bigint;
}

/** Address and entrypoint; the type of the argument is the `contract` type itself. */
export interface ContractValue {
  readonly address: string;
  readonly entrypoint: string;
}

export interface LambdaValue {
  readonly code: Micheline;
  readonly recursive: boolean;
  run(frame: never, argument: Value): Value;
}

export interface OperationValue {
  readonly operation: object;
}

/** unit */
export const UNIT_VALUE = true;
export const NONE: OptionValue = { some: undefined };
export const NIL: ListValue = { head: undefined, tail: undefined, size: 0 };

/**
 * int, nat, mutez and timestamp are bigint; bool and unit are boolean; bytes are lower-case hex; string,
 * address (with `%entrypoint` unless default), key, key_hash, signature and chain_id are text.
 */
export type Value =
  | bigint
  | boolean
  | string
  | PairValue
  | OptionValue
  | OrValue
  | ListValue
  | SetValue
  | MapValue
  | BigMapValue
  | TicketValue
  | ContractValue
  | LambdaValue
  | OperationValue;

export const some = (value: Value): OptionValue => ({ some: value });
export const pair = (left: Value, right: Value): PairValue => ({ left, right });
export const cons = (head: Value, tail: ListValue): ListValue => ({ head, tail, size: tail.size + 1 });

export function listOf(items: readonly Value[]): ListValue {
  let list = NIL;
  for (let i = items.length - 1; i >= 0; i--) list = cons(items[i]!, list);
  return list;
}

export function itemsOf(list: ListValue): Value[] {
  const items: Value[] = [];
  for (let cell: ListValue | undefined = list; cell && cell.size > 0; cell = cell.tail)
    items.push(cell.head!);
  return items;
}

const order = <T extends bigint | boolean | string | number>(a: T, b: T): number =>
  a < b ? -1 : a > b ? 1 : 0;

/** Compares two values of a comparable type: negative, zero or positive. */
export function compareValues(t: Type, a: Value, b: Value): number {
  switch (t.prim) {
    case "pair": {
      const [x, y] = [a as PairValue, b as PairValue];
      return compareValues(t.args[0]!, x.left, y.left) || compareValues(t.args[1]!, x.right, y.right);
    }
    case "option": {
      const [x, y] = [(a as OptionValue).some, (b as OptionValue).some];
      if (x === undefined || y === undefined) return (x === undefined ? 0 : 1) - (y === undefined ? 0 : 1);
      return compareValues(t.args[0]!, x, y);
    }
    case "or": {
      const [x, y] = [a as OrValue, b as OrValue];
      if (x.isLeft !== y.isLeft) return x.isLeft ? -1 : 1;
      return compareValues(t.args[x.isLeft ? 0 : 1]!, x.value, y.value);
    }
    case "address":
      return compareAddresses(a as string, b as string);
    case "key":
      return compareKeys(a as string, b as string);
    case "signature":
      return compareSignatures(a as string, b as string);
    case "string":
      return Buffer.compare(Buffer.from(a as string), Buffer.from(b as string));
    case "unit":
      return 0;
    default:
      return order(a as bigint, b as bigint);
  }
}

/** Place of a key in an ascending list: its index when found, else the complement of where it belongs. */
export function findKey(t: Type, keys: readonly Value[], key: Value): number {
  let low = 0;
  let high = keys.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const compared = compareValues(t, keys[middle]!, key);
    if (compared === 0) return middle;
    if (compared < 0) low = middle + 1;
    else high = middle - 1;
  }
  return ~low;
}
