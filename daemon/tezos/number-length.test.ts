import fc from "fast-check";
import { expect, it } from "vitest";
import { bitsOf, bytesOf } from "./number-length.ts";

it("measures numbers of every size to the byte", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 65, max: 70_000 }),
      fc.boolean(),
      fc.bigInt({ min: 0n, max: 255n }),
      (bits, negative, low) => {
        const magnitude = (1n << BigInt(bits - 1)) + low;
        expect(bytesOf(negative ? -magnitude : magnitude)).toBe(Math.ceil(bits / 8));
      },
    ),
  );
  expect([0n, -1n, 255n, -256n].map(bytesOf)).toEqual([0, 1, 1, 2]);
  for (let bits = 1; bits < 130; bits++) {
    expect(bitsOf(2n ** BigInt(bits) - 1n)).toBe(bits);
    expect(bitsOf(-(2n ** BigInt(bits)))).toBe(bits + 1);
  }
});
