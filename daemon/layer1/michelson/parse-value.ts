// Micheline data to values of a known type, in readable and optimized form alike.
import { MAX_MUTEZ } from "../../tezos/parameters.ts";
import { fromHex } from "../../tezos/hex.ts";
import {
  canonicalAddress,
  chainIdBytes,
  chainIdOf,
  fullAddressOf,
  keyHashBytes,
  publicKeyBytes,
  readKeyHash,
  readPublicKey,
  signatureBytes,
  signatureOf,
  splitAddress,
} from "../../tezos/address.ts";
import { ByteReader, MalformedBytes } from "../../tezos/byte-reader.ts";
import { type Micheline, isPrim, isSequence } from "../../tezos/micheline.ts";
import { MichelsonError, permanent } from "./michelson-error.ts";
import { fromSorted } from "./ordered-tree.ts";
import { hashKey } from "./pack.ts";
import { parseTimestamp } from "./timestamp.ts";
import { type Type, unparseType } from "./type.ts";
import {
  type BigMapValue,
  type LambdaValue,
  NONE,
  type PairValue,
  type Value,
  changeBigMap,
  compareValues,
  listOf,
  pair,
  some,
} from "./value.ts";

/** What reading a datum needs to know of the world. */
export interface DataScope {
  compileLambda(argument: Type, result: Type, code: Micheline, recursive: boolean): LambdaValue;
  /** True when the contract exists and its entrypoint takes this type. */
  hasEntrypoint(address: string, entrypoint: string, argument: Type): boolean;
  /** True when a stored big map of this id and these types exists and may be named here. */
  hasBigMap(id: bigint, key: Type, value: Type): boolean;
  /** Tickets may be written out (tests and storage read back from ourselves), never by a user. */
  readonly allowTickets: boolean;
}

const wrong = (t: Type, node: Micheline): MichelsonError =>
  new MichelsonError(
    permanent("michelson_v1.invalid_constant", {
      location: 0,
      expected_type: unparseType(t),
      wrong_expression: node,
    }),
  );

/** A leaf of the right kind whose text is not acceptable. */
const badSyntax = (expected: string, node: Micheline): MichelsonError =>
  new MichelsonError(
    permanent("michelson_v1.invalid_syntactic_constant", {
      location: 0,
      expected_form: expected,
      wrong_expression: node,
    }),
  );

/** @throws MichelsonError when the datum has not the type. */
export function parseValue(t: Type, node: Micheline, scope: DataScope): Value {
  switch (t.prim) {
    case "int":
      return integer(t, node);
    case "nat": {
      const value = integer(t, node);
      if (value < 0n) throw badSyntax("a non-negative integer", node);
      return value;
    }
    case "mutez": {
      const value = integer(t, node);
      if (value < 0n || value > MAX_MUTEZ) throw badSyntax("a valid mutez amount", node);
      return value;
    }
    case "timestamp": {
      if (!isSequence(node) && "int" in node) return BigInt(node.int);
      const seconds = parseTimestamp(textOf(t, node));
      if (seconds === undefined) throw badSyntax("a valid timestamp", node);
      return seconds;
    }
    case "string": {
      const text = textOf(t, node);
      if (!/^[\n\x20-\x7e]*$/.test(text)) throw badSyntax("a printable ASCII string", node);
      return text;
    }
    case "bytes":
      if (isSequence(node) || !("bytes" in node)) throw wrong(t, node);
      return node.bytes.toLowerCase();
    case "bool":
      return primitive(t, node, "True", 0) !== undefined || (primitive(t, node, "False", 0, true), false);
    case "unit":
      primitive(t, node, "Unit", 0, true);
      return true;
    case "address":
      return leaf(t, node, "a valid address", canonicalAddress, fullAddressOf);
    case "contract": {
      const text = leaf(t, node, "a valid address", canonicalAddress, fullAddressOf);
      const { address, entrypoint } = splitAddress(text);
      if (!scope.hasEntrypoint(address, entrypoint, t.args[0]!)) {
        throw new MichelsonError(
          permanent("michelson_v1.invalid_contract", { location: 0, contract: address }),
        );
      }
      return { address, entrypoint };
    }
    case "key_hash":
      return leaf(
        t,
        node,
        "a valid key hash",
        (text) => (keyHashBytes(text) ? text : undefined),
        whole(readKeyHash),
      );
    case "key":
      return leaf(
        t,
        node,
        "a valid public key",
        (text) => (publicKeyBytes(text) ? text : undefined),
        whole(readPublicKey),
      );
    case "signature":
      return leaf(
        t,
        node,
        "a valid signature",
        (text) => (signatureBytes(text) ? text : undefined),
        signatureOf,
      );
    case "chain_id":
      return leaf(t, node, "a valid chain id", (text) => (chainIdBytes(text) ? text : undefined), chainIdOf);
    case "pair":
      return parsePair(t, node, scope);
    case "option": {
      if (primitive(t, node, "None", 0)) return NONE;
      const args = primitive(t, node, "Some", 1, true)!;
      return some(parseValue(t.args[0]!, args[0]!, scope));
    }
    case "or": {
      const left = primitive(t, node, "Left", 1);
      if (left) return { isLeft: true, value: parseValue(t.args[0]!, left[0]!, scope) };
      const right = primitive(t, node, "Right", 1, true)!;
      return { isLeft: false, value: parseValue(t.args[1]!, right[0]!, scope) };
    }
    case "list":
      if (!isSequence(node)) throw wrong(t, node);
      return listOf(node.map((item) => parseValue(t.args[0]!, item, scope)));
    case "set": {
      if (!isSequence(node)) throw wrong(t, node);
      const items = node.map((item) => parseValue(t.args[0]!, item, scope));
      requireAscending(t.args[0]!, items, "unordered_set_literal", "duplicate_set_values_in_literal", node);
      return { items: fromSorted(items.map((item) => [item, true] as const)) };
    }
    case "map":
      return { entries: fromSorted(parseEntries(t, node, scope)) };
    case "big_map":
      return parseBigMap(t, node, scope);
    case "lambda": {
      if (isPrim(node) && node.prim === "Lambda_rec" && node.args?.length === 1) {
        return scope.compileLambda(t.args[0]!, t.args[1]!, node.args[0]!, true);
      }
      if (!isSequence(node)) throw wrong(t, node);
      return scope.compileLambda(t.args[0]!, t.args[1]!, node, false);
    }
    case "ticket":
      return parseTicket(t, node, scope);
    default:
      throw wrong(t, node);
  }
}

function integer(t: Type, node: Micheline): bigint {
  if (isSequence(node) || !("int" in node)) throw wrong(t, node);
  return BigInt(node.int);
}

function textOf(t: Type, node: Micheline): string {
  if (isSequence(node) || !("string" in node)) throw wrong(t, node);
  return node.string;
}

/** Arguments of the expected primitive; undefined when it is another one, or an error when `must`. */
function primitive(
  t: Type,
  node: Micheline,
  name: string,
  count: number,
  must = false,
): readonly Micheline[] | undefined {
  if (isPrim(node) && node.prim === name) {
    const args = node.args ?? [];
    if (args.length === count) return args;
    throw new MichelsonError(
      permanent("michelson_v1.invalid_arity", {
        location: 0,
        primitive_name: name,
        expected_arity: count,
        wrong_arity: args.length,
      }),
    );
  }
  if (!must) return undefined;
  if (isPrim(node))
    throw new MichelsonError(
      permanent("michelson_v1.invalid_primitive", {
        location: 0,
        expected_primitive_names: [name],
        wrong_primitive_name: node.prim,
      }),
    );
  throw wrong(t, node);
}

function leaf(
  t: Type,
  node: Micheline,
  expected: string,
  fromText: (text: string) => string | undefined,
  fromBytes: (bytes: Uint8Array) => string | undefined,
): string {
  let value: string | undefined;
  if (!isSequence(node) && "string" in node) value = fromText(node.string);
  else if (!isSequence(node) && "bytes" in node) value = fromBytes(fromHex(node.bytes) ?? new Uint8Array());
  else throw wrong(t, node);
  if (value === undefined) throw badSyntax(expected, node);
  return value;
}

/** Reader of a whole byte text; undefined when malformed. */
const whole =
  (read: (reader: ByteReader) => string) =>
  (bytes: Uint8Array): string | undefined => {
    try {
      const reader = new ByteReader(bytes);
      const value = read(reader);
      reader.expectEnd();
      return value;
    } catch (error) {
      if (error instanceof MalformedBytes) return undefined;
      throw error;
    }
  };

/** `Pair a b`, `Pair a b c ...`, and `{a; b; ...}` are the same right comb. */
function parsePair(t: Type, node: Micheline, scope: DataScope): PairValue {
  const items = isSequence(node)
    ? node
    : isPrim(node) && node.prim === "Pair"
      ? (node.args ?? [])
      : undefined;
  if (!items) {
    if (isPrim(node))
      throw new MichelsonError(
        permanent("michelson_v1.invalid_primitive", {
          location: 0,
          expected_primitive_names: ["Pair"],
          wrong_primitive_name: node.prim,
        }),
      );
    throw wrong(t, node);
  }
  return parseComb(t, node, items, 0, scope);
}

/** The items from one place on, without a copy of them: a comb may have a thousand. */
function parseComb(
  t: Type,
  node: Micheline,
  items: readonly Micheline[],
  from: number,
  scope: DataScope,
): PairValue {
  if (items.length - from < 2) throw wrong(t, node);
  const [left, right] = t.args as [Type, Type];
  const first = parseValue(left, items[from]!, scope);
  if (items.length - from === 2) return pair(first, parseValue(right, items[from + 1]!, scope));
  if (right.prim === "pair") return pair(first, parseComb(right, node, items, from + 1, scope));
  throw wrong(right, { prim: "Pair", args: items.slice(from + 1) });
}

function parseEntries(t: Type, node: Micheline, scope: DataScope): readonly (readonly [Value, Value])[] {
  if (!isSequence(node)) throw wrong(t, node);
  const entries = node.map((item) => {
    const [key, value] = primitive(t, item, "Elt", 2, true)!;
    return [parseValue(t.args[0]!, key!, scope), parseValue(t.args[1]!, value!, scope)] as const;
  });
  requireAscending(
    t.args[0]!,
    entries.map(([key]) => key),
    "unordered_map_literal",
    "duplicate_map_keys_in_literal",
    node,
  );
  return entries;
}

function parseBigMap(t: Type, node: Micheline, scope: DataScope): Value {
  if (!isSequence(node) && "int" in node) {
    const id = BigInt(node.int);
    if (!scope.hasBigMap(id, t.args[0]!, t.args[1]!)) {
      throw new MichelsonError(permanent("michelson_v1.invalid_big_map", { location: 0, big_map: node.int }));
    }
    return { id, changes: undefined };
  }
  let map: BigMapValue = { id: undefined, changes: undefined };
  for (const [key, value] of parseEntries(t, node, scope))
    map = changeBigMap(map, hashKey(t.args[0]!, key), key, value);
  return map;
}

function parseTicket(t: Type, node: Micheline, scope: DataScope): Value {
  if (!scope.allowTickets)
    throw new MichelsonError(permanent("michelson_v1.unexpected_forged_value", { location: 0 }));
  const asPair: Type = {
    prim: "pair",
    args: [
      { prim: "address", args: [] },
      { prim: "pair", args: [t.args[0]!, { prim: "nat", args: [] }] },
    ],
  };
  const parsed = parseValue(asPair, node, scope) as PairValue;
  const rest = parsed.right as PairValue;
  return { ticketer: parsed.left as string, contents: rest.left, amount: rest.right as bigint };
}

function requireAscending(
  t: Type,
  keys: readonly Value[],
  unordered: string,
  duplicate: string,
  node: Micheline,
): void {
  for (let i = 1; i < keys.length; i++) {
    const compared = compareValues(t, keys[i - 1]!, keys[i]!);
    if (compared === 0)
      throw new MichelsonError(permanent(`michelson_v1.${duplicate}`, { location: 0, expression: node }));
    if (compared > 0)
      throw new MichelsonError(permanent(`michelson_v1.${unordered}`, { location: 0, expression: node }));
  }
}
