// What instructions cost in milligas, by the size of what they read or build. Forms and figures are those of the
// protocol: Octez, `michelson_v1_gas_costs_generated.ml` and `michelson_v1_gas.ml`.
import type { Type } from "./type.ts";
import type { OptionValue, OrValue, PairValue, Value } from "./value.ts";

/** Instructions whose work does not depend on their operands. */
export const FIXED = {
  push: 10,
  stack: 10,
  wrap: 15,
  branch: 10,
  loop: 15,
  dip: 30,
  iterate: 45,
  mapElement: 100,
  exec: 30,
  apply: 160,
  unwrap: 25,
  boolean: 20,
  test: 15,
  mutez: 20,
  context: 15,
  emptyCollection: 220,
  view: 1_460,
  hashKey: 655,
  votingPower: 530,
  operation: 30,
} as const;

/** Checking one instruction, and reading, writing or checking one node of data or of a type. */
export const CHECK_INSTRUCTION = 220;
export const CHECK_DATUM = 100;
export const UNPARSE_NODE = 45;
export const TYPE_NODE = 220;
/** Making or reading one byte of binary Micheline. */
export const SERIALIZED_BYTE = 10;

const SMALL_BYTES = 8;
/** Sizes of large numbers are looked up in steps of this many bits. */
const STEP_BITS = 512;
const STEPS: bigint[] = [];

/** Bytes of the magnitude of a number. Comparing with a power of two costs the host no walk over the digits. */
export function bytesOf(value: bigint): number {
  if (BigInt.asIntN(64, value) === value) return SMALL_BYTES;
  const magnitude = value < 0n ? -value : value;
  let low = 0;
  let high = 1;
  while (magnitude >= step(high)) {
    low = high;
    high *= 2;
  }
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (magnitude >= step(middle)) low = middle;
    else high = middle;
  }
  const digits = (magnitude >> BigInt(STEP_BITS * low)).toString(16);
  const topBits = 4 * digits.length - Math.clz32(parseInt(digits[0]!, 16)) + 28;
  return Math.ceil((STEP_BITS * low + topBits) / 8);
}

function step(index: number): bigint {
  return (STEPS[index] ??= 1n << BigInt(STEP_BITS * index));
}

const ceilLog2 = (size: number): number => 32 - Math.clz32(size);

/** ADD, SUB, OR, XOR and the like: one walk over the longer operand. */
export const linearCost = (a: number, b: number): number => 55 + Math.max(a, b) / 14;
export const andCost = (a: number, b: number): number => 50 + Math.min(a, b) / 7;
export const negateCost = (size: number): number => 50 + size / 14;
export const shiftCost = (size: number): number => 60 + size / 9;

export function multiplyCost(a: number, b: number): number {
  const size = a + b;
  return 100 + size * ceilLog2(size) * 0.8125;
}

export function divideCost(a: number, b: number): number {
  return a < b ? 140 : 140 + (a - b) * b * 0.0016;
}

/** Between numbers and bytes, by the bytes of the longer form. */
export const convertCost = (size: number): number => 90 + size * 3;
export const concatCost = (size: number): number => 65 + size / 2;
/** Each text of a list that is joined, besides its bytes. */
export const CONCAT_ITEM = 30;
export const sliceCost = (size: number): number => 40 + size / 16;

export const digCost = (depth: number): number => 60 + 7 * depth;
export const dipCost = (depth: number): number => 45 + 2 * depth;
export const dropCost = (count: number): number => (count === 1 ? 10 : 60 + 3 * count);
export const dupCost = (depth: number): number => (depth === 1 ? 10 : 20 + 2 * depth);
export const combCost = (count: number): number => (count === 2 ? 15 : 25 + 4 * count);
export const combGetCost = (place: number): number => 40 + place;

export const HASH_COSTS = {
  blake2b: (size: number) => 430 + 1.125 * size,
  sha256: (size: number) => 600 + 4.75 * size,
  sha512: (size: number) => 680 + 3 * size,
  sha3: (size: number) => 1_350 + 8.25 * size,
} as const;

/** By the curve's tag: ed25519, secp256k1, p256, BLS. */
const SIGNATURE_COSTS = [65_800, 51_600, 990_000, 1_570_000] as const;
export const signatureCost = (curve: number, size: number): number =>
  (SIGNATURE_COSTS[curve] ?? 0) + 1.125 * size;

/** Looking a key up in a set or map of `size` elements, and writing one there. */
export const findCost = (keySize: number, size: number): number => 115 + ceilLog2(size) * keySize;
export const updateCost = (keySize: number, size: number): number => 130 + 2 * ceilLog2(size) * keySize;
/** ITER and MAP over a set or map list its elements first. */
export const listElementsCost = (size: number): number => 70 + 8 * size;

/** Reading an entry of a stored big map, besides hashing its key. */
export const BIG_MAP_READ = 50_000;

const compareBytes = (size: number): number => 35 + size / 42;
/** An address, a key hash or a key with an entrypoint. */
const ADDRESS_BYTES = 52;
const SIGNATURE_COMPARE = 92;

/** COMPARE of two values. Walks no further than the comparison itself would. */
export function compareCost(t: Type, a: Value, b: Value): number {
  switch (t.prim) {
    case "pair": {
      const [x, y] = [a as PairValue, b as PairValue];
      return 10 + compareCost(t.args[0]!, x.left, y.left) + compareCost(t.args[1]!, x.right, y.right);
    }
    case "option": {
      const [x, y] = [(a as OptionValue).some, (b as OptionValue).some];
      return 10 + (x === undefined || y === undefined ? 0 : compareCost(t.args[0]!, x, y));
    }
    case "or": {
      const [x, y] = [a as OrValue, b as OrValue];
      return 10 + (x.isLeft === y.isLeft ? compareCost(t.args[x.isLeft ? 0 : 1]!, x.value, y.value) : 0);
    }
    default:
      return compareBytes(Math.min(keySize(t, a), keySize(t, b)));
  }
}

/** Bytes of a comparable value, as looking it up in a set or map is paid for. */
export function keySize(t: Type, value: Value): number {
  switch (t.prim) {
    case "int":
    case "nat":
    case "timestamp":
      return bytesOf(value as bigint);
    case "string":
      return (value as string).length;
    case "bytes":
      return (value as string).length / 2;
    case "address":
    case "key_hash":
    case "key":
      return ADDRESS_BYTES;
    case "signature":
      return SIGNATURE_COMPARE;
    case "pair":
      return (
        1 + keySize(t.args[0]!, (value as PairValue).left) + keySize(t.args[1]!, (value as PairValue).right)
      );
    case "option": {
      const inner = (value as OptionValue).some;
      return 1 + (inner === undefined ? 0 : keySize(t.args[0]!, inner));
    }
    case "or": {
      const { isLeft, value: inner } = value as OrValue;
      return 1 + keySize(t.args[isLeft ? 0 : 1]!, inner);
    }
    default:
      return SMALL_BYTES;
  }
}
