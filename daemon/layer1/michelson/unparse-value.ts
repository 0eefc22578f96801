// Values to Micheline. "readable" is what people and most RPCs see, "optimized" is what the chain stores and
// sends to rollups, "packed" is the older optimized form that PACK and key hashes use (pairs always nested).
import { toHex } from "../../tezos/hex.ts";
import {
  chainIdBytes,
  fullAddressBytes,
  joinAddress,
  keyHashBytes,
  publicKeyBytes,
  signatureBytes,
} from "../../tezos/address.ts";
import { SERIALIZED_BYTE, UNPARSE_NODE, bytesOf } from "./costs.ts";
import type { GasMeter } from "./gas.ts";
import { MAX_DEPTH, type Micheline, extentOf } from "../../tezos/micheline.ts";
import { MichelsonError, temporary } from "./michelson-error.ts";
import { inOrder } from "./ordered-tree.ts";
import { formatTimestamp } from "./timestamp.ts";
import { ADDRESS, NAT, type Type, type } from "./type.ts";
import {
  type BigMapValue,
  type ContractValue,
  type LambdaValue,
  type ListValue,
  type MapValue,
  type OptionValue,
  type OrValue,
  type PairValue,
  type SetValue,
  type TicketValue,
  type Value,
  bigMapChanges,
  itemsOf,
  itemsOfSet,
} from "./value.ts";

export type Form = "readable" | "optimized" | "packed";

/**
 * The expression of a value. With a meter, its nodes and bytes are paid for before they are made: values share their
 * parts, expressions and bytes written out do not.
 * @throws MichelsonError when it is nested too deeply to be read again, or when gas does not suffice
 */
export function unparseValue(t: Type, value: Value, form: Form, gas?: GasMeter): Micheline {
  return new Unparser(form, gas).unparse(t, value, 1);
}

class Unparser {
  readonly #form: Form;
  readonly #gas: GasMeter | undefined;

  constructor(form: Form, gas: GasMeter | undefined) {
    this.#form = form;
    this.#gas = gas;
  }

  unparse(t: Type, value: Value, depth: number): Micheline {
    if (depth > MAX_DEPTH) throw tooDeep();
    this.#gas?.spend(UNPARSE_NODE);
    switch (t.prim) {
      case "int":
      case "nat":
      case "mutez":
        return this.#number(value as bigint);
      case "timestamp": {
        const text = this.#form === "readable" ? formatTimestamp(value as bigint) : undefined;
        return text === undefined ? this.#number(value as bigint) : { string: text };
      }
      case "string":
        this.#gas?.spend(SERIALIZED_BYTE * (value as string).length);
        return { string: value as string };
      case "bytes":
        this.#gas?.spend((SERIALIZED_BYTE / 2) * (value as string).length);
        return { bytes: value as string };
      case "bool":
        return { prim: value === true ? "True" : "False" };
      case "unit":
        return { prim: "Unit" };
      case "address":
        return this.#text(value as string, fullAddressBytes);
      case "contract": {
        const { address, entrypoint } = value as ContractValue;
        return this.#text(joinAddress(address, entrypoint), fullAddressBytes);
      }
      case "key_hash":
        return this.#text(value as string, keyHashBytes);
      case "key":
        return this.#text(value as string, publicKeyBytes);
      case "signature":
        return this.#text(value as string, signatureBytes);
      case "chain_id":
        return this.#text(value as string, chainIdBytes);
      default:
        return this.#compound(t, value, depth);
    }
  }

  #compound(t: Type, value: Value, depth: number): Micheline {
    const [first] = t.args;
    switch (t.prim) {
      case "pair":
        return this.#pair(t, value as PairValue, depth);
      case "option": {
        const inner = (value as OptionValue).some;
        return inner === undefined
          ? { prim: "None" }
          : { prim: "Some", args: [this.unparse(first!, inner, depth + 1)] };
      }
      case "or": {
        const { isLeft, value: inner } = value as OrValue;
        return {
          prim: isLeft ? "Left" : "Right",
          args: [this.unparse(t.args[isLeft ? 0 : 1]!, inner, depth + 1)],
        };
      }
      case "list":
        return this.#each(first!, itemsOf(value as ListValue), depth);
      case "set":
        return this.#each(first!, itemsOfSet(value as SetValue), depth);
      case "map": {
        const entries: Micheline[] = [];
        for (const entry of inOrder((value as MapValue).entries))
          entries.push(this.#elt(t, entry.key, entry.value, depth + 1));
        return entries;
      }
      case "big_map": {
        const { id } = value as BigMapValue;
        if (id !== undefined) return { int: id.toString() };
        return bigMapChanges(value as BigMapValue).flatMap(([, entry]) =>
          entry.value === undefined ? [] : [this.#elt(t, entry.key, entry.value, depth + 1)],
        );
      }
      case "lambda":
        return this.#lambda(value as LambdaValue, depth);
      case "ticket": {
        const { ticketer, contents, amount } = value as TicketValue;
        return this.#pair(
          type("pair", ADDRESS, type("pair", first!, NAT)),
          { left: ticketer, right: { left: contents, right: amount } },
          depth,
        );
      }
      default:
        throw new TypeError(`values of type ${t.prim} have no expression`);
    }
  }

  #number(value: bigint): Micheline {
    this.#gas?.spend(SERIALIZED_BYTE * bytesOf(value));
    return { int: value.toString() };
  }

  #text(value: string, toBytes: (text: string) => Uint8Array | undefined): Micheline {
    this.#gas?.spend(SERIALIZED_BYTE * value.length);
    return this.#form === "readable" ? { string: value } : { bytes: toHex(toBytes(value)!) };
  }

  #each(t: Type, items: readonly Value[], depth: number): Micheline {
    const written: Micheline[] = [];
    for (const item of items) written.push(this.unparse(t, item, depth + 1));
    return written;
  }

  #elt(t: Type, key: Value, value: Value, depth: number): Micheline {
    return {
      prim: "Elt",
      args: [this.unparse(t.args[0]!, key, depth + 1), this.unparse(t.args[1]!, value, depth + 1)],
    };
  }

  #lambda({ code, recursive }: LambdaValue, depth: number): Micheline {
    const extent = extentOf(code);
    if (depth + extent.depth + 1 > MAX_DEPTH) throw tooDeep();
    this.#gas?.spend(LAMBDA_BYTE * extent.bytes);
    return recursive ? { prim: "Lambda_rec", args: [code] } : code;
  }

  /** Source of the comb rule: Octez `script_ir_unparser.ml`, `unparse_pair`. */
  #pair(t: Type, value: PairValue, depth: number): Micheline {
    if (this.#form === "packed") {
      return {
        prim: "Pair",
        args: [
          this.unparse(t.args[0]!, value.left, depth + 1),
          this.unparse(t.args[1]!, value.right, depth + 1),
        ],
      };
    }
    const items: Micheline[] = [];
    let [currentType, current]: [Type, Value] = [t, value];
    while (currentType.prim === "pair") {
      items.push(this.unparse(currentType.args[0]!, (current as PairValue).left, depth + 1));
      [currentType, current] = [currentType.args[1]!, (current as PairValue).right];
    }
    items.push(this.unparse(currentType, current, depth + 1));
    if (this.#form === "readable") return { prim: "Pair", args: items };
    if (items.length >= 4) return items;
    const last = items.length === 3 ? { prim: "Pair", args: items.slice(1) } : items[1]!;
    return { prim: "Pair", args: [items[0]!, last] };
  }
}

/** Writing a byte of code: its nodes are small, and each is looked at. */
const LAMBDA_BYTE = 30;

const tooDeep = (): MichelsonError =>
  new MichelsonError(temporary("michelson_v1.unparsing_too_many_recursive_calls"));
