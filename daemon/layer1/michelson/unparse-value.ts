// Values to Micheline. "readable" is the form for people and most RPCs, "optimized" the one that the chain stores and
// sends to rollups, "packed" the older optimized form of PACK and key hashes (pairs always nested).
// Source of forms and costs: Octez `script_ir_unparser.ml`.
import {
  chainIdBytes,
  fullAddressBytes,
  joinAddress,
  keyHashBytes,
  publicKeyBytes,
  signatureBytes,
} from "../../tezos/address.ts";
import { hexOfByteText } from "../../tezos/byte-text.ts";
import { toHex } from "../../tezos/hex.ts";
import { MAX_DEPTH, type Micheline, expressionSize, extentOf, integer } from "../../tezos/micheline.ts";
import { bytesOf } from "../../tezos/number-length.ts";
import { type Job, finish } from "../job.ts";
import { writeFieldElement, writePoint } from "./bls.ts";
import { WRITE_COSTS, WRITE_DATUM, serializeCost, stripCost } from "./check-costs.ts";
import type { GasMeter } from "./gas.ts";
import { type InternalOperation, encodeInternal } from "./internal-operation.ts";
import { MichelsonError, temporary } from "./michelson-error.ts";
import { inOrder } from "./ordered-tree.ts";
import { formatTimestamp } from "./timestamp.ts";
import { ADDRESS, NAT, type Type, isUnbounded, type, type TypeOf } from "./type.ts";
import {
  type BigMapValue,
  type ContractValue,
  type LambdaValue,
  type ListValue,
  type MapValue,
  NONE,
  type OperationValue,
  type OptionValue,
  type OrValue,
  type PairValue,
  type PointValue,
  type SetValue,
  type TicketValue,
  type Value,
  type Form,
  bigMapChanges,
  compareValues,
  itemsOf,
  itemsOfSet,
  pair,
  some,
} from "./value.ts";

export type { Form } from "./value.ts";

/**
 * The expression of a value. A given meter is charged for nodes and bytes before they are created: values share
 * components, expressions and bytes do not. Rests after some thousand nodes.
 * @throws MichelsonError when it nests too deeply to be read back, or gas does not suffice
 */
export function* unparseWithRests(t: Type, value: Value, form: Form, gas?: GasMeter): Job<Micheline> {
  const expression = yield* writeWithRests(t, value, form, gas);
  if (gas) {
    if (isUnbounded(t)) yield; // the size of a long expression takes a while by itself
    const size = expressionSize(expression);
    gas.spend(stripCost(size.nodes - size.annotations));
    gas.spend(serializeCost(size));
  }
  return expression;
}

/** As {@link unparseWithRests}, for a subexpression whose bytes are charged with the whole. */
export const writeWithRests = (t: Type, value: Value, form: Form, gas?: GasMeter): Job<Micheline> =>
  new Unparser(form, gas).write(t, value, 1);

/** As {@link unparseWithRests} in one go, for what is known to be small. */
export const unparseValue = (t: Type, value: Value, form: Form, gas?: GasMeter): Micheline =>
  finish(unparseWithRests(t, value, form, gas));

/** Nodes written before others get a turn: about a millisecond. */
const NODES_IN_ONE_GO = 2_000;

/** Costs of the two forms of a leaf. */
interface LeafCost {
  readonly readable: number;
  readonly optimized: number;
}

class Unparser {
  readonly #form: Form;
  readonly #gas: GasMeter | undefined;
  /** Nodes since the last rest. */
  #nodes = 0;

  constructor(form: Form, gas: GasMeter | undefined) {
    this.#form = form;
    this.#gas = gas;
  }

  *write(t: Type, value: Value, depth: number): Job<Micheline> {
    if (!isUnbounded(t)) return this.#unparse(t, value, depth);
    this.#enter(depth);
    if (this.#isRestDue()) yield;
    switch (t.prim) {
      case "pair": {
        const items: Micheline[] = [];
        for (const [part, item] of this.#components(t, value as PairValue))
          items.push(yield* this.write(part, item, depth + 1));
        return this.#comb(items);
      }
      case "option": {
        const inner = (value as OptionValue).some;
        return optionOf(inner === undefined ? undefined : yield* this.write(t.args[0], inner, depth + 1));
      }
      case "or": {
        const { isLeft, value: inner } = value as OrValue;
        return orOf(isLeft, yield* this.write(t.args[isLeft ? 0 : 1], inner, depth + 1));
      }
      case "list":
        return yield* this.#each(t.args[0], itemsOf(value as ListValue), depth);
      case "set":
        return yield* this.#each(t.args[0], itemsOfSet(value as SetValue), depth);
      case "map": {
        const entries: Micheline[] = [];
        for (const entry of inOrder((value as MapValue).entries))
          entries.push(yield* this.#elt(t, entry.key, entry.value, depth + 1));
        return entries;
      }
      case "big_map":
        return yield* this.#bigMap(t, value as BigMapValue, depth);
      case "lambda":
        return yield* this.#lambda(value as LambdaValue, depth);
      default:
        throw new TypeError(`values of type ${t.prim} have no expression`);
    }
  }

  #enter(depth: number): void {
    if (depth > MAX_DEPTH) throw tooDeep();
    this.#gas?.spend(WRITE_DATUM);
    this.#nodes++;
  }

  #isRestDue(): boolean {
    if (this.#nodes < NODES_IN_ONE_GO) return false;
    this.#nodes = 0;
    return true;
  }

  /** A value of a type whose values have no more nodes than the type. */
  #unparse(t: Type, value: Value, depth: number): Micheline {
    this.#enter(depth);
    switch (t.prim) {
      case "int":
      case "nat":
      case "mutez":
        return this.#number(value as bigint);
      case "timestamp": {
        if (this.#form !== "readable") return this.#number(value as bigint);
        this.#gas?.spend(WRITE_COSTS.timestamp);
        const text = formatTimestamp(value as bigint);
        return text === undefined ? this.#number(value as bigint) : { string: text };
      }
      case "string":
        return { string: value as string };
      case "bytes":
        return { bytes: hexOfByteText(value as string) };
      case "bool":
        return { prim: value === true ? "True" : "False" };
      case "unit":
        return { prim: "Unit" };
      case "address":
        return this.#text(value as string, WRITE_COSTS.keyHash, fullAddressBytes);
      case "contract": {
        const { address, entrypoint } = value as ContractValue;
        return this.#text(joinAddress(address, entrypoint), WRITE_COSTS.keyHash, fullAddressBytes);
      }
      case "key_hash":
        return this.#text(value as string, WRITE_COSTS.keyHash, keyHashBytes);
      case "key":
        return this.#text(value as string, WRITE_COSTS.key, publicKeyBytes);
      case "signature":
        return this.#text(value as string, WRITE_COSTS.signature, signatureBytes);
      case "chain_id":
        return this.#text(value as string, WRITE_COSTS.chainId, chainIdBytes);
      case "bls12_381_fr":
        this.#gas?.spend(WRITE_COSTS.fr);
        return { bytes: writeFieldElement(value as bigint) };
      case "bls12_381_g1":
        this.#gas?.spend(WRITE_COSTS.g1);
        return { bytes: writePoint(value as PointValue) };
      case "bls12_381_g2":
        this.#gas?.spend(WRITE_COSTS.g2);
        return { bytes: writePoint(value as PointValue) };
      default:
        return this.#compound(t, value, depth);
    }
  }

  #compound(t: Type, value: Value, depth: number): Micheline {
    switch (t.prim) {
      case "pair": {
        const parts = this.#components(t, value as PairValue);
        return this.#comb(parts.map(([part, item]) => this.#unparse(part, item, depth + 1)));
      }
      case "option": {
        const inner = (value as OptionValue).some;
        return optionOf(inner === undefined ? undefined : this.#unparse(t.args[0], inner, depth + 1));
      }
      case "or": {
        const { isLeft, value: inner } = value as OrValue;
        return orOf(isLeft, this.#unparse(t.args[isLeft ? 0 : 1], inner, depth + 1));
      }
      case "operation":
        return { bytes: toHex(encodeInternal((value as OperationValue).operation as InternalOperation)) };
      case "ticket": {
        const { ticketer, contents, amount } = value as TicketValue;
        const shown = pair(ticketer, pair(contents, amount));
        const parts = this.#components(type("pair", ADDRESS, type("pair", t.args[0], NAT)), shown);
        return this.#comb(parts.map(([part, item]) => this.#unparse(part, item, depth + 1)));
      }
      default:
        throw new TypeError(`values of type ${t.prim} have no expression`);
    }
  }

  #number(value: bigint): Micheline {
    // Long numbers are charged before they are converted; a number too large for a text has no expression.
    const size = bytesOf(value);
    if (size > 64) this.#gas?.check(25 * size);
    return integer(value);
  }

  #text(value: string, cost: LeafCost, toBytes: (text: string) => Uint8Array | undefined): Micheline {
    const isReadable = this.#form === "readable";
    this.#gas?.spend(isReadable ? cost.readable : cost.optimized);
    return isReadable ? { string: value } : { bytes: toHex(toBytes(value)!) };
  }

  *#each(t: Type, items: readonly Value[], depth: number): Job<Micheline> {
    const written: Micheline[] = [];
    for (const item of items) {
      written.push(
        isUnbounded(t) ? yield* this.write(t, item, depth + 1) : this.#unparse(t, item, depth + 1),
      );
      if (this.#isRestDue()) yield;
    }
    return written;
  }

  /** The id of a stored map with its changes; the entries of a new one. In the order of the keys. */
  *#bigMap(t: TypeOf<"big_map">, map: BigMapValue, depth: number): Job<Micheline> {
    const [keyType, valueType] = t.args;
    const changes = bigMapChanges(map).map(([, change]) => change);
    const number = { int: map.id?.toString() ?? "" };
    if (map.id !== undefined && changes.length === 0) return number;
    changes.sort((a, b) => compareValues(keyType, a.key, b.key));
    const entries: Micheline[] = [];
    if (map.id === undefined) {
      for (const { key, value } of changes)
        if (value !== undefined) entries.push(yield* this.#elt(t, key, value, depth + 1));
      return entries;
    }
    const optional = type("big_map", keyType, type("option", valueType));
    for (const { key, value } of changes)
      entries.push(yield* this.#elt(optional, key, value === undefined ? NONE : some(value), depth + 1));
    return { prim: "Pair", args: [number, entries] };
  }

  *#elt(t: TypeOf<"map" | "big_map">, key: Value, value: Value, depth: number): Job<Micheline> {
    const written = this.#unparse(t.args[0], key, depth + 1);
    if (this.#isRestDue()) yield;
    return { prim: "Elt", args: [written, yield* this.write(t.args[1], value, depth + 1)] };
  }

  *#lambda({ code, recursive, rewrite }: LambdaValue, depth: number): Job<Micheline> {
    const extent = extentOf(code);
    if (depth + extent.depth + 1 > MAX_DEPTH) throw tooDeep();
    if (extent.bytes > MAX_CODE_BYTES) throw new MichelsonError(temporary("sandbox.value_too_large"));
    const written = yield* rewrite(code, this.#form, this.#gas);
    return recursive ? { prim: "Lambda_rec", args: [written] } : written;
  }

  /** What a pair shows side by side. Source of the comb rule: Octez `script_ir_unparser.ml`, `unparse_pair`. */
  #components(t: TypeOf<"pair">, value: PairValue): [Type, Value][] {
    const { left, right } = value;
    if (this.#form === "packed")
      return [
        [t.args[0], left],
        [t.args[1], right],
      ];
    const components: [Type, Value][] = [];
    let [currentType, current]: [Type, Value] = [t, value];
    while (currentType.prim === "pair") {
      components.push([currentType.args[0], (current as PairValue).left]);
      [currentType, current] = [currentType.args[1], (current as PairValue).right];
    }
    components.push([currentType, current]);
    return components;
  }

  #comb(items: readonly Micheline[]): Micheline {
    if (this.#form !== "optimized" || items.length === 2) return { prim: "Pair", args: items };
    if (items.length >= 4) return items;
    return { prim: "Pair", args: [items[0]!, { prim: "Pair", args: items.slice(1) }] };
  }
}

const optionOf = (inner: Micheline | undefined): Micheline =>
  inner === undefined ? { prim: "None" } : { prim: "Some", args: [inner] };

const orOf = (isLeft: boolean, inner: Micheline): Micheline => ({
  prim: isLeft ? "Left" : "Right",
  args: [inner],
});

/** Limit on unparsed code: APPLY of a lambda to itself doubles it each time. */
const MAX_CODE_BYTES = 1_048_576;

/** A value nests too deeply to be read back. */
export const tooDeep = (): MichelsonError =>
  new MichelsonError(temporary("michelson_v1.unparsing_stack_overflow"));
