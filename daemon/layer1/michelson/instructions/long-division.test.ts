import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bytesOf } from "../../../tezos/number-length.ts";
import { divideLong } from "./long-division.ts";

const expectRight = (dividend: bigint, divisor: bigint): void => {
  const found = divideLong(dividend, divisor, bytesOf(dividend), bytesOf(divisor));
  expect(found).toEqual({ quotient: dividend / divisor, remainder: dividend % divisor });
};

/** Numbers of all lengths up to 6,000 bytes: random ones, and those of long runs of zeros and ones. */
const number = fc
  .tuple(fc.nat(48_000), fc.bigInt({ min: 0n, max: 2n ** 64n }), fc.nat(48_000), fc.constantFrom(-1n, 0n, 1n))
  .map(([bits, factor, lower, more]) => (factor << BigInt(bits)) + (more << BigInt(lower)))
  .map((value) => (value < 0n ? -value : value));
const dense = fc.uint8Array({ minLength: 1, maxLength: 4_000 }).map((bytes) => {
  const hex = Buffer.from(bytes).toString("hex");
  return BigInt(`0x${hex}${hex.slice(0, 400)}`);
});
const any = fc.oneof(number, dense);

describe("the division of long numbers", () => {
  it("agrees with the language's", () => {
    fc.assert(
      fc.property(any, any, (dividend, divisor) => {
        if (divisor > 0n) expectRight(dividend, divisor);
      }),
      { numRuns: 400 },
    );
  });

  it("is right next to multiples of the divisor", () => {
    fc.assert(
      fc.property(any, any, fc.constantFrom(-1n, 0n, 1n), (factor, divisor, more) => {
        const dividend = factor * divisor + more;
        if (divisor > 0n && dividend >= 0n) expectRight(dividend, divisor);
      }),
      { numRuns: 400 },
    );
  });

  it.each([
    [2_000, 1_000],
    [4_000, 3_900],
    [8_000, 501],
    [30_000, 29_000],
    [60_000, 700],
    [64, 600],
  ])("is right for %d by %d bytes of ones, zeros and between", (x, y) => {
    for (const dividend of [256n ** BigInt(x) - 1n, 256n ** BigInt(x - 1), 3n ** BigInt(5 * x)])
      for (const divisor of [
        256n ** BigInt(y) - 1n,
        256n ** BigInt(y - 1),
        256n ** BigInt(y - 1) + 1n,
        7n ** BigInt(2 * y),
      ])
        expectRight(dividend, divisor);
  });
});
