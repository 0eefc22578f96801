import { expect, it } from "vitest";
import { decodePositions, positionAt } from "./positions.ts";

/** Short pairs: 1 + 5 * (difference of bytecode) + 1 + difference of line; then the difference of column, zigzag. */
const short = (pc: number, line: number, column: number): number[] => [
  1 + 5 * pc + line + 1,
  column < 0 ? -2 * column - 1 : 2 * column,
];

it("decodes short and long differences, forwards and backwards", () => {
  const bytes = Uint8Array.from([
    ...short(0, 0, 4),
    ...short(3, 1, -2),
    ...[0, 0x80, 0x02, 0x0f, 6], // 256 bytecodes on, 8 lines back, 3 columns on
    ...short(50, 3, 0),
  ]);
  expect(decodePositions(bytes, 10, 1)).toEqual([
    { pc: 0, line: 10, column: 5 },
    { pc: 3, line: 11, column: 3 },
    { pc: 259, line: 3, column: 6 },
    { pc: 309, line: 6, column: 6 },
  ]);
});

it("ends with the bytes, whatever they are", () => {
  expect(decodePositions(new Uint8Array(0), 1, 1)).toEqual([]);
  for (let seed = 0; seed < 200; seed++) {
    const bytes = Uint8Array.from({ length: 40 }, (_, i) => (i * seed * 31 + seed) % 256);
    expect(decodePositions(bytes, 1, 1).length).toBeLessThanOrEqual(40);
  }
});

it("finds the last position at or before a bytecode", () => {
  const positions = [2, 5, 9].map((pc) => ({ pc, line: pc, column: 1 }));
  expect([0, 2, 4, 5, 8, 9, 100].map((pc) => positionAt(positions, pc)?.pc)).toEqual([
    ...[undefined, 2, 2, 5, 5, 9, 9],
  ]);
});
