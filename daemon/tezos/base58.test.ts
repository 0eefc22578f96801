import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BASE58_KINDS, type Base58Kind, base58Problem, decodeBase58, encodeBase58 } from "./base58.ts";
import accounts from "./fixtures/keys-and-addresses.json" with { type: "json" };

const kinds = Object.keys(BASE58_KINDS) as Base58Kind[];

describe("Base58Check", () => {
  it.each(kinds)("of %s reads what it writes, and no other kind reads it", (kind) => {
    const { length } = BASE58_KINDS[kind];
    fc.assert(
      fc.property(fc.uint8Array({ minLength: length, maxLength: length }), (payload) => {
        const text = encodeBase58(kind, payload);
        expect(decodeBase58(kind, text)).toEqual(payload);
        for (const other of kinds) if (other !== kind) expect(decodeBase58(other, text)).toBeUndefined();
      }),
      { numRuns: 20 },
    );
  });

  it.each(accounts.publicKeyToAddress)("notices every single wrong character of $address", ({ address }) => {
    const kind = address.slice(0, 3) as Base58Kind;
    expect(decodeBase58(kind, address)).toHaveLength(20);
    for (let i = 3; i < address.length; i++) {
      const wrong = address.slice(0, i) + (address[i] === "a" ? "b" : "a") + address.slice(i + 1);
      expect(decodeBase58(kind, wrong)).toBeUndefined();
      expect(base58Problem(wrong)).toBe("checksum");
    }
  });

  it("reports what is wrong with a text", () => {
    expect(base58Problem("tz1l0OI")).toBe("characters");
    expect(base58Problem("tz1")).toBe("length");
    expect(base58Problem("1".repeat(201))).toBe("length");
  });

  it("refuses a payload of the wrong length", () => {
    expect(() => encodeBase58("tz1", new Uint8Array(19))).toThrow(RangeError);
  });
});
