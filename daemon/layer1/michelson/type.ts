// Michelson types: parsing, equality and the classes of types that instructions ask for.
import { type Micheline, type MichelinePrim, isPrim } from "../../tezos/micheline.ts";
import { MichelsonError, permanent } from "./michelson-error.ts";

/** A type. Pairs are always binary: `pair a b c` is `pair a (pair b c)`. Annotations play no part in equality. */
export interface Type {
  readonly prim: string;
  readonly args: readonly Type[];
  /** Field annotation without `%`: the name of an entrypoint in the parameter's `or` tree. */
  readonly field?: string;
  /** All annotations as written: client libraries name arguments after them. */
  readonly annots?: readonly string[];
}

const ARITY: Readonly<Record<string, number>> = {
  int: 0,
  nat: 0,
  string: 0,
  bytes: 0,
  mutez: 0,
  bool: 0,
  unit: 0,
  key: 0,
  key_hash: 0,
  signature: 0,
  timestamp: 0,
  address: 0,
  chain_id: 0,
  never: 0,
  operation: 0,
  option: 1,
  list: 1,
  set: 1,
  ticket: 1,
  contract: 1,
  or: 2,
  map: 2,
  big_map: 2,
  lambda: 2,
};

/** Types that exist in the protocol and that this node does not carry out. */
const UNSUPPORTED = new Set([
  "bls12_381_g1",
  "bls12_381_g2",
  "bls12_381_fr",
  "sapling_state",
  "sapling_transaction",
  "sapling_transaction_deprecated",
  "chest",
  "chest_key",
  "tx_rollup_l2_address",
  "constant",
]);

const COMPARABLE_LEAVES = new Set([
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
]);

export const type = (prim: string, ...args: readonly Type[]): Type => ({ prim, args });

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

/** An instruction or type that this node does not support: the error names it. */
export function unsupported(name: string): MichelsonError {
  return new MichelsonError(permanent("michelson_v1.unsupported_primitive", { primitive: name }));
}

/** @throws MichelsonError when the expression is not a type or one that is too large. */
export function parseType(node: Micheline): Type {
  const parsed = parseAnyType(node);
  requireTypeSize(parsed);
  return parsed;
}

function parseAnyType(node: Micheline): Type {
  if (!isPrim(node)) throw notType(node);
  const args = node.args ?? [];
  const annotation = node.annots?.find((a) => a.startsWith("%"));
  const field = {
    ...(annotation !== undefined && { field: annotation.slice(1) }),
    ...(node.annots?.length && { annots: node.annots }),
  };
  if (node.prim === "pair") {
    if (args.length < 2) throw arity(node, 2);
    return { prim: "pair", args: pairArguments(args.map(parseAnyType)), ...field };
  }
  const expected = ARITY[node.prim];
  if (expected === undefined) throw UNSUPPORTED.has(node.prim) ? unsupported(node.prim) : notType(node);
  if (args.length !== expected) throw arity(node, expected);
  const parsed: Type = { prim: node.prim, args: args.map(parseAnyType), ...field };
  checkArguments(parsed);
  return parsed;
}

function pairArguments(items: readonly Type[]): readonly Type[] {
  let right = items[items.length - 1]!;
  for (let i = items.length - 2; i > 0; i--) right = type("pair", items[i]!, right);
  return [items[0]!, right];
}

function checkArguments(parsed: Type): void {
  const [first, second] = parsed.args;
  if (
    (parsed.prim === "set" ||
      parsed.prim === "map" ||
      parsed.prim === "big_map" ||
      parsed.prim === "ticket") &&
    !isComparable(first!)
  ) {
    throw new MichelsonError(permanent("michelson_v1.type_not_comparable", { type: unparseType(first!) }));
  }
  if (parsed.prim === "big_map" && !isBigMapValue(second!)) throw forbidden("unexpected_bigmap");
  if (parsed.prim === "contract" && !isPassable(first!)) throw forbidden("unexpected_operation");
  if ((parsed.prim === "list" || parsed.prim === "option") && first === undefined)
    throw forbidden("invalid_arity");
}

const forbidden = (id: string): MichelsonError => new MichelsonError(permanent(`michelson_v1.${id}`));

function notType(node: Micheline): MichelsonError {
  if (isPrim(node))
    return new MichelsonError(
      permanent("michelson_v1.invalid_primitive", {
        expected_primitive_names: Object.keys(ARITY),
        wrong_primitive_name: node.prim,
        location: 0,
      }),
    );
  return new MichelsonError(
    permanent("michelson_v1.invalid_expression_kind", {
      expected_kinds: ["primitiveApplication"],
      wrong_kind: "other",
      location: 0,
    }),
  );
}

function arity(node: MichelinePrim, expected: number): MichelsonError {
  return new MichelsonError(
    permanent("michelson_v1.invalid_arity", {
      primitive_name: node.prim,
      expected_arity: expected,
      wrong_arity: node.args?.length ?? 0,
      location: 0,
    }),
  );
}

/** Micheline of a type with its annotations; right combs without annotations of their own are written flat. */
export function unparseType(t: Type): Micheline {
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

/** Micheline of the type of an entrypoint, without the entrypoint's own name. */
export function unparseEntrypoint({ prim, args, annots = [] }: Type): Micheline {
  const kept = annots.filter((annotation) => !annotation.startsWith("%"));
  return unparseType({ prim, args, ...(kept.length > 0 && { annots: kept }) });
}

/** Micheline of a type as two equal types have it in common: no annotations at all. */
export function plainType(t: Type): Micheline {
  return t.args.length > 0 ? { prim: t.prim, args: t.args.map(plainType) } : { prim: t.prim };
}

/** Types found to be equal, as a forest: two of one tree need no second walk. */
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

export function sameType(a: Type, b: Type): boolean {
  if (a === b) return true;
  if (a.prim !== b.prim || a.args.length !== b.args.length) return false;
  if (a.args.length === 0) return true;
  const [x, y] = [rootOf(a), rootOf(b)];
  if (x === y) return true;
  for (let i = 0; i < a.args.length; i++) if (!sameType(a.args[i]!, b.args[i]!)) return false;
  equalTo.set(x, y);
  return true;
}

/** Largest number of nodes in a type (protocol constant `michelson_maximum_type_size`). */
const MAX_TYPE_SIZE = 2_001;

/** Primitives that rules about classes of types ask for, as bits. */
const MARKS: Readonly<Record<string, number>> = { operation: 1, big_map: 2, contract: 4, ticket: 8 };
const NOT_COMPARABLE = 16;

interface Facts {
  readonly size: number;
  /** Marks of what the type holds, outside of the arguments of lambdas and contracts. */
  readonly holds: number;
}

/** Computed once a type, because rules are asked for each instruction and types share their parts. */
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
  if (!COMPARABLE_LEAVES.has(t.prim) && t.prim !== "pair" && t.prim !== "or" && t.prim !== "option")
    holds |= NOT_COMPARABLE;
  const found = { size, holds };
  facts.set(t, found);
  return found;
}

/** Nodes of a type. */
export const typeSize = (t: Type): number => factsOf(t).size;

/**
 * Refuses types that are too large. Pairs of copies double the type with each step, and with it the time to
 * compare, pack or print its values.
 * @throws MichelsonError
 */
export function requireTypeSize(t: Type): void {
  const size = typeSize(t);
  if (size > MAX_TYPE_SIZE) {
    throw new MichelsonError(
      permanent("michelson_v1.type_too_large", { type_size: size, maximum_type_size: MAX_TYPE_SIZE }),
    );
  }
}

export const isComparable = (t: Type): boolean => (factsOf(t).holds & NOT_COMPARABLE) === 0;

/** True when no part of the type, outside of lambda and contract arguments, is one of the given primitives. */
function lacks(t: Type, ...prims: readonly string[]): boolean {
  const { holds } = factsOf(t);
  return prims.every((prim) => (holds & MARKS[prim]!) === 0);
}

export const isDuplicable = (t: Type): boolean => lacks(t, "ticket");
export const isPushable = (t: Type): boolean => lacks(t, "operation", "big_map", "contract", "ticket");
export const isPackable = (t: Type): boolean => lacks(t, "operation", "big_map", "ticket");
export const isUnpackable = (t: Type): boolean => lacks(t, "operation", "big_map", "contract", "ticket");
export const isStorable = (t: Type): boolean => lacks(t, "operation", "contract");
export const isPassable = (t: Type): boolean => lacks(t, "operation");
export const isBigMapValue = (t: Type): boolean => lacks(t, "operation", "big_map");
export const isViewable = (t: Type): boolean => lacks(t, "operation", "big_map", "ticket");
export const holdsBigMap = (t: Type): boolean => !lacks(t, "big_map");
