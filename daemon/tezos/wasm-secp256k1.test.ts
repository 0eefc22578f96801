// The fast check of secp256k1 signatures answers as noble's does, whatever the bytes are.
import { secp256k1 } from "@noble/curves/secp256k1";
import { beforeAll, describe, expect, it } from "vitest";
import { SEED, amount, seededRandom } from "../../test/support/long-run.ts";
import { isSignatureOf, loadSecp256k1 } from "./curves.ts";
import { bytesOf, join, numberOf, oddSignatures, type Signed } from "./testing/odd-signatures.ts";
import { type VerifySecp256k1, instantiateSecp256k1 } from "./wasm-secp256k1.ts";

const ORDER = secp256k1.CURVE.n;
const { randomBytes, isRight, signed, right, changes, cancelling } = oddSignatures(
  secp256k1,
  seededRandom(SEED),
);
const TIMES = amount(20, 2_000);

/** A right signature whose DER form has the length of the compact one: s is chosen, and the digest follows from one. */
function signedAsDer(): Signed {
  const [secret, nonce] = [secp256k1.utils.randomPrivateKey(), 12_345n];
  const r = secp256k1.ProjectivePoint.BASE.multiply(nonce).x % ORDER;
  const s = 1n << BigInt(8 * (r >> 255n === 1n ? 24 : 25));
  const digest = (((s * nonce - r * numberOf(secret)) % ORDER) + ORDER) % ORDER;
  const signature = Uint8Array.from(new secp256k1.Signature(r, s).toDERRawBytes());
  return { key: secp256k1.getPublicKey(secret, true), digest: bytesOf(digest), signature };
}
const DER = signedAsDer();
const answerBeforeLoading = isSignatureOf("secp256k1", DER.key, DER.digest, DER.signature);

it("the signature in DER is a right one, of 64 bytes", () => {
  expect(DER.signature).toHaveLength(64);
  expect(secp256k1.verify(DER.signature, DER.digest, DER.key, { prehash: false, lowS: false })).toBe(true);
});

describe("the fast check of secp256k1 signatures", () => {
  let fast: VerifySecp256k1;
  beforeAll(async () => {
    fast = await instantiateSecp256k1();
    await loadSecp256k1();
  });

  it.each(right)("accepts right ones: %s", (_, make) => {
    for (let i = 0; i < TIMES; i++) {
      const { key, digest, signature } = make();
      expect(isRight({ key, digest, signature })).toBe(true);
      expect(fast(key, digest, signature)).toBe(true);
      expect(fast(key, randomBytes(32), signature)).toBe(false);
    }
  });

  it.each(changes)("answers as the slow one: %s", (_, change) => {
    for (let i = 0; i < TIMES; i++) {
      const one = change(signed());
      expect(fast(one.key, one.digest, one.signature)).toBe(isRight(one));
    }
  });

  it("refuses signatures for the point at infinity", () => {
    for (let i = 0; i < TIMES; i++) {
      const one = cancelling();
      expect(isRight(one)).toBe(false);
      expect(fast(one.key, one.digest, one.signature)).toBe(false);
    }
  });

  it("accepts right signatures with either s, and no others", () => {
    const { key, digest, signature } = signed();
    const other = join(signature.subarray(0, 32), bytesOf(ORDER - numberOf(signature.subarray(32))));
    for (const either of [signature, other]) {
      expect(isSignatureOf("secp256k1", key, digest, either)).toBe(true);
      expect(isSignatureOf("secp256k1", key, randomBytes(32), either)).toBe(false);
    }
  });

  it("refuses what the library would pad or cut to the right length", () => {
    const secret = secp256k1.utils.randomPrivateKey();
    const key = secp256k1.getPublicKey(secret, true);
    const digest = new Uint8Array(32);
    const signature = secp256k1.sign(digest, secret).toCompactRawBytes();
    expect(fast(key, digest, signature)).toBe(true);
    expect(fast(key, digest.subarray(1), signature)).toBe(false);
    expect(fast(key, digest, join(signature, Uint8Array.of(0)))).toBe(false);
  });

  it("refuses other lengths, and a right signature in another form of 64 bytes", () => {
    const { key, digest, signature } = signed();
    for (const length of [0, 63, 65]) {
      const bytes = join(signature, signature).subarray(0, length);
      expect(isSignatureOf("secp256k1", key, digest, bytes)).toBe(false);
    }
    expect(isSignatureOf("secp256k1", DER.key, DER.digest, DER.signature)).toBe(false);
    expect(answerBeforeLoading).toBe(false);
  });
});
