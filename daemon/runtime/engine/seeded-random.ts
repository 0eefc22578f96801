// Bytes for the guest's crypto.getRandomValues: a stream derived from the operation, so that every replay gets the same
// bytes. Not secret, as documented.

import { createHash } from "node:crypto";

const BLOCK = 32;

/** @returns `length` bytes of the stream of `seed`, from `offset` on: SHA-256 of the seed and a block counter */
export function randomBytes(seed: string, offset: number, length: number): Uint8Array {
  const result = new Uint8Array(length);
  let at = 0;
  while (at < length) {
    const block = Math.floor((offset + at) / BLOCK);
    const digest = createHash("sha256").update(`functez-random\0${seed}\0${block}`).digest();
    const from = (offset + at) % BLOCK;
    const piece = digest.subarray(from, Math.min(BLOCK, from + length - at));
    result.set(piece, at);
    at += piece.length;
  }
  return result;
}
