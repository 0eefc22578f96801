// The curves of Tezos keys on raw bytes: public keys, signatures over a digest. Ed25519 is Node's own; secp256k1 and
// P-256 are noble's, because Electron's crypto lacks secp256k1, but Node checks signatures of P-256. BLS12-381 is large and
// rare: it is loaded on first use, and so is WebAssembly for signatures of secp256k1, whose gas pays for a fast library.
import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import { p256 } from "@noble/curves/p256";
import { secp256k1 } from "@noble/curves/secp256k1";
import type { BlsCurve } from "./bls-curve.ts";
import { toByteText } from "./byte-text.ts";
import { LazyLibrary } from "./lazy-library.ts";
import { verifyP256 } from "./native-p256.ts";
import { RecentMap } from "./recent-map.ts";
import type { VerifySecp256k1 } from "./wasm-secp256k1.ts";

/** Curves of the keys that sign with 64 bytes (tz1, tz2, tz3), in the order of the tags of public keys. */
export const CURVES = ["ed25519", "secp256k1", "p256"] as const;
export type Curve = (typeof CURVES)[number];

const SIGNATURE_LENGTH = 64;
const BLS_SIGNATURE_LENGTH = 96;

// DER headers of RFC 8410 in front of the 32 raw bytes.
const PKCS8_ED25519 = Buffer.from("302e020100300506032b657004220420", "hex");
const SPKI_ED25519 = Buffer.from("302a300506032b6570032100", "hex");

function ed25519PrivateKey(secret: Uint8Array): KeyObject {
  return createPrivateKey({ key: Buffer.concat([PKCS8_ED25519, secret]), format: "der", type: "pkcs8" });
}

// Building a key object costs more than the verification itself, and the same accounts sign repeatedly.
const keyObjects = new RecentMap<KeyObject>(1_024);

const ed25519PublicKey = (key: Uint8Array): KeyObject =>
  keyObjects.getOrMake(toByteText(key), () =>
    createPublicKey({ key: Buffer.concat([SPKI_ED25519, key]), format: "der", type: "spki" }),
  );

/** Public key (32 or 33 bytes) of a secret key of 32 bytes. */
export function publicKeyOfSecret(curve: Curve, secret: Uint8Array): Uint8Array {
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

/** Signature (64 bytes) of a digest of 32 bytes. */
export function signDigest(curve: Curve, secret: Uint8Array, digest: Uint8Array): Uint8Array {
  switch (curve) {
    case "ed25519":
      return new Uint8Array(sign(null, digest, ed25519PrivateKey(secret)));
    case "secp256k1":
      return secp256k1.sign(digest, secret, { lowS: true }).toCompactRawBytes();
    case "p256":
      return p256.sign(digest, secret, { lowS: false }).toCompactRawBytes();
  }
}

/** Whether both halves of 64 bytes are below the order of secp256k1, as in its signatures. */
export function isSecp256k1Pair(bytes: Uint8Array): boolean {
  const number = (half: Uint8Array): bigint => BigInt(`0x${Buffer.from(half).toString("hex")}`);
  const { n } = secp256k1.CURVE;
  return number(bytes.subarray(0, 32)) < n && number(bytes.subarray(32)) < n;
}

/** Whether the signature is the key's over the digest; false for anything malformed. */
export function isSignatureOf(
  curve: Curve,
  key: Uint8Array,
  digest: Uint8Array,
  signature: Uint8Array,
): boolean {
  if (signature.length !== SIGNATURE_LENGTH) return false;
  switch (curve) {
    case "ed25519":
      return verify(null, digest, ed25519PublicKey(key), signature);
    case "secp256k1":
      fastSecp256k1.want();
      return (fastSecp256k1.loaded ?? verifySlowly)(key, digest, signature);
    case "p256":
      return verifyP256(key, digest, signature) ?? isEcdsaSignature(p256, key, digest, signature);
  }
}

function isEcdsaSignature(
  curve: typeof p256,
  key: Uint8Array,
  digest: Uint8Array,
  signature: Uint8Array,
): boolean {
  try {
    return curve.verify(signature, digest, key, { prehash: false, lowS: false, format: "compact" });
  } catch {
    return false; // noble throws for points and numbers outside the curve
  }
}

const verifySlowly: VerifySecp256k1 = (key, digest, signature) =>
  isEcdsaSignature(secp256k1, key, digest, signature);

const fastSecp256k1 = new LazyLibrary<VerifySecp256k1>(async () =>
  (await import("./wasm-secp256k1.ts")).instantiateSecp256k1(),
);

/** Loads the fast check of secp256k1 signatures; until then, the slow one gives the same answers. */
export const loadSecp256k1 = (): Promise<void> => fastSecp256k1.load();

/** Thrown when the BLS12-381 library is needed but not loaded; the caller loads it and starts over. */
export class BlsNeeded extends Error {
  constructor() {
    super("BLS12-381 is not loaded");
    this.name = "BlsNeeded";
  }
}

const bls = new LazyLibrary<BlsCurve>(async () => (await import("./bls-curve.ts")).instantiateCurve());

/** Loads the library for tz4 keys; resolves at once when it is loaded. */
export const loadBls = (): Promise<void> => bls.load();

/** The BLS12-381 library. @throws BlsNeeded when it must be loaded first ({@link loadBls}) */
export function blsCurve(): BlsCurve {
  if (!bls.loaded) throw new BlsNeeded();
  return bls.loaded;
}

/** Runs `run`; if it needs the BLS12-381 library, loads that and runs it again. */
export async function withBls<T>(run: () => T | Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof BlsNeeded)) throw error;
    await loadBls();
    return run();
  }
}

/** Ciphersuites: Octez, `src/lib_crypto/bls.ml` (signatures in G2, message augmentation off). */
const BLS_DOMAINS = {
  message: "BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_",
  /** Proofs of possession: the message is the public key itself. */
  proof: "BLS_POP_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_",
} as const;

/**
 * Whether the signature (96 bytes) is the BLS key's over the whole message.
 * @throws BlsNeeded when the library must be loaded first ({@link loadBls})
 */
export function isBlsSignatureOf(
  key: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
  purpose: keyof typeof BLS_DOMAINS = "message",
): boolean {
  if (signature.length !== BLS_SIGNATURE_LENGTH) return false;
  return blsCurve().verify(key, message, signature, BLS_DOMAINS[purpose]);
}
