// Milligas of instructions, by the size of their operands or results. Forms and figures are those of the
// protocol: Octez, `michelson_v1_gas_costs_generated.ml`, `michelson_v1_gas_costs.ml` and `michelson_v1_gas.ml`.
import { bitsOf, bytesOf } from "../../tezos/number-length.ts";
import type { Type } from "./type.ts";
import type { OptionValue, OrValue, PairValue, Value } from "./value.ts";

/** Instructions whose cost does not depend on their operands. */
export const FIXED = {
  /** Most instructions that only move values. */
  step: 10,
  emptyCollection: 300,
  listElements: 20,
  addMutez: 20,
  subMutez: 15,
  subMutezLegacy: 20,
  mulMutez: 50,
  divideMutezByNat: 70,
  divideMutez: 80,
  booleanXor: 15,
  stringSize: 15,
  chainId: 15,
  minBlockTime: 20,
  apply: 140,
  applyRecursive: 220,
  view: 1_460,
  contract: 30,
  operation: 60,
  emit: 30,
  hashKey: 605,
  votingPower: 640,
  totalVotingPower: 450,
  indexAddress: 3_480,
  addressIndex: 530,
} as const;

/** Control between instructions: the end of a code, and each kind of continuation. */
export const CONTROL = {
  halt: 15,
  end: 15,
  continue: 10,
  lambdaReturn: 10,
  viewReturn: 20,
  optionMapped: 20,
  putBack: 10,
  loop: 10,
  iterate: 10,
  listElementMapped: 10,
} as const;

/** The protocol's logarithm: the number of bits plus one. */
const log2 = (size: number): number => 33 - Math.clz32(size);

/** ADD, SUB, OR, XOR: one pass over the longer operand. */
export const linearCost = (a: number, b: number): number => 35 + (Math.max(a, b) >> 1);
export const andCost = (a: number, b: number): number => 35 + (Math.min(a, b) >> 1);
export const xorBytesCost = (a: number, b: number): number => 40 + (Math.max(a, b) >> 1);
export const absCost = (size: number): number => 20 + (size >> 1);
/** NEG, and NOT of a number. */
export const negateCost = (size: number): number => 25 + (size >> 1);
export const invertBytesCost = (size: number): number => 30 + (size >> 1);
export const shiftLeftCost = (size: number): number => 128 + (size >> 1);
export const shiftRightCost = (size: number): number => 45 + (size >> 1);
/** @param shift bits */
export const shiftBytesLeftCost = (size: number, shift: number): number =>
  65 + (size >> 1) + (size >> 2) + (shift >> 4);
export function shiftBytesRightCost(size: number, shift: number): number {
  const kept = Math.max(0, size - Math.floor(shift / 8));
  return 55 + (kept >> 1) + (kept >> 2);
}

export function multiplyCost(a: number, b: number): number {
  const size = a + b;
  const work = log2(size + 1) * size;
  return 55 + (work >> 1) + (work >> 2) + (work >> 4);
}

export function divideCost(a: number, b: number): number {
  const longer = Math.max(0, a - b);
  return longer * 12 + ((longer >> 10) + (longer >> 13)) * b + (a >> 2) + a + 150;
}

/** Conversions between numbers and bytes, by the size of the operand in bytes. */
export const CONVERT_COSTS = {
  bytesOfNat: (size: number) => 75 + 3 * size,
  bytesOfInt: (size: number) => 90 + 3 * size,
  natOfBytes: (size: number) => 45 + 2 * size + (size >> 1),
  intOfBytes: (size: number) => 20 + 2 * size + (size >> 1),
} as const;

export const concatCost = (size: number): number => 45 + (size >> 1);
/** Joining a list of texts: first counting, then building. */
export const concatCountCost = (items: number): number => 10 * items;
export const concatListCost = (size: number): number => 100 + (size >> 1);
export const sliceCost = (size: number): number => 25 + (size >> 1);

export const digCost = (depth: number): number => 30 + 6 * depth + (depth >> 1) + (depth >> 2);
export const dugCost = (depth: number): number => 35 + 6 * depth + (depth >> 1) + (depth >> 2);
export const dipCost = (depth: number): number => 15 + 4 * depth;
export const dropCost = (count: number): number => 30 + 2 * count + (count >> 1) + (count >> 3);
export const dupCost = (depth: number): number => 20 + depth + (depth >> 2);
export function combCost(count: number): number {
  const further = Math.max(0, count - 2);
  return 40 + 3 * further + (further >> 2);
}
export const uncombCost = (count: number): number => 30 + 4 * Math.max(0, count - 2);
export const combGetCost = (place: number): number => 20 + (place >> 1) + (place >> 4);
export const combSetCost = (place: number): number => 30 + place + (place >> 2) + (place >> 5);

export const HASH_COSTS = {
  blake2b: (size: number) => 430 + size + (size >> 3),
  sha256: (size: number) => 600 + 4 * size + (size >> 1) + (size >> 2),
  sha512: (size: number) => 680 + 3 * size,
  sha3: (size: number) => 1_350 + 8 * size + (size >> 2),
} as const;

/** By the curve's tag: ed25519, secp256k1, p256, BLS. */
const SIGNATURE_COSTS = [65_800, 51_600, 341_000, 1_570_000] as const;
const BLS = 3;
export const signatureCost = (curve: number, size: number): number =>
  (SIGNATURE_COSTS[curve] ?? 0) + (curve === BLS ? 3 * size : size + (size >> 3));

export const BLS_COSTS = {
  addFr: 30,
  addG1: 900,
  addG2: 2_470,
  mulFr: 45,
  mulG1: 103_000,
  mulG2: 220_000,
  /** By the size of the integer in bytes. */
  mulFrByNumber: (size: number) => 265 + size + (size >> 4),
  negateFr: 30,
  negateG1: 50,
  negateG2: 70,
  intOfFr: 115,
  /** By the number of pairs. */
  pairing: (count: number) => 450_000 + 344_064 * count,
} as const;

/** Finding a key in a set or map of `size` elements, and updating one. */
export function setFindCost(keyBytes: number, size: number): number {
  const work = log2(size + 1) * keyBytes;
  return 40 + (work >> 5) + (work >> 6) + (work >> 7) + (work >> 9);
}
export function setUpdateCost(keyBytes: number, size: number): number {
  const work = log2(size + 1) * keyBytes;
  return 50 + (work >> 3) + (work >> 6);
}
export function findCost(keyBytes: number, size: number): number {
  const work = log2(size + 1) * keyBytes;
  return 45 + (work >> 5) + (work >> 6);
}
export function updateCost(keyBytes: number, size: number): number {
  const work = log2(size + 1) * keyBytes;
  return 55 + (work >> 4) + (work >> 5);
}
export function getAndUpdateCost(keyBytes: number, size: number): number {
  const work = log2(size + 1) * keyBytes;
  return 75 + (work >> 3) + (work >> 6);
}
/** ITER over a set or map first lists its elements, as does MAP over a map. */
export const iterTreeCost = (size: number): number => 50 + 7 * size + (size >> 1) + (size >> 3);
export const mapTreeCost = (size: number): number => 40 + 8 * size + (size >> 1);
/** Before each element of a mapped map, by the number of results so far; and for a list, the reversal at the end. */
export const mapEnterCost = (done: number): number => (done === 0 ? 10 : 80);
export const listMapEndCost = (size: number): number => 30 + size + (size >> 1) + (size >> 2) + (size >> 4);
export const LIST_MAP_ENTER = 30;

/** UNPACK, apart from decoding the expression and the value. */
export const unpackCost = (bytes: number): number => 260 + (bytes >> 1);
/** Bytes that UNPACK cannot decode cost as much as the worst case. Source: `unpack_failed`. */
export function unpackFailedCost(bytes: number): number {
  const bits = 32 - Math.clz32(bytes);
  return bytes * ALLOCATED_BYTES_CELL + bytes * bits * ALLOCATED_CELL_STEP;
}
/** `alloc_mbytes_cost 1`: 13 and 2 words of 2 gas units. */
const ALLOCATED_BYTES_CELL = 30_000;
/** `alloc_cost 3` and one step. */
const ALLOCATED_CELL_STEP = 9_000;

const compareBytes = (size: number): number => {
  const further = Math.max(0, size - 1);
  return 35 + (further >> 6) + (further >> 7);
};
/** Per step of a search for an entrypoint. */
export const FIND_ENTRYPOINT = compareBytes(31);
/** The protocol's size of a key hash: a tag and, by mistake, the length of a signature. Source: `signature_v3.ml`. */
const KEY_HASH_BYTES = 65;
/** An address with the longest possible entrypoint. */
const ADDRESS_BYTES = KEY_HASH_BYTES + 31;
const COMPARE_TAG = 10;
export const COMPARE_ADDRESS = compareBytes(ADDRESS_BYTES);
/** Signatures and keys. */
const COMPARE_LONG = 92;
const COMPARE_CHAIN_ID = 30;

/** COMPARE of two values. Descends no further than the comparison itself would in the worst case. */
export function compareCost(t: Type, a: Value, b: Value): number {
  switch (t.prim) {
    case "pair": {
      const [x, y] = [a as PairValue, b as PairValue];
      return COMPARE_TAG + compareCost(t.args[0], x.left, y.left) + compareCost(t.args[1], x.right, y.right);
    }
    case "option": {
      const [x, y] = [(a as OptionValue).some, (b as OptionValue).some];
      return COMPARE_TAG + (x === undefined || y === undefined ? 0 : compareCost(t.args[0], x, y));
    }
    case "or": {
      const [x, y] = [a as OrValue, b as OrValue];
      return (
        COMPARE_TAG + (x.isLeft === y.isLeft ? compareCost(t.args[x.isLeft ? 0 : 1], x.value, y.value) : 0)
      );
    }
    case "int":
    case "nat":
    case "timestamp":
      return compareBytes(Math.min(bytesOf(a as bigint), bytesOf(b as bigint)));
    case "string":
    case "bytes":
      return compareBytes(Math.min((a as string).length, (b as string).length));
    case "mutez":
      return compareBytes(8);
    case "bool":
      return compareBytes(1);
    case "key_hash":
      return compareBytes(KEY_HASH_BYTES);
    case "address":
      return COMPARE_ADDRESS;
    case "signature":
    case "key":
      return COMPARE_LONG;
    case "chain_id":
      return COMPARE_CHAIN_ID;
    default:
      return COMPARE_TAG;
  }
}

const PUBLIC_KEY_BYTES: Readonly<Record<string, number>> = { edpk: 33, sppk: 34, p2pk: 34, BLpk: 49 };

/** Size of a comparable value for the cost of lookups in sets and maps. Source: `gas_comparable_input_size.ml`. */
export function keySize(t: Type, value: Value): number {
  switch (t.prim) {
    case "int":
    case "nat":
    case "timestamp":
      return bitsOf(value as bigint) >> 3;
    case "string":
    case "bytes":
      return (value as string).length;
    case "mutez":
      return 8;
    case "address": {
      const at = (value as string).indexOf("%");
      return KEY_HASH_BYTES + (at < 0 ? "default".length : (value as string).length - at - 1);
    }
    case "key_hash":
      return KEY_HASH_BYTES;
    case "key":
      return PUBLIC_KEY_BYTES[(value as string).slice(0, 4)] ?? 0;
    case "signature":
      return (value as string).startsWith("BLsig") ? 96 : 64;
    case "chain_id":
      return 4;
    case "pair":
      return (
        1 + keySize(t.args[0], (value as PairValue).left) + keySize(t.args[1], (value as PairValue).right)
      );
    case "option": {
      const inner = (value as OptionValue).some;
      return 1 + (inner === undefined ? 0 : keySize(t.args[0], inner));
    }
    case "or": {
      const { isLeft, value: inner } = value as OrValue;
      return 1 + keySize(t.args[isLeft ? 0 : 1], inner);
    }
    default:
      return 1;
  }
}
