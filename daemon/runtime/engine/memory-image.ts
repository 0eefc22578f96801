// What a guest environment consists of, so that it can be put back before each call: linear memory up to the last
// page in use plus five numbers. The base image ships with the product; a function's image is stored as the
// blocks that differ from the base.

/** Bytes of a block of a difference and of the marks: smaller ones cost more to look for than they save to copy. */
export const BLOCK = 1024;
/**
 * At address 0 the engine's wasm keeps a byte for each block, not zero once it was written (see tools/engine). This
 * many bytes speak of 96 MB, more than an instance may have, and belong to no image.
 */
export const MARKS_LENGTH = 96 * BLOCK;
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
  /** The same in blocks; undefined where a block is zero. */
  readonly blocks: readonly (Uint8Array | undefined)[];
}

export interface ImageDifference extends ImageState {
  /** Blocks that differ from the base, by their number, ascending. */
  readonly blocks: ReadonlyMap<number, Uint8Array>;
  /** Bytes of these blocks. */
  readonly length: number;
}

/** Length of the prefix of `memory` up to and including the last block that is not all zero. */
export function usedLength(memory: Uint8Array): number {
  const words = new Uint32Array(memory.buffer, memory.byteOffset, memory.length >> 2);
  let index = words.length - 1;
  while (index >= 0 && words[index] === 0) index -= 1;
  return Math.min(memory.length, Math.ceil(((index + 1) * 4) / BLOCK) * BLOCK);
}

export const ZERO_BLOCK: Uint8Array = new Uint8Array(BLOCK);

/** @returns an image over bytes that nobody changes */
export function imageOf(state: ImageState, bytes: Uint8Array): MemoryImage {
  const blocks = Array.from({ length: bytes.length / BLOCK }, (_, index) => {
    const block = bytes.subarray(index * BLOCK, (index + 1) * BLOCK);
    return Buffer.compare(block, ZERO_BLOCK) === 0 ? undefined : block;
  });
  return { ...state, bytes, blocks };
}

/**
 * @param memory its virtual size, whole blocks
 * @returns the blocks of `memory` that differ from `base`, where missing bytes of either are zero; but for the marks
 */
export function difference(base: MemoryImage, memory: Uint8Array, state: ImageState): ImageDifference {
  const end = Math.max(usedLength(memory), Math.min(base.bytes.length, memory.length));
  const blocks = new Map<number, Uint8Array>();
  for (let index = MARKS_LENGTH / BLOCK; index * BLOCK < end; index += 1) {
    const now = memory.subarray(index * BLOCK, (index + 1) * BLOCK);
    if (Buffer.compare(now, base.blocks[index] ?? ZERO_BLOCK) !== 0) blocks.set(index, now.slice());
  }
  return { ...state, blocks, length: blocks.size * BLOCK };
}
