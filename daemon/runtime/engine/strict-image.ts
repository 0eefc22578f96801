// The strict image as a file: the blocks in which it differs from the base image, which has most in common with it.

import { BLOCK, type ImageDifference, imageOf, type ImageState, type MemoryImage } from "./memory-image.ts";

/** Numbers of the blocks (32-bit, little-endian) with their count before them, then the blocks. */
export function packDifference({ blocks }: ImageDifference): Uint8Array {
  const head = new Uint32Array([blocks.size, ...blocks.keys()]);
  return new Uint8Array(Buffer.concat([new Uint8Array(head.buffer), ...blocks.values()]));
}

/** The image that differs from `base` by the content of a file. */
export function patchedImage(base: MemoryImage, state: ImageState, packed: Uint8Array): MemoryImage {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  const count = view.getUint32(0, true);
  const numbers = Array.from({ length: count }, (_, index) => view.getUint32(4 + 4 * index, true));
  const length = Math.max(base.bytes.length, ...numbers.map((number) => (number + 1) * BLOCK));
  const bytes = new Uint8Array(length);
  bytes.set(base.bytes);
  const start = 4 + 4 * count;
  numbers.forEach((number, index) => {
    bytes.set(packed.subarray(start + index * BLOCK, start + (index + 1) * BLOCK), number * BLOCK);
  });
  return imageOf(state, bytes);
}
