// BLAKE2b digests of 32 and 20 bytes, the two lengths that Tezos uses.
import { blake2b } from "@noble/hashes/blake2b";
import { fastHashes, type WasmHashes, wantHashes } from "./fast-hashes.ts";

/** Digests after which the fast functions are loaded: the first operations of a fresh process do not wait for them. */
const MANY = 200;
let slow = 0;

/** The fast functions, if they are loaded; those who make many digests get them loaded. */
function fast(): WasmHashes | undefined {
  const hashes = fastHashes();
  if (hashes === undefined && ++slow === MANY) wantHashes();
  return hashes;
}

/** BLAKE2b-256 of the given bytes (UTF-8 for text). */
export function blake2b256(data: Uint8Array | string): Uint8Array {
  return fast()?.blake2b256(data) ?? blake2b(data, { dkLen: 32 });
}

/** BLAKE2b-160 of the given bytes (UTF-8 for text): public key hashes and contract addresses. */
export function blake2b160(data: Uint8Array | string): Uint8Array {
  return fast()?.blake2b160(data) ?? blake2b(data, { dkLen: 20 });
}
