// BLS12-381 numbers and points in Michelson's encodings: points as both coordinates, field elements as 32 bytes, lowest
// first. Source of the forms: Octez, `src/lib_crypto/bls.ml` (Bls12_381 of blst).
import type { BlsGroup, BlsPoint, BlsProduct } from "../../tezos/bls-curve.ts";
import { blsCurve } from "../../tezos/curves.ts";
import { toHex } from "../../tezos/hex.ts";
import type { PairValue, PointValue } from "./value.ts";

export type Group = BlsGroup;
/** The product of pairings so far; a last step turns it into a result. */
export type PairingProduct = BlsProduct;

const POINT_BYTES = { g1: 96, g2: 192 } as const;
const FIELD_BYTES = 32;
/** Number of elements of the field. */
export const FIELD_ORDER = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001n;

const positive = (point: BlsPoint): PointValue => ({ point, isNegative: false });
const pointOf = ({ point, isNegative }: PointValue): BlsPoint =>
  isNegative ? blsCurve().negate(point as BlsPoint) : (point as BlsPoint);

/** The group of an encoded point, by its length. */
export const groupOf = (hex: string): Group | undefined =>
  hex.length === 2 * POINT_BYTES.g1 ? "g1" : hex.length === 2 * POINT_BYTES.g2 ? "g2" : undefined;

/** Reads a point; undefined when the bytes are not a point of the group. @throws BlsNeeded */
export function readPoint(group: Group, hex: string): PointValue | undefined {
  const point = blsCurve().read(group, Buffer.from(hex, "hex"));
  return point && positive(point);
}

/** Reads a point that {@link readPoint} accepted before, without validating it again. @throws BlsNeeded */
export const storedPoint = (group: Group, hex: string): PointValue =>
  positive(blsCurve().readKnown(group, Buffer.from(hex, "hex")));

/** Hex of a point. */
export const writePoint = (value: PointValue): string => toHex(blsCurve().write(pointOf(value)));

export function addPoints(a: PointValue, b: PointValue): PointValue {
  const curve = blsCurve();
  const [x, y] = [a.point as BlsPoint, b.point as BlsPoint];
  if (a.isNegative === b.isNegative) return { point: curve.add(x, y), isNegative: a.isNegative };
  return { point: curve.subtract(x, y), isNegative: a.isNegative };
}

export const negatePoint = ({ point, isNegative }: PointValue): PointValue => ({
  point,
  isNegative: !isNegative,
});

/** @param factor an element of the field */
export const multiplyPoint = ({ point, isNegative }: PointValue, factor: bigint): PointValue => ({
  point: blsCurve().multiply(point as BlsPoint, factor),
  isNegative,
});

/** Multiplies pairings into a product; several take less time together. Points at infinity have no effect. */
export const addPairings = (
  product: PairingProduct | undefined,
  pairs: readonly PairValue[],
): PairingProduct | undefined =>
  blsCurve().pair(
    product,
    pairs.map(({ left, right }) => [pointOf(left as PointValue), pointOf(right as PointValue)]),
  );

/** Whether the product of pairings is one. */
export const isPairingOne = (product: PairingProduct | undefined): boolean => blsCurve().isOne(product);

/** Reads a field element from at most 32 bytes; undefined when there are more or the number is too large. */
export function readFieldElement(hex: string): bigint | undefined {
  if (hex.length > 2 * FIELD_BYTES) return undefined;
  const bytes = Buffer.from(hex, "hex").reverse();
  const value = bytes.length === 0 ? 0n : BigInt(`0x${bytes.toString("hex")}`);
  return value < FIELD_ORDER ? value : undefined;
}

/** The field element of any whole number. */
export function fieldElement(value: bigint): bigint {
  const rest = value % FIELD_ORDER;
  return rest < 0n ? rest + FIELD_ORDER : rest;
}

export const writeFieldElement = (value: bigint): string =>
  Buffer.from(value.toString(16).padStart(2 * FIELD_BYTES, "0"), "hex")
    .reverse()
    .toString("hex");
