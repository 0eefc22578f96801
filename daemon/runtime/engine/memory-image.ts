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
  /** Memory from address 0, whole blocks; everything after it up to `pages` is zero. */
  readonly bytes: Uint8Array;
  /** Blocks that were asked for; most never are, and making all would cost the start of a sandbox. */
  readonly blocks: Uint8Array[];
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

const ZERO_BLOCK = new Uint8Array(BLOCK);
const ZERO_PAGE = Buffer.alloc(WASM_PAGE);

/** @returns an image over bytes that nobody changes */
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

/** Numbers of the blocks between two block edges in which memory is not as in the base, ascending. */
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
 * Whether all of an instance's memory, what lies beyond the image too, is what the image says; but for the marks.
 * @param memory the real size
 */
export function isExactly(memory: Uint8Array, base: MemoryImage, over: ImageDifference | undefined): boolean {
  const buffer = Buffer.from(memory.buffer, memory.byteOffset, memory.byteLength);
  const differing = differingBlocks(base, memory, MARKS_LENGTH, memory.length);
  // A block of the difference may be as in the base only if memory lost it.
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
 * @returns the blocks of `memory` that differ from `base`, where missing bytes of either are zero; but for the marks
 */
export function difference(base: MemoryImage, memory: Uint8Array, state: ImageState): ImageDifference {
  const end = Math.max(usedLength(memory), Math.min(base.bytes.length, memory.length));
  const blocks = new Map<number, Uint8Array>();
  for (const index of differingBlocks(base, memory, MARKS_LENGTH, end))
    blocks.set(index, memory.slice(index * BLOCK, (index + 1) * BLOCK));
  return { ...state, blocks, length: blocks.size * BLOCK };
}
