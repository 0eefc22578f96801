// The fast check of secp256k1 signatures answers as noble's does, whatever the bytes are.
import { secp256k1 } from "@noble/curves/secp256k1";
import { beforeAll, describe, expect, it } from "vitest";
import { SEED, amount, seededRandom } from "../../test/support/long-run.ts";
import { isSignatureOf, loadSecp256k1 } from "./curves.ts";
import { type VerifySecp256k1, instantiateSecp256k1 } from "./wasm-secp256k1.ts";

const { n: ORDER, p: FIELD } = secp256k1.CURVE as unknown as { n: bigint; p: bigint };
const random = seededRandom(SEED);
const randomBytes = (length: number): Uint8Array =>
  Uint8Array.from({ length }, () => Math.floor(random() * 256));
const bytesOf = (value: bigint): Uint8Array => Buffer.from(value.toString(16).padStart(64, "0"), "hex");
const joined = (...parts: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts));
const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;

const judge: VerifySecp256k1 = (key, digest, signature) => {
  try {
    return secp256k1.verify(signature, digest, key, { prehash: false, lowS: false, format: "compact" });
  } catch {
    return false;
  }
};

interface Signed {
  readonly key: Uint8Array;
  readonly digest: Uint8Array;
  readonly signature: Uint8Array;
}

function signed(): Signed {
  const secret = secp256k1.utils.randomPrivateKey();
  const digest = pick([randomBytes(32), new Uint8Array(32), new Uint8Array(32).fill(255), bytesOf(ORDER)]);
  return {
    key: secp256k1.getPublicKey(secret, true),
    digest,
    signature: secp256k1.sign(digest, secret, { lowS: false }).toCompactRawBytes(),
  };
}

const half = (signature: Uint8Array, which: 0 | 1): Uint8Array =>
  signature.subarray(32 * which, 32 * which + 32);
const number = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).toString("hex")}`);
const withParts = (one: Signed, r: Uint8Array, s: Uint8Array): Signed => ({
  ...one,
  signature: joined(r, s),
});
const withR = (one: Signed, r: bigint): Signed => withParts(one, bytesOf(r), half(one.signature, 1));
const withS = (one: Signed, s: bigint): Signed => withParts(one, half(one.signature, 0), bytesOf(s));
const withKey = (one: Signed, key: Uint8Array): Signed => ({ ...one, key });
const long = ({ key }: Signed): Uint8Array => secp256k1.ProjectivePoint.fromHex(key).toRawBytes(false);

const CASES: readonly (readonly [string, (one: Signed) => Signed])[] = [
  ["a right signature", (one) => one],
  ["the other s", (one) => withS(one, ORDER - number(half(one.signature, 1)))],
  ["another digest", (one) => ({ ...one, digest: randomBytes(32) })],
  ["another key", (one) => withKey(one, signed().key)],
  ["the other parity", (one) => withKey(one, joined(Uint8Array.of(one.key[0]! ^ 1), one.key.subarray(1)))],
  ["a random signature", (one) => ({ ...one, signature: randomBytes(64) })],
  [
    "one bit less",
    (one) => {
      const signature = one.signature.slice();
      signature[Math.floor(random() * 64)]! ^= 1 << Math.floor(random() * 8);
      return { ...one, signature };
    },
  ],
  ...[0n, 1n, ORDER - 1n, ORDER, ORDER + 1n, 2n ** 256n - 1n, ORDER >> 1n, (ORDER >> 1n) + 1n].flatMap(
    (value): [string, (one: Signed) => Signed][] => [
      [`r = ${value}`, (one) => withR(one, value)],
      [`s = ${value}`, (one) => withS(one, value)],
    ],
  ),
  ["halves exchanged", (one) => withParts(one, half(one.signature, 1), half(one.signature, 0))],
  ["r above the order", (one) => withR(one, (number(half(one.signature, 0)) + ORDER) % 2n ** 256n)],
  ["a random x", (one) => withKey(one, joined(Uint8Array.of(2), randomBytes(32)))],
  ["x = 0", (one) => withKey(one, joined(Uint8Array.of(2), new Uint8Array(32)))],
  ["x = field", (one) => withKey(one, joined(Uint8Array.of(3), bytesOf(FIELD)))],
  ["x above the field", (one) => withKey(one, joined(Uint8Array.of(3), bytesOf(FIELD + 1n)))],
  ["an uncompressed key", (one) => withKey(one, long(one))],
  [
    "an uncompressed key off the curve",
    (one) => withKey(one, joined(long(one).subarray(0, 64), Uint8Array.of(1))),
  ],
  [
    "a hybrid key",
    (one) => withKey(one, joined(Uint8Array.of(6 + (long(one)[64]! & 1)), long(one).subarray(1))),
  ],
  [
    "a key of another kind",
    (one) => withKey(one, joined(Uint8Array.of(pick([0, 1, 4, 5])), one.key.subarray(1))),
  ],
  ["no key", (one) => withKey(one, new Uint8Array())],
  ["a short key", (one) => withKey(one, one.key.subarray(0, 32))],
  ["a long key", (one) => withKey(one, joined(one.key, Uint8Array.of(0)))],
];

/** A right signature whose DER form has the length of the compact one: s is chosen, and the digest follows from one. */
function signedAsDer(): Signed {
  const [secret, nonce] = [secp256k1.utils.randomPrivateKey(), 12_345n];
  const r = secp256k1.ProjectivePoint.BASE.multiply(nonce).x % ORDER;
  const s = 1n << BigInt(8 * (r >> 255n === 1n ? 24 : 25));
  const digest = (((s * nonce - r * number(secret)) % ORDER) + ORDER) % ORDER;
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

  it.each(CASES)("answers as the slow one: %s", (_, change) => {
    for (let i = 0; i < amount(70, 2_000); i++) {
      const { key, digest, signature } = change(signed());
      expect(fast(key, digest, signature)).toBe(judge(key, digest, signature));
    }
  });

  it("accepts right signatures with either s, and no others", () => {
    const one = signed();
    const other = withS(one, ORDER - number(half(one.signature, 1)));
    for (const { key, digest, signature } of [one, other]) {
      expect(isSignatureOf("secp256k1", key, digest, signature)).toBe(true);
      expect(isSignatureOf("secp256k1", key, randomBytes(32), signature)).toBe(false);
    }
  });

  it("refuses what the library would pad or cut to the right length", () => {
    const secret = secp256k1.utils.randomPrivateKey();
    const key = secp256k1.getPublicKey(secret, true);
    const digest = new Uint8Array(32);
    const signature = secp256k1.sign(digest, secret).toCompactRawBytes();
    expect(fast(key, digest, signature)).toBe(true);
    expect(fast(key, digest.subarray(1), signature)).toBe(false);
    expect(fast(key, digest, joined(signature, Uint8Array.of(0)))).toBe(false);
  });

  it("refuses other lengths, and a right signature in another form of 64 bytes", () => {
    const { key, digest, signature } = signed();
    for (const length of [0, 63, 65]) {
      const bytes = joined(signature, signature).subarray(0, length);
      expect(isSignatureOf("secp256k1", key, digest, bytes)).toBe(false);
    }
    expect(isSignatureOf("secp256k1", DER.key, DER.digest, DER.signature)).toBe(false);
    expect(answerBeforeLoading).toBe(false);
  });
});
