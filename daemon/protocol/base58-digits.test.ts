import { base58 } from "@scure/base";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeBase58Digits } from "./base58-digits.ts";

describe("decodeBase58Digits", () => {
  it("agrees with the library for all bytes, leading zeros among them", () => {
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
