// Values of the interpreter. They carry no types: checking the script has established them, so every user of a value knows
// its Type.
import {
  type Address,
  type FullAddress,
  compareAddresses,
  compareKeys,
  compareSignatures,
} from "../../tezos/address.ts";
import type { Micheline } from "../../tezos/micheline.ts";
import type { Job } from "../job.ts";
import type { GasMeter } from "./gas.ts";
import { type HashTrie, entriesByHash, findHash, withHash } from "./hash-trie.ts";
import type { Code } from "./instruction.ts";
import { type OrderedTree, inOrder } from "./ordered-tree.ts";
import type { Type } from "./type.ts";

export interface PairValue {
  readonly left: Value;
  readonly right: Value;
}

/** `some` is undefined for None. */
export interface OptionValue {
  readonly some: Value | undefined;
}

/** A value of type `key_hash`, and one of type `address`. Both are checked when they are read. */
export type KeyHashValue = Address;
export type AddressValue = FullAddress;

/** A value of type `option key_hash`. */
export interface KeyHashOption extends OptionValue {
  readonly some: KeyHashValue | undefined;
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

export interface SetValue {
  readonly items: OrderedTree<Value, true>;
}

export interface MapValue {
  readonly entries: OrderedTree<Value, Value>;
}

export interface BigMapChange {
  readonly key: Value;
  /** Undefined for a removed key. */
  readonly value: Value | undefined;
}

/** A big map: the stored one that it is based on (`id`; undefined for a new one), and the changes on top. */
export interface BigMapValue {
  readonly id: bigint | undefined;
  /** By script_expr hash of the key. */
  readonly changes: HashTrie<BigMapChange>;
}

export interface TicketValue {
  readonly ticketer: string;
  readonly contents: Value;
  readonly amount: bigint;
}

/** Address and entrypoint; the type of the argument is the `contract` type itself. */
export interface ContractValue {
  readonly address: Address;
  readonly entrypoint: string;
}

export interface LambdaValue {
  readonly recursive: boolean;
  /** The code in the form before {@link rewrite}, which PACK and storage apply. */
  readonly code: Micheline;
  /** Location in its script, for traces. */
  readonly place: number;
  /** The compiled code of a lambda literal, and the nodes that the protocol counts for it. */
  readonly body?: Code;
  readonly nodes?: number;
  /** For a result of APPLY: the original lambda, and the captured component of the argument. */
  readonly applied?: { readonly to: LambdaValue; readonly value: Value; readonly types: LambdaTypes };
  /** Rewrites the data in the code in a form. Charges for it. */
  readonly rewrite: Rewrite;
}

/** Types of a lambda from `argument`, a pair of `captured` and `rest`, to `result`. */
export interface LambdaTypes {
  readonly captured: Type;
  readonly argument: Type;
  readonly rest: Type;
  readonly result: Type;
}

/** Notations of values: for people, as stored by the chain, or as packed (pairs always nested). */
export type Form = "readable" | "optimized" | "packed";

export type Rewrite = (code: Micheline, form: Form, gas: GasMeter | undefined) => Job<Micheline>;

/** A point of one of the groups of BLS12-381, as the curve library holds it. */
export interface PointValue {
  readonly point: object;
  /** Whether the value is the negative of the point: NEG pays for no new one. */
  readonly isNegative: boolean;
}

export interface OperationValue {
  readonly operation: object;
}

// Made by constructors: V8 would come to make what literals make in the old generation, where each takes five times as
// long, once it has seen one script keep them.

class Pair implements PairValue {
  readonly left: Value;
  readonly right: Value;
  constructor(left: Value, right: Value) {
    this.left = left;
    this.right = right;
  }
}

class Option implements OptionValue {
  readonly some: Value | undefined;
  constructor(value: Value | undefined) {
    this.some = value;
  }
}

class List implements ListValue {
  readonly head: Value | undefined;
  readonly tail: ListValue | undefined;
  readonly size: number;
  constructor(head: Value | undefined, tail: ListValue | undefined, size: number) {
    this.head = head;
    this.tail = tail;
    this.size = size;
  }
}

class Ticket implements TicketValue {
  readonly ticketer: string;
  readonly contents: Value;
  readonly amount: bigint;
  constructor(ticketer: string, contents: Value, amount: bigint) {
    this.ticketer = ticketer;
    this.contents = contents;
    this.amount = amount;
  }
}

/** unit */
export const UNIT_VALUE = true;
export const NONE: OptionValue = new Option(undefined);
export const NIL: ListValue = new List(undefined, undefined, 0);

/**
 * int, nat, mutez and timestamp are bigint; bool and unit are boolean; bytes are text with one character per byte
 * (`byte-text.ts`); string, address (with `%entrypoint` unless default), key, key_hash, signature and chain_id are text.
 * Field elements of BLS12-381 are bigint.
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
  | PointValue
  | OperationValue;

export const some = (value: Value): OptionValue => new Option(value);
export const pair = (left: Value, right: Value): PairValue => new Pair(left, right);
export const cons = (head: Value, tail: ListValue): ListValue => new List(head, tail, tail.size + 1);

export const ticketOf = (ticketer: string, contents: Value, amount: bigint): TicketValue =>
  new Ticket(ticketer, contents, amount);

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

const orderOfNumbers = (a: bigint, b: bigint): number => (a === b ? 0 : a < b ? -1 : 1);
const orderOfBooleans = (a: boolean, b: boolean): number => (a === b ? 0 : a ? 1 : -1);

/** Longer texts are compared in parts: the runtime finds out three times as fast whether two are equal as which is less. */
const LONG_TEXT = 2_000;
const TEXT_PART = 16_384;

/** Order of texts by their characters, none of which is above 255. */
function orderOfTexts(a: string, b: string): number {
  if (a.length > LONG_TEXT && b.length > LONG_TEXT) return orderOfLongTexts(a, b);
  return a === b ? 0 : a < b ? -1 : 1;
}

function orderOfLongTexts(a: string, b: string): number {
  const common = Math.min(a.length, b.length);
  for (let at = 0; at < common; at += TEXT_PART) {
    const end = Math.min(at + TEXT_PART, common);
    const [x, y] = [a.slice(at, end), b.slice(at, end)];
    if (x !== y) return x < y ? -1 : 1;
  }
  return a.length - b.length;
}

/** Compares two values of a comparable type: negative, zero or positive. */
export function compareValues(t: Type, a: Value, b: Value): number {
  switch (t.prim) {
    case "pair": {
      const [x, y] = [a as PairValue, b as PairValue];
      return compareValues(t.args[0], x.left, y.left) || compareValues(t.args[1], x.right, y.right);
    }
    case "option": {
      const [x, y] = [(a as OptionValue).some, (b as OptionValue).some];
      if (x === undefined || y === undefined) return (x === undefined ? 0 : 1) - (y === undefined ? 0 : 1);
      return compareValues(t.args[0], x, y);
    }
    case "or": {
      const [x, y] = [a as OrValue, b as OrValue];
      if (x.isLeft !== y.isLeft) return x.isLeft ? -1 : 1;
      return compareValues(t.args[x.isLeft ? 0 : 1], x.value, y.value);
    }
    case "address":
      return compareAddresses(a as string, b as string);
    case "key":
      return compareKeys(a as string, b as string);
    case "signature":
      return compareSignatures(a as string, b as string);
    case "unit":
      return 0;
    case "bool":
      return orderOfBooleans(a as boolean, b as boolean);
    case "int":
    case "nat":
    case "mutez":
    case "timestamp":
      return orderOfNumbers(a as bigint, b as bigint);
    default:
      return orderOfTexts(a as string, b as string);
  }
}

/** Order of the values of a comparable type. Chosen once for a set or map, whose every update compares many. */
export function orderOf(t: Type): (a: Value, b: Value) => number {
  switch (t.prim) {
    case "int":
    case "nat":
    case "mutez":
    case "timestamp":
      return orderOfNumbers as (a: Value, b: Value) => number;
    case "string":
    case "bytes":
    case "key_hash":
    case "chain_id":
      return orderOfTexts as (a: Value, b: Value) => number;
    default:
      return (a, b) => compareValues(t, a, b);
  }
}

export const bigMapChange = (map: BigMapValue, hash: string): BigMapChange | undefined =>
  findHash(map.changes, hash);

export function changeBigMap(
  { id, changes }: BigMapValue,
  hash: string,
  key: Value,
  value: Value | undefined,
): BigMapValue {
  return { id, changes: withHash(changes, hash, (before) => ({ key: before?.key ?? key, value })) };
}

/** Changes sorted by key hash, the order of receipts. */
export const bigMapChanges = ({ changes }: BigMapValue): readonly (readonly [string, BigMapChange])[] =>
  [...entriesByHash(changes)].map(({ hash, value }) => [hash, value] as const);

export const itemsOfSet = (set: SetValue): Value[] => [...inOrder(set.items)].map(({ key }) => key);
