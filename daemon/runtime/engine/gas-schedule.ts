// What work costs. One unit is about one bytecode of the interpreter or one turn of one of its native loops, counted by
// the rewritten wasm itself; the host's work is added here, by size, so that the sum is the same on every run and
// machine. No work may take more than three times as long per unit as bytecode does: bench/gas-prices.mjs measures
// that, and the figures here follow from it. The engine manifest contains the table's version and the hash of the wasm:
// gas figures of different engines or tables differ.

import { operationOf, type Price } from "./host-ops.ts";
import { MAX_DECOMPRESSED_BYTES } from "./limits.ts";

/** Increase it with every change of a figure here or of a price in host-ops.ts. */
export const GAS_SCHEDULE_VERSION = 3;

/** Price of an unknown operation: rejecting it costs something too. */
const NO_OPERATION: Price = { base: 300, perByteIn: 0.1, perByteOut: 0 };

const priceOf = (name: string): Price => operationOf(name)?.price ?? NO_OPERATION;

/** Largest expansion of one byte of compressed data (RFC 1951). */
const MOST_PER_COMPRESSED_BYTE = 1_032;

/** Per byte of body of a response delivered to a waiting fetch, and of the request that starts a call. */
export const BODY_PER_BYTE = 0.25;

/** Reading an inline source map for the stack trace of a failure, per character of the program. */
export const SOURCE_MAP_PER_CHARACTER = 8;

/** A call whose instance cannot be reused pays for the next one. */
export const INSTANCE_GAS = 2_000_000;

const AT_SIGN = 0x40;
const LAST_ASCII = 0x7f;

/** Characters that slow URL parsing down: each @ in an authority, each character of an internationalised name. */
function slowInUrls(text: string): number {
  let count = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === AT_SIGN || unit > LAST_ASCII) count++;
  }
  return count;
}

const SLOWER_BY = 3;

/** @returns input bytes of a host operation, slow ones weighted */
export function bytesInto(name: string, values: readonly (string | Uint8Array | undefined)[]): number {
  let bytes = 0;
  for (const value of values) {
    if (value === undefined) continue;
    bytes += value.length;
    if (typeof value === "string" && name.startsWith("url.")) bytes += SLOWER_BY * slowInUrls(value);
  }
  return bytes;
}

/** @returns gas for a host operation before it runs */
export function priceOfCall(name: string, bytesIn: number): number {
  const entry = priceOf(name);
  return entry.base + Math.ceil(entry.perByteIn * bytesIn);
}

/**
 * @returns gas for a failed host operation, in addition to the usual price. How far a decompression got is unknown: it
 * is charged for the longest possible output
 */
export const priceOfFailure = (name: string, bytesIn: number): number =>
  name === "decompress" ? Math.min(MAX_DECOMPRESSED_BYTES, MOST_PER_COMPRESSED_BYTE * bytesIn) : 0;

/** @returns gas for the answer of a host operation */
export const priceOfAnswer = (name: string, bytesOut: number): number =>
  Math.ceil(priceOf(name).perByteOut * bytesOut);
