// Verifies layer-1 signatures of keys of all four kinds, given as text, over whole messages.
import { publicKeyBytes } from "./address.ts";
import { blake2b256 } from "./blake2b.ts";
import { CURVES, isBlsSignatureOf, isSignatureOf } from "./curves.ts";

const BLS_TAG = 3;

/**
 * Whether `signature` (raw bytes) is the key's over `message`. All keys but tz4's sign the BLAKE2b-256 of it.
 * @throws BlsNeeded when the library for tz4 keys must be loaded first
 */
export function checkSignature(publicKey: string, signature: Uint8Array, message: Uint8Array): boolean {
  const tagged = publicKeyBytes(publicKey);
  if (!tagged) return false;
  const key = tagged.subarray(1);
  const curve = CURVES[tagged[0]!];
  return curve === undefined
    ? isBlsSignatureOf(key, message, signature)
    : isSignatureOf(curve, key, blake2b256(message), signature);
}

/**
 * Whether `proof` proves possession of the secret key of a tz4 key: a signature of the public key itself.
 * @throws BlsNeeded as {@link checkSignature}
 */
export function checkBlsProof(publicKey: string, proof: Uint8Array): boolean {
  const tagged = publicKeyBytes(publicKey);
  if (tagged?.[0] !== BLS_TAG) return false;
  return isBlsSignatureOf(tagged.subarray(1), tagged.subarray(1), proof, "proof");
}
