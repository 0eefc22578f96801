// BLS12-381 numbers and points in Michelson's encodings: points as both coordinates, field elements as 32 bytes, lowest
// first. Source of the forms: Octez, `src/lib_crypto/bls.ml` (Bls12_381 of blst).
import type { ProjPointType } from "@noble/curves/abstract/weierstrass";
import { blsCurve } from "../../tezos/curves.ts";
import type { PointValue } from "./value.ts";

export type Group = "g1" | "g2";

const POINT_BYTES = { g1: 96, g2: 192 } as const;
const COORDINATE_BYTES = 48;
const INFINITY_FLAG = 0x40;
const FIELD_BYTES = 32;
/** Number of elements of the field. */
export const FIELD_ORDER = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001n;

/** A point of either group, whose operations have the same form here. */
type Point = ProjPointType<bigint>;

export const pointOf = ({ point }: PointValue): Point => point as unknown as Point;
export const pointValue = (point: Point): PointValue => ({ point: point });

interface PointReader {
  fromHex(hex: string): Point;
  fromAffine(coordinates: { readonly x: bigint; readonly y: bigint }): Point;
}

function readerOf(group: Group): PointReader {
  const curve = blsCurve();
  return (group === "g1" ? curve.G1.ProjectivePoint : curve.G2.ProjectivePoint) as unknown as PointReader;
}

/** The group of an encoded point, by its length. */
export const groupOf = (hex: string): Group | undefined =>
  hex.length === 2 * POINT_BYTES.g1 ? "g1" : hex.length === 2 * POINT_BYTES.g2 ? "g2" : undefined;

/** Reads a point; undefined when the bytes are not a point of the group. @throws BlsNeeded */
export function readPoint(group: Group, hex: string): PointValue | undefined {
  const reader = readerOf(group);
  if (hex.length !== 2 * POINT_BYTES[group]) return undefined;
  // The first three bits are flags: compressed, infinity, sign. Only infinity may be set.
  if (parseInt(hex.slice(0, 2), 16) >= 0x80) return undefined;
  try {
    const point = reader.fromHex(hex);
    if (!point.equals(infinityOf(group))) point.assertValidity();
    return pointValue(point);
  } catch {
    return undefined; // the library throws for bytes that are not a point of the group
  }
}

/** Reads a point that {@link readPoint} accepted before, without validating it again. @throws BlsNeeded */
export function storedPoint(group: Group, hex: string): PointValue {
  const { Fp, Fp2 } = blsCurve().fields;
  const bytes = Buffer.from(hex, "hex");
  if (bytes[0]! & INFINITY_FLAG) return pointValue(infinityOf(group));
  const number = (i: number): bigint =>
    Fp.fromBytes(bytes.subarray(i * COORDINATE_BYTES, (i + 1) * COORDINATE_BYTES));
  // In a pair of numbers the second one comes first.
  const coordinate = (i: number): bigint =>
    (group === "g1" ? number(i) : Fp2.create({ c0: number(2 * i + 1), c1: number(2 * i) })) as bigint;
  return pointValue(readerOf(group).fromAffine({ x: coordinate(0), y: coordinate(1) }));
}

function infinityOf(group: Group): Point {
  const curve = blsCurve();
  return (group === "g1" ? curve.G1.ProjectivePoint.ZERO : curve.G2.ProjectivePoint.ZERO) as unknown as Point;
}

/** Hex of a point. */
export const writePoint = (value: PointValue): string => pointOf(value).toHex(false);

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

/** The product of pairings so far; a last step turns it into a result. */
export type PairingProduct = object;

/** Multiplies one more pairing into a product. Points at infinity have no effect. */
export function addPairing(
  product: PairingProduct | undefined,
  g1: PointValue,
  g2: PointValue,
): PairingProduct | undefined {
  const { pairing, fields } = blsCurve();
  const [first, second] = [pointOf(g1), pointOf(g2)];
  if (first.equals(infinityOf("g1")) || second.equals(infinityOf("g2"))) return product;
  const factor = pairing(first, second as never, false);
  return product === undefined ? factor : fields.Fp12.mul(product as typeof factor, factor);
}

/** Whether the product of pairings is one. */
export function isPairingOne(product: PairingProduct | undefined): boolean {
  if (product === undefined) return true;
  const { Fp12 } = blsCurve().fields;
  return Fp12.eql(Fp12.finalExponentiate(product as never), Fp12.ONE);
}
