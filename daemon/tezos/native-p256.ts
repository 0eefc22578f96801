// Signatures of P-256 by the runtime's own arithmetic. Node verifies no signature over a digest that it has not computed,
// but multiplies points for key agreement, in OpenSSL as in the BoringSSL of Electron, ten times as fast as JavaScript.
// What ECDSA compares with r is x of (z/s)G + (r/s)Q, which is x of (r/s)P for P = (z/r)G + Q: a public key, an addition
// of two points, and an agreed secret, which is x of a multiple.
import { ECDH, createECDH } from "node:crypto";
import { toByteText } from "./byte-text.ts";
import { RecentMap } from "./recent-map.ts";

const CURVE = "prime256v1";
const FIELD = 0xffffffff00000001000000000000000000000000ffffffffffffffffffffffffn;
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
/** The curve is y² = x³ + ax + b. */
const A = -3n;
const NUMBER_BYTES = 32;
const COMPRESSED_LENGTH = 33;
const UNCOMPRESSED = 4;

/** Both coordinates. */
interface Point {
  readonly x: bigint;
  readonly y: bigint;
}

const numberIn = (bytes: Uint8Array, from = 0): bigint =>
  BigInt(`0x${Buffer.from(bytes.buffer, bytes.byteOffset + from, NUMBER_BYTES).toString("hex")}`);
const hexOf = (value: bigint): string => value.toString(16).padStart(2 * NUMBER_BYTES, "0");

function modulo(value: bigint, modulus: bigint): bigint {
  const rest = value % modulus;
  return rest < 0n ? rest + modulus : rest;
}

/** @pre the value is not a multiple of the modulus, a prime */
function inverse(value: bigint, modulus: bigint): bigint {
  let [a, b] = [modulo(value, modulus), modulus];
  let [x, y] = [1n, 0n];
  while (a !== 1n) {
    const quotient = b / a;
    [a, b] = [b - quotient * a, a];
    [x, y] = [y - quotient * x, x];
  }
  return modulo(x, modulus);
}

/** Sum of two points; undefined for the point at infinity. */
function sum(p: Point, q: Point): Point | undefined {
  const slope =
    p.x !== q.x
      ? (q.y - p.y) * inverse(q.x - p.x, FIELD)
      : p.y === q.y // no point of the curve has y = 0
        ? (3n * p.x * p.x + A) * inverse(2n * p.y, FIELD)
        : undefined;
  if (slope === undefined) return undefined;
  const x = modulo(slope * slope - p.x - q.x, FIELD);
  return { x, y: modulo(slope * (p.x - x) - p.y, FIELD) };
}

const pointIn = (bytes: Uint8Array): Point => ({
  x: numberIn(bytes, 1),
  y: numberIn(bytes, 1 + NUMBER_BYTES),
});

/** The same accounts sign repeatedly, and a root is a seventh of the work. */
const keys = new RecentMap<Point>(1_024);

/** The point of a compressed key; undefined when it is none of the curve. */
function readKey(key: Uint8Array): Point | undefined {
  try {
    return pointIn(ECDH.convertKey(key, CURVE, undefined, undefined, "uncompressed") as Buffer);
  } catch {
    return undefined;
  }
}

let agreement: ECDH | undefined;

/** A multiple of the base point. @param factor below the order, and not zero */
function multipleOfBase(factor: bigint): Point {
  agreement!.setPrivateKey(hexOf(factor), "hex");
  return pointIn(agreement!.getPublicKey());
}

/** x of a multiple of a point. @param factor as in {@link multipleOfBase} */
function xOfMultiple(factor: bigint, { x, y }: Point): bigint {
  agreement!.setPrivateKey(hexOf(factor), "hex");
  const bytes = Buffer.from(hexOf(x) + hexOf(y), "hex");
  return numberIn(agreement!.computeSecret(Buffer.concat([Uint8Array.of(UNCOMPRESSED), bytes])));
}

/**
 * Whether 64 bytes (r and s) are the signature of a compressed key over a digest of 32 bytes; undefined when the runtime
 * lacks the curve, or the key or the digest has another length.
 */
export function verifyP256(key: Uint8Array, digest: Uint8Array, signature: Uint8Array): boolean | undefined {
  if (key.length !== COMPRESSED_LENGTH || digest.length !== NUMBER_BYTES) return undefined;
  try {
    agreement ??= createECDH(CURVE);
  } catch {
    return undefined;
  }
  const [r, s] = [numberIn(signature), numberIn(signature, NUMBER_BYTES)];
  if (r === 0n || s === 0n || r >= ORDER || s >= ORDER) return false;
  const q = keys.getOrMake(toByteText(key), () => readKey(key));
  if (!q) return false;
  // One inversion for both 1/r and 1/s.
  const shared = inverse(r * s, ORDER);
  const t = modulo(numberIn(digest) * shared * s, ORDER);
  const p = t === 0n ? q : sum(q, multipleOfBase(t));
  if (!p) return false;
  return modulo(xOfMultiple(modulo(r * r * shared, ORDER), p), ORDER) === r;
}
