// Michelson types: equality, their Micheline, and the classes of types that instructions require.
import { type Micheline, isPrim } from "../../tezos/micheline.ts";
import { sameTypeCost } from "./check-costs.ts";
import type { GasMeter } from "./gas.ts";
import { typeTooLarge } from "./type-errors.ts";

const COMPARABLE_LEAVES = [
  "int",
  "nat",
  "string",
  "bytes",
  "mutez",
  "bool",
  "unit",
  "key",
  "key_hash",
  "signature",
  "timestamp",
  "address",
  "chain_id",
  "never",
] as const;

/** Types by arity. */
const LEAVES = [...COMPARABLE_LEAVES, "operation", "bls12_381_g1", "bls12_381_g2", "bls12_381_fr"] as const;
const UNARY = ["contract", "list", "option", "set", "ticket"] as const;
const BINARY = ["big_map", "lambda", "map", "or", "pair"] as const;

type Leaf = (typeof LEAVES)[number];
type Unary = (typeof UNARY)[number];
type Binary = (typeof BINARY)[number];

/** Annotations of a type. They do not affect equality. */
export interface Notes {
  /** Field annotation without `%`: the name of an entrypoint in the parameter's `or` tree. */
  readonly field?: string;
  /** All annotations as written: client libraries name arguments after them. */
  readonly annots?: readonly string[];
  /** Of a parameter and its branches: the original expression, without the name of the entrypoint. */
  readonly written?: Micheline;
}

type Named<Prim extends string, Args> = Prim extends string
  ? Notes & { readonly prim: Prim; readonly args: Args }
  : never;

/** A type; its name determines its arity. Pairs are always binary: `pair a b c` is `pair a (pair b c)`. */
export type Type =
  | Named<Leaf, readonly []>
  | Named<Unary, readonly [Type]>
  | Named<Binary, readonly [Type, Type]>;

/** The types with that name. */
export type TypeOf<Prim extends Type["prim"]> = Extract<Type, { readonly prim: Prim }>;

/** Names of all types. */
export const TYPE_PRIMS: readonly string[] = [...LEAVES, ...UNARY, ...BINARY];

const leaves: ReadonlySet<string> = new Set(LEAVES);
export const isLeaf = (prim: string): prim is Leaf => leaves.has(prim);
const comparableLeaves: ReadonlySet<string> = new Set(COMPARABLE_LEAVES);

export function type<Prim extends Leaf>(prim: Prim): TypeOf<Prim>;
export function type<Prim extends Unary>(prim: Prim, arg: Type): TypeOf<Prim>;
export function type<Prim extends Binary>(prim: Prim, first: Type, second: Type): TypeOf<Prim>;
export function type(prim: string, ...args: readonly Type[]): Type {
  return { prim, args } as Type; // the overloads tie the number of arguments to the name
}

export const INT = type("int");
export const NAT = type("nat");
export const STRING = type("string");
export const BYTES = type("bytes");
export const MUTEZ = type("mutez");
export const BOOL = type("bool");
export const UNIT = type("unit");
export const ADDRESS = type("address");
export const OPERATION = type("operation");
export const TIMESTAMP = type("timestamp");

/** Micheline of a type with its annotations; right combs without annotations of their own are flat. */
function unparseType(t: Type): Micheline {
  const args = t.args.map(unparseType);
  const last = args.at(-1);
  const isFlat =
    t.prim === "pair" && last !== undefined && isPrim(last) && last.prim === "pair" && !last.annots;
  const written = isFlat ? [...args.slice(0, -1), ...(last.args ?? [])] : args;
  return {
    prim: t.prim,
    ...(written.length > 0 && { args: written }),
    ...(t.annots && { annots: t.annots }),
  };
}

/** Original Micheline of an entrypoint's type: clients find the names of fields there. */
export const unparseEntrypoint = (t: Type): Micheline => t.written ?? unparseType(t);

/** Micheline of a type as stored on the chain: no annotations, flat right combs. Source: Octez `unparse_ty`. */
export function plainType(t: Type): Micheline {
  if (t.prim !== "pair")
    return t.args.length === 0 ? { prim: t.prim } : { prim: t.prim, args: t.args.map(plainType) };
  const items: Micheline[] = [];
  let rest: Type = t;
  for (; rest.prim === "pair"; rest = rest.args[1]) items.push(plainType(rest.args[0]));
  return { prim: "pair", args: [...items, plainType(rest)] };
}

/** Micheline of a type without annotations and with nested pairs. */
export function binaryType(t: Type): Micheline {
  return t.args.length > 0 ? { prim: t.prim, args: t.args.map(binaryType) } : { prim: t.prim };
}

/** Types found to be equal, as a union-find forest: two in one tree need no further comparison. */
const equalTo = new WeakMap<Type, Type>();

function rootOf(t: Type): Type {
  let root = t;
  for (let next = equalTo.get(root); next; next = equalTo.get(root)) root = next;
  for (let at = t; at !== root;) {
    const next = equalTo.get(at)!;
    equalTo.set(at, root);
    at = next;
  }
  return root;
}

/** @param gas charged for the comparison, by the smaller type */
export function sameType(a: Type, b: Type, gas?: GasMeter): boolean {
  gas?.spend(sameTypeCost(Math.min(typeSize(a), typeSize(b))));
  return isEqual(a, b);
}

function isEqual(a: Type, b: Type): boolean {
  if (a === b) return true;
  if (a.prim !== b.prim || a.args.length !== b.args.length) return false;
  if (a.args.length === 0) return true;
  const [x, y] = [rootOf(a), rootOf(b)];
  if (x === y) return true;
  for (let i = 0; i < a.args.length; i++) if (!isEqual(a.args[i]!, b.args[i]!)) return false;
  equalTo.set(x, y);
  return true;
}

/** Largest number of nodes in a type (protocol constant `michelson_maximum_type_size`). */
export const MAX_TYPE_SIZE = 2_001;

/** Primitives relevant to classes of types, as bits. */
const MARKS: Readonly<Record<string, number>> = {
  operation: 1,
  big_map: 2,
  contract: 4,
  ticket: 8,
  list: 32,
  set: 64,
  map: 128,
  lambda: 256,
};
const NOT_COMPARABLE = 16;

interface Facts {
  readonly size: number;
  /** Marks of the primitives in the type, outside of the arguments of lambdas and contracts. */
  readonly holds: number;
}

/** Computed once per type: rules are checked at each instruction, and types share components. */
const facts = new WeakMap<Type, Facts>();

function factsOf(t: Type): Facts {
  const known = facts.get(t);
  if (known) return known;
  let size = 1;
  let holds = MARKS[t.prim] ?? 0;
  const isClosed = t.prim === "lambda" || t.prim === "contract";
  for (const arg of t.args) {
    const inner = factsOf(arg);
    size += inner.size;
    if (!isClosed) holds |= inner.holds;
  }
  if (!comparableLeaves.has(t.prim) && t.prim !== "pair" && t.prim !== "or" && t.prim !== "option")
    holds |= NOT_COMPARABLE;
  const found = { size, holds };
  facts.set(t, found);
  return found;
}

/** Nodes of a type. */
export const typeSize = (t: Type): number => factsOf(t).size;

/**
 * Refuses types that are too large. DUP; PAIR doubles a type with each step, and with it the time to compare, pack or
 * print its values.
 * @throws MichelsonError
 */
export function requireTypeSize(t: Type, location: number): void {
  if (typeSize(t) > MAX_TYPE_SIZE) throw typeTooLarge(location, MAX_TYPE_SIZE);
}

export const isComparable = (t: Type): boolean => (factsOf(t).holds & NOT_COMPARABLE) === 0;

/** True when the type, outside of lambda and contract arguments, contains none of the given primitives. */
function lacks(t: Type, ...prims: readonly string[]): boolean {
  const { holds } = factsOf(t);
  return prims.every((prim) => (holds & MARKS[prim]!) === 0);
}

/** Whether values of the type may be duplicated: tickets may not. */
export const isDuplicable = (t: Type): boolean => lacks(t, "ticket");
export const holdsBigMap = (t: Type): boolean => !lacks(t, "big_map");
/** Whether a value of the type may have more nodes than the type. */
export const isUnbounded = (t: Type): boolean => !lacks(t, "list", "set", "map", "big_map", "lambda");
