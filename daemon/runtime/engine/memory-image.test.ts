import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { BLOCK, difference, imageOf, usedLength } from "./memory-image.ts";

const STATE = { stackPointer: 1, pages: 1, runtime: 2, context: 3 };

describe("memory images", () => {
  it("a base and a difference give back the memory, whatever was written where", () => {
    const writes = fc.array(fc.tuple(fc.nat({ max: 16 * BLOCK - 1 }), fc.nat({ max: 255 })), {
      maxLength: 40,
    });
    fc.assert(
      fc.property(writes, writes, (first, second) => {
        const memory = new Uint8Array(16 * BLOCK);
        for (const [at, value] of first) memory[at] = value;
        const base = memory.slice(0, usedLength(memory));
        for (const [at, value] of second) memory[at] = value;
        const over = difference(base, memory, STATE);
        const restored = new Uint8Array(16 * BLOCK);
        restored.set(base);
        let at = 0;
        for (const run of over.runs) {
          restored.set(over.bytes.subarray(at, at + run.length), run.offset);
          at += run.length;
        }
        return Buffer.compare(restored, memory) === 0;
      }),
    );
  });

  it("stores only blocks that differ", () => {
    const memory = new Uint8Array(8 * BLOCK).fill(1);
    const base = memory.slice();
    memory[3 * BLOCK + 5] = 2;
    const over = difference(base, memory, STATE);
    expect(over.runs).toEqual([{ offset: 3 * BLOCK, length: BLOCK }]);
  });

  it("know where the zeros at their start end", () => {
    const bytes = new Uint8Array(4 * BLOCK);
    bytes[2 * BLOCK + 100] = 1;
    expect(imageOf(STATE, bytes).start).toBe(2 * BLOCK);
  });
});
