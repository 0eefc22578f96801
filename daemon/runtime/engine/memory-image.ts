// What a guest environment consists of, so that it can be put back before each call: linear memory up to the last
// page in use plus five numbers. The base image ships with the product; a function's image is stored as the
// 4 KB blocks that differ from the base.

/** Blocks of a difference; small enough that a small function differs in about 60 of them. */
export const BLOCK = 4096;
export const WASM_PAGE = 65_536;

/** Numbers that belong to an image beside its bytes. */
export interface ImageState {
  readonly stackPointer: number;
  /** Virtual memory size in wasm pages. */
  readonly pages: number;
  readonly runtime: number;
  readonly context: number;
}

export interface MemoryImage extends ImageState {
  /** Memory from address 0; everything after it up to `pages` is zero. */
  readonly bytes: Uint8Array;
  /** Bytes before this are zero. */
  readonly start: number;
}

export interface ImageDifference extends ImageState {
  /** Offsets of runs of blocks that differ from the base, ascending, and their bytes one after the other. */
  readonly runs: readonly { readonly offset: number; readonly length: number }[];
  readonly bytes: Uint8Array;
}

/** Length of the prefix of `memory` up to and including the last block that is not all zero. */
export function usedLength(memory: Uint8Array): number {
  const words = new Uint32Array(memory.buffer, memory.byteOffset, memory.length >> 2);
  let index = words.length - 1;
  while (index >= 0 && words[index] === 0) index -= 1;
  return Math.min(memory.length, Math.ceil(((index + 1) * 4) / BLOCK) * BLOCK);
}

/** @returns an image over bytes that nobody changes; `bytes` starts at a multiple of 4 in its buffer */
export function imageOf(state: ImageState, bytes: Uint8Array): MemoryImage {
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2);
  let index = 0;
  while (index < words.length && words[index] === 0) index += 1;
  return { ...state, bytes, start: Math.floor((index * 4) / BLOCK) * BLOCK };
}

/** @returns the blocks of `memory` (its virtual size) that differ from `base`, where missing bytes of either are zero */
export function difference(base: Uint8Array, memory: Uint8Array, state: ImageState): ImageDifference {
  const end = Math.max(usedLength(memory), Math.min(base.length, memory.length));
  const zero = Buffer.alloc(BLOCK);
  const runs: { offset: number; length: number }[] = [];
  let total = 0;
  for (let offset = 0; offset < end; offset += BLOCK) {
    const length = Math.min(BLOCK, end - offset);
    const now = memory.subarray(offset, offset + length);
    const before =
      offset + length <= base.length ? base.subarray(offset, offset + length) : zero.subarray(0, length);
    if (Buffer.compare(now, before) === 0) continue;
    const last = runs[runs.length - 1];
    if (last !== undefined && last.offset + last.length === offset) last.length += length;
    else runs.push({ offset, length });
    total += length;
  }
  const bytes = new Uint8Array(total);
  let at = 0;
  for (const run of runs) {
    bytes.set(memory.subarray(run.offset, run.offset + run.length), at);
    at += run.length;
  }
  return { ...state, runs, bytes };
}
