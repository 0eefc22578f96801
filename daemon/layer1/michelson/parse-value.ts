// Micheline data to values of a known type, in both readable and optimized form.
// Source of costs, errors and their order: Octez, `parse_data` in `script_ir_translator.ml`.
import { splitAddress } from "../../tezos/address.ts";
import { expressionSize, hasArity, isPrim, type Micheline } from "../../tezos/micheline.ts";
import { type Job, finish } from "../job.ts";
import { CHECK_DATUM, CHECK_INSTRUCTION, CHECK_TYPE_NODE, serializeCost, stripCost } from "./check-costs.ts";
import { keySize, setUpdateCost, updateCost } from "./costs.ts";
import type { DataScope } from "./data-scope.ts";
import type { GasMeter } from "./gas.ts";
import { sizeOfTrie } from "./hash-trie.ts";
import { MAP_ORDER, SET_ORDER, requireAscending } from "./literal-order.ts";
import { readLiteralPoints } from "./literal-points.ts";
import {
  MichelsonError,
  type ProtocolErrorFields,
  permanent,
  traceErrors,
  traceJobErrors,
} from "./michelson-error.ts";
import { fromSorted } from "./ordered-tree.ts";
import { hashKey } from "./pack.ts";
import { LeafReader } from "./parse-leaf.ts";
import { readTicket, type TicketReading } from "./parse-ticket.ts";
import { wrongPrimitive } from "./type-errors.ts";
import { plainType, sameType, type Type, type, type TypeOf, typeSize } from "./type.ts";
import {
  type BigMapValue,
  type LambdaValue,
  NONE,
  type OptionValue,
  type PairValue,
  type Value,
  changeBigMap,
  listOf,
  pair,
  some,
} from "./value.ts";

/**
 * Reads a datum in one go: one that is short, or of the state. @throws MichelsonError as {@link readValue}
 */
export function parseValue(t: Type, node: Micheline, scope: DataScope): Value {
  return finish(readValue(t, node, scope));
}

/** Reads untrusted data. @throws MichelsonError when it does not have the type, or gas does not suffice */
export function readValue(t: Type, node: Micheline, scope: DataScope): Job<Value> {
  return new DataReader(scope).read(t, node);
}

class DataReader {
  readonly #scope: DataScope;
  readonly #gas: GasMeter;
  readonly #leaves: LeafReader;

  constructor(scope: DataScope) {
    this.#scope = scope;
    this.#gas = scope.gas;
    this.#leaves = new LeafReader(scope);
  }

  *read(t: Type, node: Micheline): Job<Value> {
    if (isSimple(t)) return this.#simple(t, node);
    this.#gas.spend(CHECK_DATUM);
    if (this.#gas.isRestDue()) yield;
    // These two say themselves what belongs to the value.
    if (t.prim === "ticket") return yield* readTicket(t, node, this.#forTickets());
    if (t.prim === "lambda") return yield* this.#lambda(t, node);
    // The innermost value comes last among the errors.
    return yield* traceJobErrors(() => this.#wrong(t, node), this.#value(t, node));
  }

  #forTickets(): TicketReading {
    return {
      isAllowed: this.#scope.allowTickets,
      gas: this.#gas,
      read: (t, node) => this.read(t, node),
      at: (node) => this.#at(node),
      wrong: (t, node) => this.#wrong(t, node),
      badKind: (node) => this.#leaves.badKind(["primitiveApplication"], node),
    };
  }

  /** What has no parts is read without a job of its own: there may be very many. */
  #simple(t: Type, node: Micheline): Value {
    this.#gas.spend(CHECK_DATUM);
    return traceErrors(
      () => this.#wrong(t, node),
      () => this.#leaf(t, node),
    );
  }

  #at(node: Micheline): number {
    return this.#scope.location?.(node) ?? 0;
  }

  #wrong(t: Type, node: Micheline): ProtocolErrorFields {
    return permanent("michelson_v1.invalid_constant", {
      location: this.#at(node),
      expected_type: plainType(t),
      wrong_expression: node,
    });
  }

  #leaf(t: Type, node: Micheline): Value {
    const leaf = this.#leaves.read(t.prim, node);
    if (leaf !== undefined) return leaf;
    switch (t.prim) {
      case "bool":
        return this.#constant(node, { True: 0, False: 0 }).name === "True";
      case "unit":
        this.#constant(node, { Unit: 0 });
        return true;
      case "never":
        throw new MichelsonError(permanent("michelson_v1.invalid_never_expr", { location: this.#at(node) }));
      default:
        throw new MichelsonError(this.#wrong(t, node));
    }
  }

  *#value(t: Type, node: Micheline): Job<Value> {
    switch (t.prim) {
      case "contract":
        return this.#contract(t, node);
      case "pair":
        return yield* this.#pair(t, node);
      case "option": {
        const { args } = this.#constant(node, { Some: 1, None: 0 });
        const [inner] = args;
        return inner === undefined ? NONE : some(yield* this.read(t.args[0], inner));
      }
      case "or": {
        const { name, args } = this.#constant(node, { Left: 1, Right: 1 });
        const isLeft = name === "Left";
        return { isLeft, value: yield* this.read(t.args[isLeft ? 0 : 1], args[0]!) };
      }
      case "list":
        return yield* this.#list(t, node);
      case "set":
        return yield* this.#set(t, node);
      case "map":
        return yield* this.#map(t, node);
      case "big_map":
        return yield* this.#bigMap(t, node);
      default:
        throw new MichelsonError(this.#wrong(t, node));
    }
  }

  /** Name and arguments of a constant, which must be one of `known` with that number of arguments. */
  #constant(
    node: Micheline,
    known: Readonly<Record<string, number>>,
  ): { readonly name: string; readonly args: readonly Micheline[] } {
    if (!isPrim(node)) throw this.#leaves.badKind(["primitiveApplication"], node);
    const expected = known[node.prim];
    const args = node.args ?? [];
    if (expected === undefined)
      throw wrongPrimitive(node.prim, Object.keys(known), "constant", this.#at(node));
    if (args.length !== expected) throw this.#badArity(node.prim, expected, args.length, node);
    if (node.annots?.length)
      throw new MichelsonError(permanent("michelson_v1.unexpected_annotation", { location: this.#at(node) }));
    return { name: node.prim, args };
  }

  #badArity(name: string, expected: number, found: number, node: Micheline): MichelsonError {
    return new MichelsonError(
      permanent("michelson_v1.invalid_arity", {
        location: this.#at(node),
        primitive_name: name,
        expected_arity: expected,
        wrong_arity: found,
      }),
    );
  }

  #contract(t: TypeOf<"contract">, node: Micheline): Value {
    const { address, entrypoint } = splitAddress(this.#leaves.address(node));
    const [argument] = t.args;
    this.#gas.spend(CHECK_INSTRUCTION);
    if (this.#scope.hasEntrypoint(address, entrypoint, argument, this.#gas)) return { address, entrypoint };
    throw new MichelsonError(
      permanent("michelson_v1.invalid_contract", { location: this.#at(node), contract: address }),
    );
  }

  /** `Pair a b`, `Pair a b c ...`, and `{a; b; ...}` denote the same right comb. */
  *#pair(t: TypeOf<"pair">, node: Micheline): Job<PairValue> {
    const items = Array.isArray(node) ? (node as readonly Micheline[]) : this.#pairItems(node);
    if (Array.isArray(node) && items.length < 2)
      throw new MichelsonError(
        permanent("michelson_v1.invalid_seq_arity", {
          location: this.#at(node),
          minimal_expected_arity: 2,
          wrong_arity: items.length,
        }),
      );
    return yield* this.#comb(t, node, items, 0);
  }

  #pairItems(node: Micheline): readonly Micheline[] {
    if (!isPrim(node)) throw this.#leaves.badKind(["primitiveApplication"], node);
    if (node.prim !== "Pair") throw wrongPrimitive(node.prim, ["Pair"], "constant", this.#at(node));
    if (node.annots?.length)
      throw new MichelsonError(permanent("michelson_v1.unexpected_annotation", { location: this.#at(node) }));
    const items = node.args ?? [];
    if (items.length < 2) throw this.#badArity("Pair", 2, items.length, node);
    return items;
  }

  /** The comb of the items from `from` on, without copying them: there may be a thousand. */
  *#comb(t: TypeOf<"pair">, node: Micheline, items: readonly Micheline[], from: number): Job<PairValue> {
    const [left, right] = t.args;
    if (this.#gas.isRestDue()) yield;
    const first = isSimple(left) ? this.#simple(left, items[from]!) : yield* this.read(left, items[from]!);
    const rest = items.length - from - 1;
    if (rest === 1)
      return pair(
        first,
        isSimple(right) ? this.#simple(right, items[from + 1]!) : yield* this.read(right, items[from + 1]!),
      );
    if (right.prim !== "pair") throw this.#badArity("Pair", 2, rest + 1, node);
    this.#gas.spend(CHECK_DATUM);
    // The remaining items count as a pair of their own at the same location.
    const following = (): ProtocolErrorFields => ({
      ...this.#wrong(right, { prim: "Pair", args: items.slice(from + 1) }),
      location: this.#at(node),
    });
    return pair(first, yield* traceJobErrors(following, this.#comb(right, node, items, from + 1)));
  }

  #sequence(node: Micheline): readonly Micheline[] {
    if (!Array.isArray(node)) throw this.#leaves.badKind(["sequence"], node);
    return node as readonly Micheline[];
  }

  *#list(t: TypeOf<"list">, node: Micheline): Job<Value> {
    const [element] = t.args;
    const items = this.#sequence(node);
    const values: Value[] = [];
    // From last to first, the order in which the protocol meets errors.
    for (const item of items.toReversed()) {
      if (this.#gas.isRestDue()) yield;
      values.push(isSimple(element) ? this.#simple(element, item) : yield* this.read(element, item));
    }
    return listOf(values.reverse());
  }

  *#set(t: TypeOf<"set">, node: Micheline): Job<Value> {
    const [element] = t.args;
    const values: Value[] = [];
    for (const item of this.#sequence(node)) {
      if (this.#gas.isRestDue()) yield;
      const value = isSimple(element) ? this.#simple(element, item) : yield* this.read(element, item);
      const last = values.at(-1);
      if (last !== undefined)
        requireAscending(element, last, value, this.#gas, SET_ORDER, this.#at(node), node);
      this.#gas.spend(setUpdateCost(keySize(element, value), values.length));
      values.push(value);
    }
    return { items: fromSorted(values.map((value) => [value, true] as const)) };
  }

  /** Passes key and value of each element to `take`, requiring ascending keys. */
  *#elements(
    t: TypeOf<"map" | "big_map">,
    node: Micheline,
    take: (element: Element) => void,
    hash?: (key: Value) => string,
  ): Job<void> {
    const [keyType, valueType] = t.args;
    let last: Value | undefined;
    for (const item of this.#sequence(node)) {
      if (!isPrim(item)) throw new MichelsonError(this.#wrong(t, node));
      const args = item.args ?? [];
      if (item.prim !== "Elt")
        throw new MichelsonError(
          permanent("michelson_v1.invalid_primitive", {
            location: this.#at(item),
            expected_primitive_names: ["Elt"],
            wrong_primitive_name: item.prim,
          }),
        );
      if (!hasArity(args, 2)) throw this.#badArity("Elt", 2, args.length, item);
      if (this.#gas.isRestDue()) yield;
      const key = isSimple(keyType) ? this.#simple(keyType, args[0]) : yield* this.read(keyType, args[0]);
      const hashed = hash?.(key) ?? "";
      const value = isSimple(valueType)
        ? this.#simple(valueType, args[1])
        : yield* this.read(valueType, args[1]);
      if (last !== undefined)
        requireAscending(keyType, last, key, this.#gas, MAP_ORDER, this.#at(item), node);
      last = key;
      take({ key, hash: hashed, value });
    }
  }

  *#map(t: TypeOf<"map">, node: Micheline): Job<Value> {
    const entries: [Value, Value][] = [];
    yield* this.#elements(t, node, ({ key, value }) => {
      this.#gas.spend(updateCost(keySize(t.args[0], key), entries.length));
      entries.push([key, value]);
    });
    return { entries: fromSorted(entries) };
  }

  /** An id, entries, or both: `Pair 4 { Elt 1 None }`. */
  *#bigMap(t: TypeOf<"big_map">, node: Micheline): Job<Value> {
    const [keyType, valueType] = t.args;
    if (!Array.isArray(node) && "int" in node) return this.#storedBigMap(t, node);
    const changed =
      isPrim(node) && node.prim === "Pair" && node.args && hasArity(node.args, 2) ? node.args : undefined;
    if (!Array.isArray(node) && !changed)
      throw isPrim(node)
        ? wrongPrimitive(node.prim, ["Pair"], "constant", this.#at(node))
        : this.#leaves.badKind(["sequence", "integer"], node);
    const entries = changed ? changed[1] : node;
    const read = changed ? type("big_map", keyType, type("option", valueType)) : t;
    let map: BigMapValue = { id: undefined, changes: undefined };
    const take = ({ key, hash, value }: Element): void => {
      this.#gas.spend(updateCost(HASH_BYTES, sizeOfTrie(map.changes)));
      map = changeBigMap(map, hash, key, changed ? (value as OptionValue).some : value);
    };
    yield* this.#elements(read, entries, take, (key) => hashKey(keyType, key, this.#gas));
    if (!changed) return map;
    return { id: this.#storedBigMap(t, changed[0]).id, changes: map.changes };
  }

  #storedBigMap(t: TypeOf<"big_map">, node: Micheline): BigMapValue {
    const id = this.#leaves.integer(node);
    const location = this.#at(node);
    if (!this.#scope.allowBigMapIds)
      throw new MichelsonError(permanent("michelson_v1.unexpected_forged_value", { location }));
    const types = this.#scope.bigMapTypes(id, this.#gas);
    if (!types)
      throw new MichelsonError(
        permanent("michelson_v1.invalid_big_map", { location, big_map: id.toString() }),
      );
    this.#gas.spend(CHECK_TYPE_NODE * (typeSize(types.key) + typeSize(types.value)));
    for (const [wanted, found] of [
      [t.args[0], types.key],
      [t.args[1], types.value],
    ] as const) {
      if (!sameType(wanted, found, this.#gas))
        throw new MichelsonError(
          permanent("michelson_v1.inconsistent_types", {
            loc: location,
            first_type: plainType(wanted),
            other_type: plainType(found),
          }),
        );
    }
    return { id, changes: undefined };
  }

  *#lambda(t: TypeOf<"lambda">, node: Micheline): Job<Value> {
    const isRecursive =
      isPrim(node) && node.prim === "Lambda_rec" && node.args?.length === 1 && Array.isArray(node.args[0]);
    const code = isRecursive ? node.args[0]! : node;
    yield* readLiteralPoints(code, this.#gas);
    const wrong = (): ProtocolErrorFields => this.#wrong(t, node);
    const compiled = this.#compiled(t, node, code, isRecursive);
    if (isRecursive) return yield* traceJobErrors(wrong, this.#written(compiled));
    return yield* this.#written(traceJobErrors(wrong, compiled));
  }

  *#compiled(t: TypeOf<"lambda">, node: Micheline, code: Micheline, recursive: boolean): Job<LambdaValue> {
    if (!Array.isArray(code)) throw this.#leaves.badKind(["sequence"], node);
    return yield* this.#scope.compileLambda(t.args[0], t.args[1], code, recursive);
  }

  /** A lambda as it is kept: its code in optimized form. */
  *#written(compiled: Job<LambdaValue>): Job<LambdaValue> {
    const lambda = yield* compiled;
    const written = yield* lambda.rewrite(lambda.code, "optimized", this.#gas);
    const size = expressionSize(written);
    this.#gas.spend(stripCost(size.nodes - size.annotations) + serializeCost(size));
    return { ...lambda, code: written };
  }
}

/** Whether the type is a leaf. */
const isSimple = (t: Type): boolean => t.args.length === 0;

interface Element {
  readonly key: Value;
  readonly hash: string;
  readonly value: Value;
}

/** Bytes of the hash of a big-map key. */
const HASH_BYTES = 32;
