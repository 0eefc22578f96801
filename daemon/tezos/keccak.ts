// Keccak-256, which Node lacks: the padding differs from SHA-3's.
import { keccak_256 } from "@noble/hashes/sha3";
import { fastHashes } from "./fast-hashes.ts";

export const keccak256 = (data: Uint8Array): Uint8Array => (fastHashes()?.keccak256 ?? keccak_256)(data);
