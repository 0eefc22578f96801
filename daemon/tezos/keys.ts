// Public and secret keys of the three curves that the runtime supports: parsing, addresses, signing, verifying.
import { randomBytes } from "node:crypto";
import { type Address, encodeAddress } from "./address.ts";
import { decodeBase58, encodeBase58 } from "./base58.ts";
import { blake2b160, blake2b256 } from "./blake2b.ts";
import { type Curve, CURVES, isSignatureOf, publicKeyOfSecret, signDigest } from "./curves.ts";
import { RecentMap } from "./recent-map.ts";

const PREFIXES = {
  ed25519: { publicKey: "edpk", secretKey: "edsk", signature: "edsig", address: "tz1" },
  secp256k1: { publicKey: "sppk", secretKey: "spsk", signature: "spsig1", address: "tz2" },
  p256: { publicKey: "p2pk", secretKey: "p2sk", signature: "p2sig", address: "tz3" },
} as const satisfies Record<Curve, object>;

/** A parsed public key. */
export interface PublicKey {
  readonly curve: Curve;
  readonly bytes: Uint8Array;
  readonly text: string;
  readonly address: Address;
}

/** A parsed secret key with its public key. */
export interface SecretKey {
  readonly curve: Curve;
  readonly bytes: Uint8Array;
  readonly text: string;
  readonly publicKey: PublicKey;
}

/** A parsed signature. */
export interface Signature {
  readonly curve: Curve;
  readonly bytes: Uint8Array;
}

function publicKeyFromBytes(curve: Curve, bytes: Uint8Array): PublicKey {
  const { publicKey, address } = PREFIXES[curve];
  return {
    curve,
    bytes,
    text: encodeBase58(publicKey, bytes),
    address: encodeAddress(address, blake2b160(bytes)),
  };
}

/** Keys that were read: the same accounts send most operations, and a key costs four hashes and two long divisions. */
const known = new RecentMap<PublicKey>(1_024);

/** Public key of an `edpk…`, `sppk…` or `p2pk…` text, or undefined. */
export const parsePublicKey = (text: string): PublicKey | undefined => known.getOrMake(text, readPublicKey);

function readPublicKey(text: string): PublicKey | undefined {
  for (const curve of CURVES) {
    const bytes = decodeBase58(PREFIXES[curve].publicKey, text);
    if (bytes) return publicKeyFromBytes(curve, bytes);
  }
  return undefined;
}

/** Signature of an `edsig…`, `spsig1…` or `p2sig…` text, or undefined (a generic `sig…` is not accepted). */
export function parseSignature(text: string): Signature | undefined {
  for (const curve of CURVES) {
    const bytes = decodeBase58(PREFIXES[curve].signature, text);
    if (bytes) return { curve, bytes };
  }
  return undefined;
}

/** Secret key of an `edsk…` (32 or 64 bytes), `spsk…` or `p2sk…` text, or undefined. */
export function secretKeyOf(text: string): SecretKey | undefined {
  const long = decodeBase58("edsk64", text);
  if (long) return secretKeyFromBytes("ed25519", long.subarray(0, 32));
  for (const curve of CURVES) {
    const bytes = decodeBase58(PREFIXES[curve].secretKey, text);
    if (bytes) return secretKeyFromBytes(curve, bytes);
  }
  return undefined;
}

/** Secret key of 32 raw bytes. */
export function secretKeyFromBytes(curve: Curve, bytes: Uint8Array): SecretKey {
  return {
    curve,
    bytes,
    text: encodeBase58(PREFIXES[curve].secretKey, bytes),
    publicKey: publicKeyFromBytes(curve, publicKeyOfSecret(curve, bytes)),
  };
}

/** A new random Ed25519 key. */
export function randomSecretKey(): SecretKey {
  return secretKeyFromBytes("ed25519", new Uint8Array(randomBytes(32)));
}

/** Signs blake2b-256 of the message; 64 bytes. */
export function signBytes(key: SecretKey, message: Uint8Array): Uint8Array {
  return signDigest(key.curve, key.bytes, blake2b256(message));
}

/** Signature text (`edsig…`, `spsig1…`, `p2sig…`) of the message. */
export function signMessage(key: SecretKey, message: Uint8Array): string {
  return encodeBase58(PREFIXES[key.curve].signature, signBytes(key, message));
}

/** True when the signature is the key's over blake2b-256 of the message. */
export function verifyMessage(key: PublicKey, message: Uint8Array, signature: Signature): boolean {
  return signature.curve === key.curve && verifyDigest(key, blake2b256(message), signature.bytes);
}

/** True when the 64 signature bytes are the key's over the 32-byte digest. */
export function verifyDigest(key: PublicKey, digest: Uint8Array, signature: Uint8Array): boolean {
  return isSignatureOf(key.curve, key.bytes, digest, signature);
}
