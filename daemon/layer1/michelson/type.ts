// Michelson types: parsing, equality, and the classes of types that instructions require.
import { type Micheline, type MichelinePrim, hasArity, isPrim, kindOf } from "../../tezos/micheline.ts";
import { CHECK_TYPE_NODE, sameTypeCost } from "./check-costs.ts";
import type { GasMeter } from "./gas.ts";
import { MichelsonError, permanent } from "./michelson-error.ts";
import { UNEXPECTED, typeTooLarge, unsupported, wrongPrimitive } from "./type-errors.ts";

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
interface Notes {
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

/** Types of the protocol that this node does not support. */
const UNSUPPORTED = new Set([
  "sapling_state",
  "sapling_transaction",
  "sapling_transaction_deprecated",
  "chest",
  "chest_key",
  "tx_rollup_l2_address",
]);

const TYPE_NAMES: readonly string[] = [...LEAVES, ...UNARY, ...BINARY]
  .filter((name) => name !== "big_map")
  .sort();

const leaves: ReadonlySet<string> = new Set(LEAVES);
const isLeaf = (prim: string): prim is Leaf => leaves.has(prim);
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

/** What a type may contain in its place. */
export interface TypeRules {
  readonly bigMaps: boolean;
  readonly operations: boolean;
  readonly contracts: boolean;
  readonly tickets: boolean;
  /** Names on the branches of an `or` denote entrypoints. */
  readonly entrypoints?: true;
  /** The whole type must be comparable. */
  readonly comparable?: true;
}

/** By the place of the type. Source: Octez, `parse_any_ty` and its successors in `script_ir_translator.ml`. */
export const TYPE_RULES = {
  any: { bigMaps: true, operations: true, contracts: true, tickets: true },
  parameter: { bigMaps: true, operations: false, contracts: true, tickets: true, entrypoints: true },
  passable: { bigMaps: true, operations: false, contracts: true, tickets: true },
  storage: { bigMaps: true, operations: false, contracts: false, tickets: true },
  bigMapValue: { bigMaps: false, operations: false, contracts: false, tickets: true },
  packable: { bigMaps: false, operations: false, contracts: false, tickets: false },
  view: { bigMaps: false, operations: false, contracts: true, tickets: false },
  comparable: { bigMaps: false, operations: false, contracts: false, tickets: false, comparable: true },
} as const satisfies Record<string, TypeRules>;

/** How to read a type. */
export interface TypeReading {
  readonly rules: TypeRules;
  readonly gas?: GasMeter | undefined;
  /** Number of a node, for errors. */
  readonly location?: (node: Micheline) => number;
}

/** @throws MichelsonError when the expression is not a type, or the type is too large or not allowed here */
export function parseType(node: Micheline, reading: TypeReading = { rules: TYPE_RULES.any }): Type {
  const reader = new TypeReader(reading);
  return reading.rules.comparable ? reader.comparable(node) : reader.read(node, reading.rules);
}

class TypeReader {
  readonly #gas: GasMeter | undefined;
  readonly #location: (node: Micheline) => number;

  constructor({ gas, location }: TypeReading) {
    this.#gas = gas;
    this.#location = location ?? (() => 0);
  }

  read(node: Micheline, rules: TypeRules): Type {
    this.#gas?.spend(CHECK_TYPE_NODE);
    if (!isPrim(node)) throw this.#notType(node);
    const args = node.args ?? [];
    const field = rules.entrypoints && fieldOf(node);
    this.#checkAnnotations(node, rules.entrypoints === true);
    const named: Notes = {
      ...(field !== undefined && field.length <= 31 && { field }),
      ...(node.annots?.length && { annots: node.annots }),
      ...(rules.entrypoints && { written: withoutField(node) }),
    };
    const sized = (made: Type): Type => this.#sized({ ...made, ...named }, node);
    const inner: TypeRules = rules.entrypoints ? TYPE_RULES.passable : rules;
    switch (node.prim) {
      case "pair": {
        if (args.length < 2) throw this.#arity(node, 2);
        if (args.length > MAX_TYPE_SIZE) throw typeTooLarge(this.#location(node), MAX_TYPE_SIZE);
        // `pair a b c` is `pair a (pair b c)`.
        const parts: Type[] = [];
        for (const [at, arg] of args.entries()) {
          if (at > 0 && at < args.length - 1) this.#gas?.spend(CHECK_TYPE_NODE);
          parts.push(this.read(withoutField(arg), inner));
        }
        let rest = parts.pop()!;
        while (parts.length > 1) rest = this.#sized(type("pair", parts.pop()!, rest), node);
        return sized(type("pair", parts[0]!, rest));
      }
      case "or": {
        if (!hasArity(args, 2)) throw this.#arity(node, 2);
        const part = (arg: Micheline): Type => this.read(rules.entrypoints ? arg : withoutField(arg), rules);
        return sized(type("or", part(args[0]), part(args[1])));
      }
      case "option":
      case "list":
        if (!hasArity(args, 1)) throw this.#arity(node, 1);
        return sized(type(node.prim, this.read(args[0], inner)));
      case "lambda":
        if (!hasArity(args, 2)) throw this.#arity(node, 2);
        return sized(type("lambda", this.read(args[0], TYPE_RULES.any), this.read(args[1], TYPE_RULES.any)));
      case "contract":
        if (!rules.contracts) throw this.#forbidden("contract", node);
        if (!hasArity(args, 1)) throw this.#arity(node, 1);
        return sized(type("contract", this.read(args[0], TYPE_RULES.passable)));
      case "ticket":
        if (!rules.tickets) throw this.#forbidden("ticket", node);
        if (!hasArity(args, 1)) throw this.#arity(node, 1);
        return sized(type("ticket", this.comparable(args[0])));
      case "set":
        if (!hasArity(args, 1)) throw this.#arity(node, 1);
        return sized(type("set", this.comparable(args[0])));
      case "map":
        if (!hasArity(args, 2)) throw this.#arity(node, 2);
        return sized(type("map", this.comparable(args[0]), this.read(args[1], inner)));
      case "big_map":
        if (!rules.bigMaps) throw this.#forbidden("big_map", node);
        this.#gas?.spend(CHECK_TYPE_NODE);
        if (!hasArity(args, 2)) throw this.#arity(node, 2);
        return sized(type("big_map", this.comparable(args[0]), this.read(args[1], TYPE_RULES.bigMapValue)));
      case "operation":
        if (!rules.operations) throw this.#forbidden("operation", node);
    }
    if (!isLeaf(node.prim)) throw UNSUPPORTED.has(node.prim) ? unsupported(node.prim) : this.#notType(node);
    if (!hasArity(args, 0)) throw this.#arity(node, 0);
    return sized(type(node.prim));
  }

  comparable(node: Micheline): Type {
    const found = this.read(node, TYPE_RULES.comparable);
    if (isComparable(found)) return found;
    throw new MichelsonError(
      permanent("michelson_v1.comparable_type_expected", {
        location: this.#location(node),
        wrong_type: node,
      }),
    );
  }

  #sized(parsed: Type, node: Micheline): Type {
    if (typeSize(parsed) > MAX_TYPE_SIZE) throw typeTooLarge(this.#location(node), MAX_TYPE_SIZE);
    return parsed;
  }

  /** A type may have a type annotation and nothing else. */
  #checkAnnotations(node: MichelinePrim, mayHaveField: boolean): void {
    if (!node.annots?.length) return;
    const names = mayHaveField && node.annots.length < 3 ? (withoutField(node).annots ?? []) : node.annots;
    const isFine = names.length === 0 || (names.length === 1 && /^:([a-zA-Z_0-9][\w.%@]*)?$/.test(names[0]!));
    if (!isFine)
      throw new MichelsonError(
        permanent("michelson_v1.unexpected_annotation", { location: this.#location(node) }),
      );
  }

  #forbidden(prim: keyof typeof UNEXPECTED, node: Micheline): MichelsonError {
    return new MichelsonError(UNEXPECTED[prim](this.#location(node)));
  }

  #notType(node: Micheline): MichelsonError {
    if (isPrim(node)) return wrongPrimitive(node.prim, TYPE_NAMES, "type", this.#location(node));
    return new MichelsonError(
      permanent("michelson_v1.invalid_expression_kind", {
        location: this.#location(node),
        expected_kinds: ["primitiveApplication"],
        wrong_kind: kindOf(node),
      }),
    );
  }

  #arity(node: MichelinePrim, expected: number): MichelsonError {
    return new MichelsonError(
      permanent("michelson_v1.invalid_arity", {
        location: this.#location(node),
        primitive_name: node.prim,
        expected_arity: expected,
        wrong_arity: node.args?.length ?? 0,
      }),
    );
  }
}

/** Name of a field or entrypoint in its annotation. */
const fieldOf = (node: MichelinePrim): string | undefined =>
  node.annots?.find((annotation) => /^%[a-zA-Z_0-9]/.test(annotation))?.slice(1);

/** A component of a type without its field name. */
function withoutField<N extends Micheline>(node: N): N {
  if (!isPrim(node) || !node.annots?.length) return node;
  const at = node.annots.findIndex((annotation) => annotation.startsWith("%"));
  if (at < 0) return node;
  const { annots, ...bare } = node;
  const others = annots.toSpliced(at, 1);
  return (others.length > 0 ? { ...bare, annots: others } : bare) as N;
}

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
const MAX_TYPE_SIZE = 2_001;

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
