// The native check of P-256 signatures answers as noble's does, whatever the bytes are.
import { p256 } from "@noble/curves/p256";
import { describe, expect, it } from "vitest";
import { SEED, amount, seededRandom } from "../../test/support/long-run.ts";
import { isSignatureOf } from "./curves.ts";
import { verifyP256 } from "./native-p256.ts";
import { oddSignatures } from "./testing/odd-signatures.ts";

const { randomBytes, isRight, signed, right, changes, cancelling } = oddSignatures(p256, seededRandom(SEED));
const TIMES = amount(10, 500);

describe("the native check of P-256 signatures", () => {
  it.each(right)("accepts right ones: %s", (_, make) => {
    for (let i = 0; i < TIMES; i++) {
      const { key, digest, signature } = make();
      expect(isRight({ key, digest, signature })).toBe(true);
      expect(verifyP256(key, digest, signature)).toBe(true);
      expect(verifyP256(key, randomBytes(32), signature)).toBe(false);
    }
  });

  it.each(changes)("answers as the slow one: %s", (_, change) => {
    for (let i = 0; i < TIMES; i++) {
      const one = change(signed());
      expect(isSignatureOf("p256", one.key, one.digest, one.signature)).toBe(isRight(one));
    }
  });

  it("refuses signatures for the point at infinity", () => {
    for (let i = 0; i < TIMES; i++) {
      const one = cancelling();
      expect(isRight(one)).toBe(false);
      expect(verifyP256(one.key, one.digest, one.signature)).toBe(false);
    }
  });

  it("is what the curve of Tezos keys uses", () => {
    const { key, digest, signature } = signed();
    expect(verifyP256(key, digest, signature)).toBe(true); // not undefined: Node has the curve
    const uncompressed = p256.ProjectivePoint.fromHex(key).toRawBytes(false);
    expect(verifyP256(uncompressed, digest, signature)).toBeUndefined();
  });
});
