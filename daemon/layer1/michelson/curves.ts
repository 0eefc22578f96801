// Signature checks for the four kinds of keys. ed25519 is Node's own; the others come from a library that is
// loaded when the first such key shows up.
import { type KeyObject, createPublicKey, verify } from "node:crypto";
import type { bls12_381 as blsType } from "@noble/curves/bls12-381";
import type { p256 as p256Type } from "@noble/curves/p256";
import type { secp256k1 as secp256k1Type } from "@noble/curves/secp256k1";
import { blake2b256 } from "../../protocol/blake2b.ts";
import { publicKeyBytes } from "./address.ts";
import { CurvesNeeded } from "./michelson-error.ts";

interface Curves {
  readonly secp256k1: typeof secp256k1Type;
  readonly p256: typeof p256Type;
  readonly bls12_381: typeof blsType;
}

let curves: Curves | undefined;

/** Loads what keys other than ed25519 need; resolves at once when it is there. */
export async function loadCurves(): Promise<void> {
  if (curves) return;
  const [{ secp256k1 }, { p256 }, { bls12_381 }] = await Promise.all([
    import("@noble/curves/secp256k1"),
    import("@noble/curves/p256"),
    import("@noble/curves/bls12-381"),
  ]);
  curves = { secp256k1, p256, bls12_381 };
}

/** Runs something that may find the curve library missing: loads it and runs again. */
export async function withCurves<T>(run: () => T | Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof CurvesNeeded)) throw error;
    await loadCurves();
    return run();
  }
}

const SPKI_PREFIX = Buffer.from("302a300506032b6570032100", "hex");
const CACHED_KEYS = 1_024;
const keyObjects = new Map<string, KeyObject>();

function keyObject(publicKey: string, bytes: Uint8Array): KeyObject {
  const known = keyObjects.get(publicKey);
  if (known) return known;
  const created = createPublicKey({ key: Buffer.concat([SPKI_PREFIX, bytes]), format: "der", type: "spki" });
  if (keyObjects.size >= CACHED_KEYS) keyObjects.clear();
  keyObjects.set(publicKey, created);
  return created;
}

/** Ciphersuite of tz4 signatures: Octez, `src/lib_crypto/bls.ml` (signatures in G2, message augmentation off). */
const BLS_DOMAIN = "BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_";

/**
 * Whether `signature` (raw bytes) is one of `message` by the key. Keys other than tz4's sign BLAKE2b-256 of it.
 * @throws CurvesNeeded when the library must be loaded first ({@link loadCurves})
 */
export function checkSignature(publicKey: string, signature: Uint8Array, message: Uint8Array): boolean {
  const tagged = publicKeyBytes(publicKey);
  if (!tagged) return false;
  const key = tagged.subarray(1);
  if (tagged[0] === 0) {
    return signature.length === 64 && verify(null, blake2b256(message), keyObject(publicKey, key), signature);
  }
  if (!curves) throw new CurvesNeeded();
  if (tagged[0] === 3) return signature.length === 96 && verifyBls(curves, key, signature, message);
  const curve = tagged[0] === 1 ? curves.secp256k1 : curves.p256;
  if (signature.length !== 64) return false;
  try {
    return curve.verify(signature, blake2b256(message), key, { prehash: false, lowS: false });
  } catch {
    return false; // the library throws for points and numbers outside of the curve: no valid signature
  }
}

/** Ciphersuite of proofs of possession of tz4 keys. */
const PROOF_DOMAIN = "BLS_POP_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_";

/**
 * Whether `proof` shows that its maker has the secret key of a tz4 key: a signature of the public key itself.
 * @throws CurvesNeeded as {@link checkSignature}
 */
export function checkBlsProof(publicKey: string, proof: Uint8Array): boolean {
  const tagged = publicKeyBytes(publicKey);
  if (!curves) throw new CurvesNeeded();
  if (tagged?.[0] !== 3) return false;
  return verifyBls(curves, tagged.subarray(1), proof, tagged.subarray(1), PROOF_DOMAIN);
}

function verifyBls(
  { bls12_381 }: Curves,
  key: Uint8Array,
  signature: Uint8Array,
  message: Uint8Array,
  domain = BLS_DOMAIN,
): boolean {
  try {
    return bls12_381.verify(signature, message, key, { DST: domain });
  } catch {
    return false; // as above
  }
}
