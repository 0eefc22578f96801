// Michelson values as readable JSON, as in TzKT: pairs as objects, numbers as text, times in ISO form, addresses in
// Base58, lambdas as Micheline text.
// Source of the rules: Netezos, `Contracts/Schemas`.
import { chainIdOf, fullAddressOf, readKeyHash, readPublicKey, signatureOf } from "../../tezos/address.ts";
import { ByteReader } from "../../tezos/byte-reader.ts";
import { fromHex } from "../../tezos/hex.ts";
import { asPair, onlyArgument } from "../../tezos/micheline-data.ts";
import { isPrim, isSequence, type Micheline, prim } from "../../tezos/micheline.ts";
import {
  type HumanType,
  humanType,
  type MapType,
  type Member,
  type OrType,
  type PairType,
} from "./human-type.ts";
import type { Meter } from "./meter.ts";

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** Range of seconds whose ISO form has a year of four digits. */
const FIRST_SECOND = -62_135_596_800n;
const LAST_SECOND = 253_402_300_799n;

/** Characters of each value beside its text. */
const EACH = 4;

/**
 * A value as readable JSON. A value that does not match the type stays Micheline rather than fail.
 * @throws what the meter throws
 */
export function humanValue(type: HumanType, node: Micheline, meter: Meter): Json {
  meter.spend(EACH);
  switch (type.prim) {
    case "pair": {
      const parts = pairFields(type, node);
      if (parts === undefined) return node as Json;
      const object: Record<string, Json> = {};
      for (let i = 0; i < parts.length; i++) {
        const { name, type: field } = type.fields[i]!;
        meter.spend(name.length);
        putField(object, name, humanValue(field, parts[i]!, meter));
      }
      return object;
    }
    case "or":
      return variant(type, node, meter);
    case "option":
      return optionValue(type.args[0], node, meter);
    case "list":
    case "set":
      return isSequence(node) ? node.map((item) => humanValue(type.args[0], item, meter)) : (node as Json);
    case "map":
      return isSequence(node) ? mapValue(type, node, meter) : (node as Json);
    case "big_map":
      return isSequence(node) ? mapValue(type, node, meter) : idOf(node);
    case "sapling_state":
      return isSequence(node) ? [] : idOf(node);
    case "bool":
      return isPrim(node) && /^(?:True|False)$/.test(node.prim) ? node.prim === "True" : (node as Json);
    case "unit":
      return isPrim(node) && node.prim === "Unit" ? {} : (node as Json);
    case "lambda":
      return lambdaText(node, meter);
    case "ticket":
      return ticket(type.args[0], node, meter);
    default:
      return spend(flatText(type, node), meter) ?? (node as Json);
  }
}

function optionValue(type: HumanType, node: Micheline, meter: Meter): Json {
  const name = isPrim(node) ? node.prim : undefined;
  if (name === "None") return null;
  const content = name === "Some" ? onlyArgument(node) : undefined;
  return content === undefined ? (node as Json) : humanValue(type, content, meter);
}

/** A number in the state, of a big map for example. */
const idOf = (node: Exclude<Micheline, readonly Micheline[]>): Json =>
  !isPrim(node) && "int" in node ? Number(node.int) : (node as Json);

function spend(text: string | undefined, meter: Meter): string | undefined {
  if (text !== undefined) meter.spend(text.length);
  return text;
}

/** Deeper code stays Micheline: this function recurses, the writer of answers does not. */
const MAX_LAMBDA_DEPTH = 1_000;

function lambdaText(node: Micheline, meter: Meter): Json {
  if (depthOf(node, MAX_LAMBDA_DEPTH) > MAX_LAMBDA_DEPTH) return node as Json;
  const text = JSON.stringify(node);
  meter.spend(text.length);
  return text;
}

/** Depth of a node, up to a limit. */
function depthOf(node: Micheline, most: number): number {
  let level: readonly Micheline[] = [node];
  for (let depth = 0; depth <= most; depth++) {
    const next = level.flatMap((each) => (isSequence(each) ? each : isPrim(each) ? (each.args ?? []) : []));
    if (next.length === 0) return depth;
    level = next;
  }
  return most + 1;
}

/** Types whose values are a single text: maps with such keys become objects. */
const FLAT = new Set([
  ...[
    "address",
    "bool",
    "bytes",
    "chain_id",
    "contract",
    "int",
    "key",
    "key_hash",
    "mutez",
    "nat",
    "signature",
  ],
  ...["string", "timestamp", "bls12_381_fr", "bls12_381_g1", "bls12_381_g2", "chest", "chest_key"],
]);

export const isFlat = (type: HumanType): boolean => FLAT.has(type.prim);

/** Text of a flat value; undefined for others. */
function flatText({ prim: of }: HumanType, node: Micheline): string | undefined {
  if (isSequence(node)) return undefined;
  if (isPrim(node)) return of === "bool" ? String(node.prim === "True") : undefined;
  if ("string" in node) return of === "timestamp" ? timeText(node.string) : node.string;
  if ("int" in node) return of === "timestamp" ? timeText(node.int) : node.int;
  return textOfBytes(of, node.bytes) ?? node.bytes;
}

function timeText(given: string): string {
  if (/^-?\d{1,20}$/.test(given)) {
    const seconds = BigInt(given);
    if (seconds < FIRST_SECOND || seconds > LAST_SECOND) return given;
    return new Date(Number(seconds) * 1000).toISOString().replace(".000Z", "Z");
  }
  const parsed = given.length <= 64 ? Date.parse(given) : NaN;
  return Number.isNaN(parsed) ? given : new Date(parsed).toISOString().replace(/\.\d+Z$/, "Z");
}

/** Values in the optimised form: Base58 of their bytes. */
function textOfBytes(of: string, hex: string): string | undefined {
  const bytes = fromHex(hex);
  if (bytes === undefined) return undefined;
  try {
    switch (of) {
      case "address":
      case "contract":
        return fullAddressOf(bytes);
      case "key_hash":
        return readKeyHash(new ByteReader(bytes));
      case "key":
        return readPublicKey(new ByteReader(bytes));
      case "signature":
        return signatureOf(bytes);
      case "chain_id":
        return chainIdOf(bytes);
      default:
        return undefined;
    }
  } catch {
    return undefined; // invalid bytes stay hex
  }
}

/** Defines a field even if it is called `__proto__`: contracts choose the names. */
export function putField(object: Record<string, Json>, name: string, value: Json): void {
  if (name !== "__proto__") object[name] = value;
  else Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}

/** The fields of a pair in the order of its type; undefined when the value does not match. */
export function pairFields({ args }: PairType, value: Micheline): readonly Micheline[] | undefined {
  const found: Micheline[] = [];
  const walk = ([first, second]: PairType["args"], node: Micheline): boolean => {
    const pair = asPair(node);
    return pair !== undefined && take(first, pair[0]) && take(second, pair[1]);
  };
  const take = (member: Member, node: Micheline): boolean => {
    if (member.prim === "pair" && !("fields" in member)) return walk(member.args, node);
    found.push(node);
    return true;
  };
  return walk(args, value) ? found : undefined;
}

const SIDES: ReadonlyMap<string, string> = new Map([
  ["Left", "L"],
  ["Right", "R"],
]);

function variant({ variants }: OrType, node: Micheline, meter: Meter): Json {
  let path = "";
  let inner = node;
  for (;;) {
    const end = variants.get(path);
    if (end !== undefined) {
      const object: Record<string, Json> = {};
      meter.spend(end.name.length);
      putField(object, end.name, humanValue(end.type, inner, meter));
      return object;
    }
    const side = isPrim(inner) ? SIDES.get(inner.prim) : undefined;
    const content = onlyArgument(inner);
    if (side === undefined || content === undefined) return node as Json;
    path += side;
    inner = content;
  }
}

const NONE: readonly Micheline[] = [];

function mapValue({ args: [key, value] }: MapType, items: readonly Micheline[], meter: Meter): Json {
  const entries: (readonly [Micheline, Micheline])[] = [];
  for (const item of items) {
    const args = isPrim(item) && item.args?.length === 2 ? item.args : NONE;
    const [itsKey, itsValue] = args;
    if (itsKey === undefined || itsValue === undefined) return items as Json;
    entries.push([itsKey, itsValue]);
  }
  if (!isFlat(key))
    return entries.map(([itsKey, itsValue]) => ({
      key: humanValue(key, itsKey, meter),
      value: humanValue(value, itsValue, meter),
    }));
  const object: Record<string, Json> = {};
  for (const [itsKey, itsValue] of entries) {
    const name = flatText(key, itsKey) ?? JSON.stringify(itsKey);
    meter.spend(name.length);
    putField(object, name, humanValue(value, itsValue, meter));
  }
  return object;
}

/** A ticket as ticketer, content and amount. */
function ticket(content: HumanType, node: Micheline, meter: Meter): Json {
  const [ticketer, rest] = asPair(node) ?? [];
  const [data, amount] = rest === undefined ? [] : (asPair(rest) ?? []);
  if (ticketer === undefined || data === undefined || amount === undefined) return node as Json;
  return {
    address: flatText(ADDRESS, ticketer) ?? (ticketer as Json),
    [content.name]: humanValue(content, data, meter),
    amount: flatText(NAT, amount) ?? (amount as Json),
  };
}

const ADDRESS = humanType(prim("address"));
const NAT = humanType(prim("nat"));
