import fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  BLOCK,
  blockOf,
  difference,
  differingBlocks,
  imageOf,
  MARKS_LENGTH,
  usedLength,
  WASM_PAGE,
} from "./memory-image.ts";

const STATE = { stackPointer: 1, pages: 1, runtime: 2, context: 3 };
const SIZE = MARKS_LENGTH + 10 * BLOCK;

describe("memory images", () => {
  it("a base and a difference restore the memory after arbitrary writes", () => {
    const writes = fc.array(
      fc.tuple(fc.integer({ min: MARKS_LENGTH, max: SIZE - 1 }), fc.nat({ max: 255 })),
      {
        maxLength: 40,
      },
    );
    fc.assert(
      fc.property(writes, writes, (first, second) => {
        const memory = new Uint8Array(SIZE);
        for (const [at, value] of first) memory[at] = value;
        const base = imageOf(STATE, memory.slice(0, usedLength(memory)));
        for (const [at, value] of second) memory[at] = value;
        const over = difference(base, memory, STATE);
        const restored = new Uint8Array(SIZE);
        for (let index = 0; index < SIZE / BLOCK; index++) restored.set(blockOf(base, index), index * BLOCK);
        for (const [index, block] of over.blocks) restored.set(block, index * BLOCK);
        return Buffer.compare(restored, memory) === 0 && over.length === over.blocks.size * BLOCK;
      }),
    );
  });

  it("stores only blocks that differ, and keeps no memory of the instance", () => {
    const memory = new Uint8Array(SIZE).fill(1);
    const base = imageOf(STATE, memory.slice());
    const last = SIZE / BLOCK - 1;
    memory[last * BLOCK + 5] = 2;
    const { blocks } = difference(base, memory, STATE);
    memory[last * BLOCK + 5] = 3;
    expect([...blocks].map(([index, block]) => [index, block[5]])).toEqual([[last, 2]]);
  });

  it("leave out the marks", () => {
    const memory = new Uint8Array(SIZE);
    const base = imageOf(STATE, memory.slice());
    memory[MARKS_LENGTH - 1] = 1;
    expect(difference(base, memory, STATE).length).toBe(0);
  });

  it("contain zeros beyond their end", () => {
    const base = imageOf(STATE, new Uint8Array(3 * BLOCK).fill(1));
    expect([2, 3].map((index) => [...new Set(blockOf(base, index))])).toEqual([[1], [0]]);
  });

  it("show where memory differs, also across pages and beyond the end of the base", () => {
    const base = imageOf(STATE, new Uint8Array(WASM_PAGE + 3 * BLOCK).fill(1));
    const memory = new Uint8Array(4 * WASM_PAGE);
    memory.set(base.bytes);
    expect(differingBlocks(base, memory, 0, memory.length)).toEqual([]);
    const places = [0, WASM_PAGE - 1, WASM_PAGE, WASM_PAGE + 3 * BLOCK, 4 * WASM_PAGE - 1];
    for (const at of places) memory[at] = 2;
    const blocks = places.map((at) => Math.floor(at / BLOCK));
    expect(differingBlocks(base, memory, 0, memory.length)).toEqual(blocks);
    expect(differingBlocks(base, memory, BLOCK, WASM_PAGE + BLOCK)).toEqual(blocks.slice(1, 3));
  });
});
