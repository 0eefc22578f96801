// Values to Micheline. "readable" is what people and most RPCs see, "optimized" is what the chain stores and
// sends to rollups, "packed" is the older optimized form that PACK and key hashes use (pairs always nested).
import { toHex } from "../../protocol/hex.ts";
import {
  chainIdBytes,
  fullAddressBytes,
  joinAddress,
  keyHashBytes,
  publicKeyBytes,
  signatureBytes,
} from "./address.ts";
import type { Micheline } from "./micheline.ts";
import { formatTimestamp } from "./timestamp.ts";
import { ADDRESS, type Type } from "./type.ts";
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
  itemsOf,
} from "./value.ts";

export type Form = "readable" | "optimized" | "packed";

export function unparseValue(t: Type, value: Value, form: Form): Micheline {
  switch (t.prim) {
    case "int":
    case "nat":
    case "mutez":
      return { int: (value as bigint).toString() };
    case "timestamp": {
      const text = form === "readable" ? formatTimestamp(value as bigint) : undefined;
      return text === undefined ? { int: (value as bigint).toString() } : { string: text };
    }
    case "string":
      return { string: value as string };
    case "bytes":
      return { bytes: value as string };
    case "bool":
      return { prim: value === true ? "True" : "False" };
    case "unit":
      return { prim: "Unit" };
    case "address":
      return text(value as string, form, fullAddressBytes);
    case "contract": {
      const { address, entrypoint } = value as ContractValue;
      return text(joinAddress(address, entrypoint), form, fullAddressBytes);
    }
    case "key_hash":
      return text(value as string, form, keyHashBytes);
    case "key":
      return text(value as string, form, publicKeyBytes);
    case "signature":
      return text(value as string, form, signatureBytes);
    case "chain_id":
      return text(value as string, form, chainIdBytes);
    case "pair":
      return unparsePair(t, value as PairValue, form);
    case "option": {
      const inner = (value as OptionValue).some;
      return inner === undefined
        ? { prim: "None" }
        : { prim: "Some", args: [unparseValue(t.args[0]!, inner, form)] };
    }
    case "or": {
      const { isLeft, value: inner } = value as OrValue;
      return { prim: isLeft ? "Left" : "Right", args: [unparseValue(t.args[isLeft ? 0 : 1]!, inner, form)] };
    }
    case "list":
      return itemsOf(value as ListValue).map((item) => unparseValue(t.args[0]!, item, form));
    case "set":
      return (value as SetValue).items.map((item) => unparseValue(t.args[0]!, item, form));
    case "map": {
      const { keys, values } = value as MapValue;
      return keys.map((key, i) => elt(t, key, values[i]!, form));
    }
    case "big_map": {
      const { id, changes } = value as BigMapValue;
      if (id !== undefined) return { int: id.toString() };
      return [...changes.values()].flatMap((entry) =>
        entry.value === undefined ? [] : [elt(t, entry.key, entry.value, form)],
      );
    }
    case "lambda": {
      const { code, recursive } = value as LambdaValue;
      return recursive ? { prim: "Lambda_rec", args: [code] } : code;
    }
    case "ticket": {
      const { ticketer, contents, amount } = value as TicketValue;
      const asPair: Type = {
        prim: "pair",
        args: [ADDRESS, { prim: "pair", args: [t.args[0]!, { prim: "nat", args: [] }] }],
      };
      return unparsePair(asPair, { left: ticketer, right: { left: contents, right: amount } }, form);
    }
    default:
      throw new TypeError(`values of type ${t.prim} have no expression`);
  }
}

const elt = (t: Type, key: Value, value: Value, form: Form): Micheline => ({
  prim: "Elt",
  args: [unparseValue(t.args[0]!, key, form), unparseValue(t.args[1]!, value, form)],
});

function text(value: string, form: Form, toBytes: (text: string) => Uint8Array | undefined): Micheline {
  return form === "readable" ? { string: value } : { bytes: toHex(toBytes(value)!) };
}

/** Source of the comb rule: Octez `script_ir_unparser.ml`, `unparse_pair`. */
function unparsePair(t: Type, value: PairValue, form: Form): Micheline {
  if (form === "packed") {
    return {
      prim: "Pair",
      args: [unparseValue(t.args[0]!, value.left, form), unparseValue(t.args[1]!, value.right, form)],
    };
  }
  const items: Micheline[] = [];
  let [currentType, current]: [Type, Value] = [t, value];
  while (currentType.prim === "pair") {
    items.push(unparseValue(currentType.args[0]!, (current as PairValue).left, form));
    [currentType, current] = [currentType.args[1]!, (current as PairValue).right];
  }
  items.push(unparseValue(currentType, current, form));
  if (form === "readable") return { prim: "Pair", args: items };
  if (items.length >= 4) return items;
  const last = items.length === 3 ? { prim: "Pair", args: items.slice(1) } : items[1]!;
  return { prim: "Pair", args: [items[0]!, last] };
}
