// The native check of P-256 signatures answers as noble's does, whatever the bytes are.
import { p256 } from "@noble/curves/p256";
import { describe, expect, it } from "vitest";
import { SEED, amount, seededRandom } from "../../test/support/long-run.ts";
import { isSignatureOf } from "./curves.ts";
import { verifyP256 } from "./native-p256.ts";

const { n: ORDER, p: FIELD } = p256.CURVE as unknown as { n: bigint; p: bigint };
const { ProjectivePoint: Point } = p256;
const random = seededRandom(SEED);
const randomBytes = (length: number): Uint8Array =>
  Uint8Array.from({ length }, () => Math.floor(random() * 256));
const bytesOf = (value: bigint): Uint8Array => Buffer.from(value.toString(16).padStart(64, "0"), "hex");
const numberOf = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).toString("hex")}`);
const joined = (...parts: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts));
const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;
const mod = (value: bigint): bigint => ((value % ORDER) + ORDER) % ORDER;
/** An element of the field of the order other than zero. */
const randomScalar = (): bigint => (numberOf(randomBytes(32)) % (ORDER - 1n)) + 1n;
function inverse(value: bigint): bigint {
  let [power, base] = [1n, value];
  for (let exponent = ORDER - 2n; exponent > 0n; exponent >>= 1n) {
    if (exponent & 1n) power = (power * base) % ORDER;
    base = (base * base) % ORDER;
  }
  return power;
}

interface Signed {
  readonly key: Uint8Array;
  readonly digest: Uint8Array;
  readonly signature: Uint8Array;
}

const judge = ({ key, digest, signature }: Signed): boolean => {
  try {
    return p256.verify(signature, digest, key, { prehash: false, lowS: false, format: "compact" });
  } catch {
    return false;
  }
};

/** A right signature. @param numberFor the number to be signed, for a key and r */
function signed(numberFor = (_secret: bigint, _r: bigint): bigint => numberOf(randomBytes(32))): Signed {
  const [secret, nonce] = [randomScalar(), randomScalar()];
  const r = mod(Point.BASE.multiply(nonce).x);
  const z = numberFor(secret, r);
  const s = mod((z + r * secret) * inverse(nonce));
  const signature = joined(bytesOf(r), bytesOf(s));
  return { key: Point.BASE.multiply(secret).toRawBytes(true), digest: bytesOf(z), signature };
}

/** A right signature whose point has an x above the order, which is r plus the order. */
function signedAboveOrder(): Signed {
  for (let x = ORDER + 1n + BigInt(Math.floor(random() * 1_000_000)); ; x++) {
    let point;
    try {
      point = Point.fromHex(joined(Uint8Array.of(pick([2, 3])), bytesOf(x)));
    } catch {
      continue; // no point of the curve
    }
    const [r, s, digest] = [x - ORDER, randomScalar(), randomBytes(32)];
    const key = point
      .multiply(s)
      .subtract(Point.BASE.multiply(mod(numberOf(digest))))
      .multiply(inverse(r));
    return { key: key.toRawBytes(true), digest, signature: joined(bytesOf(r), bytesOf(s)) };
  }
}

const half = (signature: Uint8Array, which: 0 | 1): Uint8Array =>
  signature.subarray(32 * which, 32 * which + 32);
const withR = (one: Signed, r: bigint): Signed => ({
  ...one,
  signature: joined(bytesOf(r), half(one.signature, 1)),
});
const withS = (one: Signed, s: bigint): Signed => ({
  ...one,
  signature: joined(half(one.signature, 0), bytesOf(s)),
});
const withKey = (one: Signed, key: Uint8Array): Signed => ({ ...one, key });
const long = ({ key }: Signed): Uint8Array => Point.fromHex(key).toRawBytes(false);

const RIGHT: readonly (readonly [string, () => Signed])[] = [
  ["as they come", () => signed()],
  ["the number zero", () => signed(() => 0n)],
  ["the number of the order", () => signed(() => ORDER)],
  ["the largest number", () => signed(() => 2n ** 256n - 1n)],
  ["a number just above the order", () => signed(() => ORDER + BigInt(Math.floor(random() * 1_000)))],
  ["a small number", () => signed(() => BigInt(Math.floor(random() * 1_000)))],
  ["the key to be added to itself", () => signed((secret, r) => mod(secret * r))],
  ["a point with x above the order", () => signedAboveOrder()],
];

const CHANGED: readonly (readonly [string, (one: Signed) => Signed])[] = [
  ["the other s", (one) => withS(one, ORDER - numberOf(half(one.signature, 1)))],
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
  ...[0n, 1n, ORDER - 1n, ORDER, ORDER + 1n, 2n ** 256n - 1n, ORDER >> 1n].flatMap(
    (value): [string, (one: Signed) => Signed][] => [
      [`r = ${value}`, (one) => withR(one, value)],
      [`s = ${value}`, (one) => withS(one, value)],
      [`digest = ${value}`, (one) => ({ ...one, digest: bytesOf(value) })],
    ],
  ),
  [
    "halves exchanged",
    (one) => withR(withS(one, numberOf(half(one.signature, 0))), numberOf(half(one.signature, 1))),
  ],
  ["r above the order", (one) => withR(one, (numberOf(half(one.signature, 0)) + ORDER) % 2n ** 256n)],
  ["a random x", (one) => withKey(one, joined(Uint8Array.of(2), randomBytes(32)))],
  ["x = 0", (one) => withKey(one, joined(Uint8Array.of(2), new Uint8Array(32)))],
  ["x = field", (one) => withKey(one, joined(Uint8Array.of(3), bytesOf(FIELD)))],
  ["x above the field", (one) => withKey(one, joined(Uint8Array.of(3), bytesOf(FIELD + 5n)))],
  ["an uncompressed key", (one) => withKey(one, long(one))],
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

/** The key, and what is to be added to it, cancel: s would be zero. */
function cancelling(): Signed {
  let negative: Uint8Array | undefined;
  const one = signed((secret, r) => {
    negative = bytesOf(mod(-secret * r));
    return randomScalar();
  });
  return { ...one, digest: negative! };
}

const TIMES = amount(10, 500);
const isAccepted = ({ key, digest, signature }: Signed): boolean =>
  isSignatureOf("p256", key, digest, signature);

describe("the native check of P-256 signatures", () => {
  it.each(RIGHT)("accepts right ones: %s", (_, make) => {
    for (let i = 0; i < TIMES; i++) {
      const one = make();
      expect(judge(one)).toBe(true);
      expect(verifyP256(one.key, one.digest, one.signature)).toBe(true);
      const wrong = { ...one, digest: randomBytes(32) };
      expect(verifyP256(wrong.key, wrong.digest, wrong.signature)).toBe(false);
    }
  });

  it.each(CHANGED)("answers as the slow one: %s", (_, change) => {
    for (let i = 0; i < TIMES; i++) {
      const one = change(signed());
      expect(isAccepted(one)).toBe(judge(one));
    }
  });

  it("refuses signatures for the point at infinity", () => {
    for (let i = 0; i < TIMES; i++) {
      const one = cancelling();
      expect(judge(one)).toBe(false);
      expect(verifyP256(one.key, one.digest, one.signature)).toBe(false);
    }
  });

  it("is what the curve of Tezos keys uses", () => {
    const one = signed();
    expect(verifyP256(one.key, one.digest, one.signature)).toBe(true); // not undefined: Node has the curve
    expect(verifyP256(long(one), one.digest, one.signature)).toBeUndefined();
  });
});
