import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { BLOCK, difference, imageOf, MARKS_LENGTH, usedLength } from "./memory-image.ts";

const STATE = { stackPointer: 1, pages: 1, runtime: 2, context: 3 };
const SIZE = MARKS_LENGTH + 10 * BLOCK;

describe("memory images", () => {
  it("a base and a difference give back the memory, whatever was written where", () => {
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
        for (const [index, block] of base.blocks.entries()) if (block) restored.set(block, index * BLOCK);
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

  it("hold no zeros", () => {
    const bytes = new Uint8Array(3 * BLOCK);
    bytes[BLOCK + 100] = 1;
    const { blocks } = imageOf(STATE, bytes);
    expect(blocks.map((block) => block?.[100])).toEqual([undefined, 1, undefined]);
  });
});
