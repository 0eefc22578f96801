// BLAKE2b digests of 32 and 20 bytes, the two lengths that Tezos uses.
import { blake2b } from "@noble/hashes/blake2b";
import { fastHashes } from "./fast-hashes.ts";

/** BLAKE2b-256 of the given bytes (UTF-8 for text). */
export function blake2b256(data: Uint8Array | string): Uint8Array {
  return fastHashes()?.blake2b256(data) ?? blake2b(data, { dkLen: 32 });
}

/** An incremental BLAKE2b-256. */
export const newBlake2b256 = (): ReturnType<typeof blake2b.create> => blake2b.create({ dkLen: 32 });

/** BLAKE2b-160 of the given bytes (UTF-8 for text): public key hashes and contract addresses. */
export function blake2b160(data: Uint8Array | string): Uint8Array {
  return fastHashes()?.blake2b160(data) ?? blake2b(data, { dkLen: 20 });
}
