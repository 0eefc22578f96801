// The state of a guest environment, saved so that it can be restored before each call: linear memory up to the last
// page in use plus five numbers. The base image ships with the product; a function's image is stored as the blocks that
// differ from the base.

/** Block size of differences and marks, in bytes: smaller blocks cost more to find than they save in copying. */
export const BLOCK = 1024;
/**
 * The engine's wasm keeps a byte per block at address 0, set to non-zero by a write (see tools/engine). This table
 * covers 96 MB, more than an instance may have, and belongs to no image.
 */
export const MARKS_LENGTH = 96 * BLOCK;
export const WASM_PAGE = 65_536;

/** Numbers stored in an image with its bytes. */
export interface ImageState {
  readonly stackPointer: number;
  /** Virtual memory size in wasm pages. */
  readonly pages: number;
  readonly runtime: number;
  readonly context: number;
}

export interface MemoryImage extends ImageState {
  /** Memory from address 0, in whole blocks; the rest up to `pages` is zero. */
  readonly bytes: Uint8Array;
  /** Views of blocks, created on demand; most are never needed, and creating all would slow the start of a sandbox. */
  readonly blocks: Uint8Array[];
}

export interface ImageDifference extends ImageState {
  /** Blocks that differ from the base, by block number, ascending. */
  readonly blocks: ReadonlyMap<number, Uint8Array>;
  /** Total bytes of these blocks. */
  readonly length: number;
}

/** Length of the prefix of `memory` up to and including the last block that is not all zero. */
export function usedLength(memory: Uint8Array): number {
  const words = new Uint32Array(memory.buffer, memory.byteOffset, memory.length >> 2);
  let index = words.length - 1;
  while (index >= 0 && words[index] === 0) index -= 1;
  return Math.min(memory.length, Math.ceil(((index + 1) * 4) / BLOCK) * BLOCK);
}

const ZERO_BLOCK = new Uint8Array(BLOCK);
const ZERO_PAGE = Buffer.alloc(WASM_PAGE);

/** @returns an image over bytes that must not change */
export const imageOf = (state: ImageState, bytes: Uint8Array): MemoryImage => ({
  ...state,
  bytes,
  blocks: new Array<Uint8Array>(bytes.length / BLOCK),
});

/** Content of one block of an image. */
export function blockOf(image: MemoryImage, index: number): Uint8Array {
  if (index * BLOCK >= image.bytes.length) return ZERO_BLOCK;
  return (image.blocks[index] ??= image.bytes.subarray(index * BLOCK, (index + 1) * BLOCK));
}

/** Numbers of the blocks between two block boundaries that differ from the base, ascending. */
export function differingBlocks(base: MemoryImage, memory: Uint8Array, from: number, end: number): number[] {
  const now = Buffer.from(memory.buffer, memory.byteOffset, memory.byteLength);
  const isSame = (start: number, stop: number): boolean => {
    if (start >= base.bytes.length) return now.compare(ZERO_PAGE, 0, stop - start, start, stop) === 0;
    return stop <= base.bytes.length && now.compare(base.bytes, start, stop, start, stop) === 0;
  };
  const found: number[] = [];
  for (let page = from; page < end; page += WASM_PAGE) {
    const stop = Math.min(page + WASM_PAGE, end);
    if (isSame(page, stop)) continue;
    for (let at = page; at < stop; at += BLOCK) if (!isSame(at, at + BLOCK)) found.push(at / BLOCK);
  }
  return found;
}

/**
 * Whether all memory of an instance, also beyond the image, equals the image; marks are ignored.
 * @param memory the real size
 */
export function isExactly(memory: Uint8Array, base: MemoryImage, over: ImageDifference | undefined): boolean {
  const buffer = Buffer.from(memory.buffer, memory.byteOffset, memory.byteLength);
  const differing = differingBlocks(base, memory, MARKS_LENGTH, memory.length);
  // A block of the difference that equals the base was lost.
  const lost = [...(over?.blocks ?? [])].some(
    ([index, block]) => buffer.compare(block, 0, BLOCK, index * BLOCK, (index + 1) * BLOCK) !== 0,
  );
  return !lost && differing.every((index) => over?.blocks.has(index) === true);
}

export const isSameState = (left: ImageState, right: ImageState): boolean =>
  left.stackPointer === right.stackPointer &&
  left.pages === right.pages &&
  left.runtime === right.runtime &&
  left.context === right.context;

/**
 * @param memory its virtual size, whole blocks
 * @returns the blocks of `memory` that differ from `base`, missing bytes of either being zero; marks are ignored
 */
export function difference(base: MemoryImage, memory: Uint8Array, state: ImageState): ImageDifference {
  const end = Math.max(usedLength(memory), Math.min(base.bytes.length, memory.length));
  const indexes = differingBlocks(base, memory, MARKS_LENGTH, end);
  // One buffer for all: an image of 20 MB would take as many thousand buffers.
  const bytes = new Uint8Array(indexes.length * BLOCK);
  const blocks = new Map<number, Uint8Array>();
  indexes.forEach((index, place) => {
    const block = bytes.subarray(place * BLOCK, (place + 1) * BLOCK);
    block.set(memory.subarray(index * BLOCK, (index + 1) * BLOCK));
    blocks.set(index, block);
  });
  return { ...state, blocks, length: bytes.length };
}
