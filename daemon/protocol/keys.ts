// Public and secret keys of the three curves the runtime knows: parsing, addresses, signing, verifying.
// Ed25519 uses node:crypto; secp256k1 and P-256 use noble, because Electron's crypto lacks secp256k1.
import { createPrivateKey, createPublicKey, type KeyObject, randomBytes, sign, verify } from "node:crypto";
import { p256 } from "@noble/curves/p256";
import { secp256k1 } from "@noble/curves/secp256k1";
import { encodeAddress } from "./address.ts";
import { decodeBase58, encodeBase58 } from "./base58.ts";
import { blake2b160, blake2b256 } from "./blake2b.ts";
import { SandboxError } from "./errors.ts";

export type Curve = "ed25519" | "secp256k1" | "p256";

const CURVES = {
  ed25519: { publicKey: "edpk", secretKey: "edsk", signature: "edsig", address: "tz1" },
  secp256k1: { publicKey: "sppk", secretKey: "spsk", signature: "spsig1", address: "tz2" },
  p256: { publicKey: "p2pk", secretKey: "p2sk", signature: "p2sig", address: "tz3" },
} as const;
const CURVE_NAMES = ["ed25519", "secp256k1", "p256"] as const satisfies readonly Curve[];

/** A parsed public key. */
export interface PublicKey {
  readonly curve: Curve;
  readonly bytes: Uint8Array;
  readonly text: string;
  readonly address: string;
}

/** A parsed secret key with the public key that belongs to it. */
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
  const { publicKey, address } = CURVES[curve];
  return {
    curve,
    bytes,
    text: encodeBase58(publicKey, bytes),
    address: encodeAddress(address, blake2b160(bytes)),
  };
}

/** Public key of an `edpk…`, `sppk…` or `p2pk…` text, or undefined. */
export function parsePublicKey(text: string): PublicKey | undefined {
  for (const curve of CURVE_NAMES) {
    const bytes = decodeBase58(CURVES[curve].publicKey, text);
    if (bytes) return publicKeyFromBytes(curve, bytes);
  }
  return undefined;
}

/** Signature of an `edsig…`, `spsig1…` or `p2sig…` text, or undefined (a generic `sig…` is not accepted). */
export function parseSignature(text: string): Signature | undefined {
  for (const curve of CURVE_NAMES) {
    const bytes = decodeBase58(CURVES[curve].signature, text);
    if (bytes) return { curve, bytes };
  }
  return undefined;
}

/**
 * Secret key of an `edsk…` (32 or 64 bytes), `spsk…` or `p2sk…` text.
 * @throws SandboxError BAD_SECRET_KEY; the message never repeats the text
 */
export function parseSecretKey(text: string): SecretKey {
  const long = decodeBase58("edsk64", text);
  if (long) return secretKeyFromBytes("ed25519", long.subarray(0, 32));
  for (const curve of CURVE_NAMES) {
    const bytes = decodeBase58(CURVES[curve].secretKey, text);
    if (bytes) return secretKeyFromBytes(curve, bytes);
  }
  const encrypted = /^(ed|sp|p2)esk/.test(text);
  throw new SandboxError("BAD_SECRET_KEY", {
    reason: encrypted ? "it is encrypted" : "its beginning or its checksum is wrong",
  });
}

/** Secret key of 32 raw bytes. */
export function secretKeyFromBytes(curve: Curve, bytes: Uint8Array): SecretKey {
  return {
    curve,
    bytes,
    text: encodeBase58(CURVES[curve].secretKey, bytes),
    publicKey: publicKeyFromBytes(curve, publicBytes(curve, bytes)),
  };
}

/** A new random Ed25519 key. */
export function randomSecretKey(): SecretKey {
  return secretKeyFromBytes("ed25519", new Uint8Array(randomBytes(32)));
}

function publicBytes(curve: Curve, secret: Uint8Array): Uint8Array {
  switch (curve) {
    case "ed25519": {
      const spki = createPublicKey(ed25519PrivateKey(secret)).export({ format: "der", type: "spki" });
      return new Uint8Array(spki.subarray(-32));
    }
    case "secp256k1":
      return secp256k1.getPublicKey(secret, true);
    case "p256":
      return p256.getPublicKey(secret, true);
  }
}

// DER headers of RFC 8410 in front of the 32 raw bytes.
const PKCS8_ED25519 = Buffer.from("302e020100300506032b657004220420", "hex");
const SPKI_ED25519 = Buffer.from("302a300506032b6570032100", "hex");

function ed25519PrivateKey(secret: Uint8Array): KeyObject {
  return createPrivateKey({ key: Buffer.concat([PKCS8_ED25519, secret]), format: "der", type: "pkcs8" });
}

// Building a key object costs more than the verification itself, and the same accounts sign again and again.
const keyObjects = new Map<string, KeyObject>();
const KEY_OBJECT_LIMIT = 1000;

function ed25519PublicKey(key: PublicKey): KeyObject {
  const known = keyObjects.get(key.text);
  if (known) return known;
  const made = createPublicKey({
    key: Buffer.concat([SPKI_ED25519, key.bytes]),
    format: "der",
    type: "spki",
  });
  if (keyObjects.size >= KEY_OBJECT_LIMIT) keyObjects.clear();
  keyObjects.set(key.text, made);
  return made;
}

/** Signs blake2b-256 of the message; 64 bytes. */
export function signBytes(key: SecretKey, message: Uint8Array): Uint8Array {
  const digest = blake2b256(message);
  switch (key.curve) {
    case "ed25519":
      return new Uint8Array(sign(null, digest, ed25519PrivateKey(key.bytes)));
    case "secp256k1":
      return secp256k1.sign(digest, key.bytes, { lowS: true }).toCompactRawBytes();
    case "p256":
      return p256.sign(digest, key.bytes, { lowS: false }).toCompactRawBytes();
  }
}

/** Signature text (`edsig…`, `spsig1…`, `p2sig…`) of the message. */
export function signMessage(key: SecretKey, message: Uint8Array): string {
  return encodeBase58(CURVES[key.curve].signature, signBytes(key, message));
}

/** True when the signature is the key's over blake2b-256 of the message. */
export function verifyMessage(key: PublicKey, message: Uint8Array, signature: Signature): boolean {
  return signature.curve === key.curve && verifyDigest(key, blake2b256(message), signature.bytes);
}

/** True when the 64 signature bytes are the key's over the 32-byte digest. */
export function verifyDigest(key: PublicKey, digest: Uint8Array, signature: Uint8Array): boolean {
  switch (key.curve) {
    case "ed25519":
      return verify(null, digest, ed25519PublicKey(key), signature);
    case "secp256k1":
      return verifyEcdsa(secp256k1, key, digest, signature);
    case "p256":
      return verifyEcdsa(p256, key, digest, signature);
  }
}

function verifyEcdsa(curve: typeof p256, key: PublicKey, digest: Uint8Array, signature: Uint8Array): boolean {
  try {
    return curve.verify(signature, digest, key.bytes, { lowS: false });
  } catch {
    return false; // noble throws on values out of range: then it is no signature of this key
  }
}
