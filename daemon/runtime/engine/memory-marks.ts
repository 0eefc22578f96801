// Tracks which blocks of an instance's memory were written since its last restore. The engine's wasm keeps a byte for
// each block at address 0 and sets it with every store (tools/engine/rewrite-wasm.mjs); host writes are marked here. A
// superfluous mark costs a copy, a missing one would leak data of one program to another.

import { STACK_BOTTOM } from "./limits.ts";
import { BLOCK, blockOf, differingBlocks, type ImageDifference, type MemoryImage } from "./memory-image.ts";

const BLOCK_BITS = Math.log2(BLOCK);
/** Words of the table for memory below the stack: the table itself and memory that is never written. */
const FORBIDDEN_WORDS = STACK_BOTTOM / BLOCK / 4;

/** Marks memory that the host is about to write. @param memory the instance's linear memory, here and below */
export function markWritten(memory: Uint8Array, pointer: number, length: number): void {
  const last = (pointer + length - 1) >>> BLOCK_BITS;
  for (let index = pointer >>> BLOCK_BITS; index <= last; index += 1) memory[index] = 1;
}

export function markBlocks(memory: Uint8Array, blocks: Iterable<number>): void {
  for (const index of blocks) memory[index] = 1;
}

/**
 * Marks those of the first `count` blocks that differ from the base, for an instance that was never restored. Most of
 * its memory is unused stack: writing zeros there would allocate a page.
 */
export function markDifferences(memory: Uint8Array, count: number, base: MemoryImage): void {
  markBlocks(memory, differingBlocks(base, memory, 0, count * BLOCK));
}

/**
 * Restores the marked ones of the first blocks, and clears the marks.
 * @returns false when something was written below the stack: marks may be lost, so the memory cannot be trusted
 */
export function putBack(
  memory: Uint8Array,
  count: number,
  base: MemoryImage,
  over: ImageDifference | undefined,
): boolean {
  const words = new Uint32Array(memory.buffer, memory.byteOffset, Math.ceil(count / 4));
  for (let word = 0; word < FORBIDDEN_WORDS; word += 1) if (words[word] !== 0) return false;
  for (let word = FORBIDDEN_WORDS; word < words.length; word += 1) {
    if (words[word] === 0) continue;
    for (let index = word * 4; index < word * 4 + 4; index += 1) {
      if (memory[index] === 0) continue;
      memory[index] = 0;
      memory.set(over?.blocks.get(index) ?? blockOf(base, index), index * BLOCK);
    }
  }
  return true;
}
