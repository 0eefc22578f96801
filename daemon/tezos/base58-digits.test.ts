import { base58 } from "@scure/base";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeBase58Digits, encodeBase58Digits } from "./base58-digits.ts";

describe("decodeBase58Digits", () => {
  it("agrees with the library for any bytes, including leading zeros", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 120 }), fc.nat(5), (payload, zeros) => {
        const bytes = new Uint8Array([...new Uint8Array(zeros), ...payload]);
        expect(decodeBase58Digits(base58.encode(bytes))).toEqual(bytes);
      }),
    );
  });

  it.each(["0", "O", "I", "l", "abc def", "aü", "a\u{1f600}"])("refuses %j", (text) => {
    expect(decodeBase58Digits(text)).toBeUndefined();
  });
});

describe("encodeBase58Digits", () => {
  it("agrees with the library for any bytes, including leading zeros", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 120 }), fc.nat(5), (payload, zeros) => {
        const bytes = new Uint8Array([...new Uint8Array(zeros), ...payload]);
        expect(encodeBase58Digits(bytes)).toBe(base58.encode(bytes));
      }),
    );
  });

  it("agrees with the library beside multiples of four digits, where quotients are closest to whole numbers", () => {
    const bytesOf = (value: bigint): Uint8Array => {
      const hex = value.toString(16);
      return Uint8Array.from(Buffer.from(hex.padStart(hex.length + (hex.length % 2), "0"), "hex"));
    };
    fc.assert(
      fc.property(
        fc.bigInt({ min: 1n, max: (1n << 24n) - 1n }),
        fc.bigInt({ min: -1n, max: 1n }),
        (times, off) => {
          const bytes = bytesOf(times * 58n ** 4n + off);
          expect(encodeBase58Digits(bytes)).toBe(base58.encode(bytes));
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it.each([127, 128, 129, 200])("agrees with the library for %i bytes", (length) => {
    for (const byte of [1, 255]) {
      const bytes = new Uint8Array(length).fill(byte);
      expect(encodeBase58Digits(bytes)).toBe(base58.encode(bytes));
    }
  });

  it.each([[[]], [[0]], [[57]], [[58]], [[255, 255, 255]], [[172, 173, 240]], [[1, 0, 0, 0, 0, 0, 0]]])(
    "agrees with the library for %j",
    (bytes) => {
      expect(encodeBase58Digits(new Uint8Array(bytes))).toBe(base58.encode(new Uint8Array(bytes)));
    },
  );
});
