// Random Michelson types and random values of them as expressions, covering the different notations of a value. Excludes
// types whose values have no notation, and curve points, which are slow.
import { encodeBase58 } from "../../tezos/base58.ts";
import { type Micheline, prim } from "../../tezos/micheline.ts";
import { noGasLimit } from "../michelson/gas.ts";
import { parseValue } from "../michelson/parse-value.ts";
import { lambdaInData } from "../michelson/script.ts";
import { type Type, plainType, type } from "../michelson/type.ts";
import { compareValues, type Value } from "../michelson/value.ts";

/** From zero (inclusive) to one (exclusive). */
export type Random = () => number;

export const below = (random: Random, end: number): number => Math.floor(random() * end);
export const pick = <T>(random: Random, items: readonly T[]): T => items[below(random, items.length)]!;

const LEAVES = [
  "unit",
  "bool",
  "int",
  "nat",
  "string",
  "bytes",
  "mutez",
  "timestamp",
  "address",
  "key_hash",
  "key",
  "signature",
  "chain_id",
] as const;

/** @param depth maximum nesting */
export function randomComparable(random: Random, depth: number): Type {
  if (depth <= 0 || random() < 0.5) return type(pick(random, LEAVES));
  const inner = (): Type => randomComparable(random, depth - 1);
  switch (below(random, 3)) {
    case 0:
      return type("pair", inner(), inner());
    case 1:
      return type("or", inner(), inner());
    default:
      return type("option", inner());
  }
}

export function randomType(random: Random, depth: number): Type {
  if (depth <= 0 || random() < 0.35)
    return random() < 0.1 ? type("bls12_381_fr") : type(pick(random, LEAVES));
  const inner = (): Type => randomType(random, depth - 1);
  switch (below(random, 8)) {
    case 0:
    case 1:
      return type("pair", inner(), inner());
    case 2:
      return type("or", inner(), inner());
    case 3:
      return type("option", inner());
    case 4:
      return type("list", inner());
    case 5:
      return type("set", randomComparable(random, depth - 1));
    case 6:
      return type("map", randomComparable(random, depth - 1), inner());
    default:
      return type("lambda", inner(), inner());
  }
}

/** Parses a generated value, which needs no chain. */
export const readValue = (t: Type, written: Micheline): Value =>
  parseValue(t, written, {
    gas: noGasLimit(),
    compileLambda: (argument, result, code, recursive) =>
      lambdaInData(argument, result, code, recursive, noGasLimit()),
    hasEntrypoint: () => false,
    bigMapTypes: () => undefined,
    allowTickets: false,
    allowBigMapIds: false,
  });

const TEXTS = ["", "a", "Hello, world", "~!@#$%^&*()", "line\nline", 'quoted " and \\'];
const KEYS = [
  "edpkuBknW28nW72KG6RoHtYW7p12T6GKc7nAbwYX5m8Wd9sDVC9yav",
  "sppk7bMuoa8w2LSKz3XEuPsKx1WavsMLCWgbWG9CZNAsJg9eTmkXRPd",
  "p2pk66xmhjiN7LpfrDGFwpxPtJxkLtPjQ6HUxJbKmRbxSR7RMpamDwi",
  "p2pk65shUHKhx7zUSF7e8KZ2inmQ5aMS4jRBUmK6aCis4oaHoiWPXoT",
];

const randomBytes = (random: Random, length: number): Uint8Array =>
  Uint8Array.from({ length }, () => below(random, 256));
const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

function randomInteger(random: Random): bigint {
  const size = pick(random, [1, 1, 2, 4, 8, 9, 40]);
  const value = BigInt(`0x${hexOf(randomBytes(random, size))}`);
  return random() < 0.5 ? value : -value;
}

const magnitude = (value: bigint): bigint => (value < 0n ? -value : value);
const int = (value: bigint): Micheline => ({ int: value.toString() });

/** A value of the type, readable or optimized, with combs in any notation. */
export function randomValue(random: Random, t: Type): Micheline {
  const of = (inner: Type): Micheline => randomValue(random, inner);
  const [first, second] = t.args;
  switch (t.prim) {
    case "unit":
      return prim("Unit");
    case "bool":
      return prim(random() < 0.5 ? "True" : "False");
    case "int":
      return int(randomInteger(random));
    case "nat":
      return int(magnitude(randomInteger(random)));
    case "mutez":
      return int(magnitude(randomInteger(random)) & (2n ** 63n - 1n));
    case "timestamp":
      return random() < 0.5
        ? int(BigInt.asIntN(50, randomInteger(random)))
        : { string: new Date(below(random, 4e9) * 1000).toISOString().replace(/\.\d+/, "") };
    case "string":
      return { string: pick(random, TEXTS) };
    case "bytes":
      return { bytes: hexOf(randomBytes(random, below(random, 40))) };
    case "address": {
      const hash = randomBytes(random, 20);
      const address = encodeBase58(pick(random, ["tz1", "tz2", "tz3", "tz4", "KT1", "sr1"] as const), hash);
      return { string: random() < 0.3 ? `${address}%entry` : address };
    }
    case "key_hash":
      return {
        string: encodeBase58(pick(random, ["tz1", "tz2", "tz3", "tz4"] as const), randomBytes(random, 20)),
      };
    case "key":
      return { string: pick(random, KEYS) };
    case "signature":
      return random() < 0.5
        ? { bytes: hexOf(randomBytes(random, 64)) }
        : { string: encodeBase58(pick(random, ["edsig", "p2sig", "sig"] as const), randomBytes(random, 64)) };
    case "chain_id":
      return { string: encodeBase58("chainId", randomBytes(random, 4)) };
    case "bls12_381_fr":
      return int(randomInteger(random));
    case "pair":
      return randomPair(random, t);
    case "or":
      return random() < 0.5 ? prim("Left", of(first!)) : prim("Right", of(second!));
    case "option":
      return random() < 0.4 ? prim("None") : prim("Some", of(first!));
    case "list":
      return Array.from({ length: below(random, 4) }, () => of(first!));
    case "set":
      return ascending(
        first!,
        Array.from({ length: below(random, 4) }, () => of(first!)),
      );
    case "map":
      return ascending(
        first!,
        Array.from({ length: below(random, 4) }, () => of(first!)),
      ).map((key) => prim("Elt", key, of(second!)));
    case "lambda":
      return [prim("DROP"), prim("PUSH", plainType(second!), of(second!))];
    default:
      throw new RangeError(`no values of ${t.prim}`);
  }
}

function randomPair(random: Random, t: Type): Micheline {
  const items = [randomValue(random, t.args[0]!)];
  let rest = t.args[1]!;
  while (rest.prim === "pair" && random() < 0.6) {
    items.push(randomValue(random, rest.args[0]));
    rest = rest.args[1]!;
  }
  items.push(randomValue(random, rest));
  return random() < 0.2 ? items : prim("Pair", ...items);
}

/** Distinct keys in the protocol's order. */
function ascending(t: Type, keys: readonly Micheline[]): Micheline[] {
  const read = keys.map((key) => ({ key, value: readValue(t, key) }));
  read.sort((a, b) => compareValues(t, a.value, b.value));
  return read
    .filter(({ value }, i) => i === 0 || compareValues(t, read[i - 1]!.value, value) !== 0)
    .map(({ key }) => key);
}

/** Whether PUSH accepts values of a type; lambdas that push such values are fine too. */
export const isWritable = (t: Type): boolean =>
  !["operation", "contract", "big_map", "ticket"].includes(t.prim) && t.args.every(isWritable);
