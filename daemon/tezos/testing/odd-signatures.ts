// Right signatures of a curve that have something rare about them, and signatures that are nearly right. Noble judges.
import type { CurveFn } from "@noble/curves/abstract/weierstrass";

export interface Signed {
  readonly key: Uint8Array;
  readonly digest: Uint8Array;
  readonly signature: Uint8Array;
}

export interface OddSignatures {
  randomBytes(length: number): Uint8Array;
  /** Whether noble accepts it. */
  isRight(one: Signed): boolean;
  /** A right signature as they come. */
  signed(): Signed;
  /** Right signatures, by what is rare about them. */
  readonly right: readonly (readonly [string, () => Signed])[];
  /** Changes of a right signature, most of which make it wrong. */
  readonly changes: readonly (readonly [string, (one: Signed) => Signed])[];
  /** What is added to the key cancels it: s would be zero. */
  cancelling(): Signed;
}

export const bytesOf = (value: bigint): Uint8Array =>
  Buffer.from(value.toString(16).padStart(64, "0"), "hex");
export const numberOf = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).toString("hex")}`);
export const join = (...parts: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts));

const rOf = ({ signature }: Signed): bigint => numberOf(signature.subarray(0, 32));
const sOf = ({ signature }: Signed): bigint => numberOf(signature.subarray(32));
const withR = (one: Signed, r: bigint): Signed => ({
  ...one,
  signature: join(bytesOf(r), one.signature.subarray(32)),
});
const withS = (one: Signed, s: bigint): Signed => ({
  ...one,
  signature: join(one.signature.subarray(0, 32), bytesOf(s)),
});
const withKey = (one: Signed, key: Uint8Array): Signed => ({ ...one, key });

/** @param curve of 256 bits @param random below 1, as `Math.random` */
export function oddSignatures(curve: CurveFn, random: () => number): OddSignatures {
  const randomBytes = (length: number): Uint8Array =>
    Uint8Array.from({ length }, () => Math.floor(random() * 256));
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;
  const ORDER = curve.CURVE.n;
  const FIELD = curve.CURVE.Fp.ORDER;
  const Point = curve.ProjectivePoint;
  const mod = (value: bigint): bigint => ((value % ORDER) + ORDER) % ORDER;
  /** An element of the field of the order other than zero. */
  const randomScalar = (): bigint => (numberOf(randomBytes(32)) % (ORDER - 1n)) + 1n;
  const inverse = (value: bigint): bigint => {
    let [power, base] = [1n, value];
    for (let exponent = ORDER - 2n; exponent > 0n; exponent >>= 1n) {
      if (exponent & 1n) power = (power * base) % ORDER;
      base = (base * base) % ORDER;
    }
    return power;
  };

  /** A right signature. @param numberFor the number to be signed, for a key and r */
  const sign = (numberFor = (_secret: bigint, _r: bigint) => numberOf(randomBytes(32))): Signed => {
    const [secret, nonce] = [randomScalar(), randomScalar()];
    const r = mod(Point.BASE.multiply(nonce).x);
    const z = numberFor(secret, r);
    const s = mod((z + r * secret) * inverse(nonce));
    const signature = join(bytesOf(r), bytesOf(s));
    return { key: Point.BASE.multiply(secret).toRawBytes(true), digest: bytesOf(z), signature };
  };

  /** A right signature whose point has an x above the order, which is r plus the order. */
  const signedAboveOrder = (): Signed => {
    for (let x = ORDER + 1n + BigInt(Math.floor(random() * 1_000_000)); ; x++) {
      let point;
      try {
        point = Point.fromHex(join(Uint8Array.of(pick([2, 3])), bytesOf(x)));
      } catch {
        continue; // no point of the curve
      }
      const [r, s, digest] = [x - ORDER, randomScalar(), randomBytes(32)];
      const key = point
        .multiply(s)
        .subtract(Point.BASE.multiply(mod(numberOf(digest))))
        .multiply(inverse(r));
      return { key: key.toRawBytes(true), digest, signature: join(bytesOf(r), bytesOf(s)) };
    }
  };

  const long = ({ key }: Signed): Uint8Array => Point.fromHex(key).toRawBytes(false);
  const edges = [0n, 1n, ORDER - 1n, ORDER, ORDER + 1n, 2n ** 256n - 1n, ORDER >> 1n, (ORDER >> 1n) + 1n];

  return {
    randomBytes,
    isRight({ key, digest, signature }) {
      try {
        return curve.verify(signature, digest, key, { prehash: false, lowS: false, format: "compact" });
      } catch {
        return false;
      }
    },
    signed: () => sign(),
    right: [
      ["as they come", () => sign()],
      ["the number zero", () => sign(() => 0n)],
      ["the number of the order", () => sign(() => ORDER)],
      ["the largest number", () => sign(() => 2n ** 256n - 1n)],
      ["a number just above the order", () => sign(() => ORDER + BigInt(Math.floor(random() * 1_000)))],
      ["a small number", () => sign(() => BigInt(Math.floor(random() * 1_000)))],
      ["the key to be added to itself", () => sign((secret, r) => mod(secret * r))],
      ["a point with x above the order", signedAboveOrder],
    ],
    changes: [
      ["the other s", (one) => withS(one, ORDER - sOf(one))],
      ["another digest", (one) => ({ ...one, digest: randomBytes(32) })],
      ["another key", (one) => withKey(one, sign().key)],
      ["the other parity", (one) => withKey(one, join(Uint8Array.of(one.key[0]! ^ 1), one.key.subarray(1)))],
      ["a random signature", (one) => ({ ...one, signature: randomBytes(64) })],
      [
        "one bit less",
        (one) => {
          const signature = one.signature.slice();
          signature[Math.floor(random() * 64)]! ^= 1 << Math.floor(random() * 8);
          return { ...one, signature };
        },
      ],
      ...edges.flatMap((value): [string, (one: Signed) => Signed][] => [
        [`r = ${value}`, (one) => withR(one, value)],
        [`s = ${value}`, (one) => withS(one, value)],
        [`digest = ${value}`, (one) => ({ ...one, digest: bytesOf(value) })],
      ]),
      ["halves exchanged", (one) => withR(withS(one, rOf(one)), sOf(one))],
      ["r above the order", (one) => withR(one, (rOf(one) + ORDER) % 2n ** 256n)],
      ["a random x", (one) => withKey(one, join(Uint8Array.of(2), randomBytes(32)))],
      ["x = 0", (one) => withKey(one, join(Uint8Array.of(2), new Uint8Array(32)))],
      ["x = field", (one) => withKey(one, join(Uint8Array.of(3), bytesOf(FIELD)))],
      // One more is a coordinate of both curves, some more of one of them.
      ["x just above the field", (one) => withKey(one, join(Uint8Array.of(3), bytesOf(FIELD + 1n)))],
      ["x above the field", (one) => withKey(one, join(Uint8Array.of(3), bytesOf(FIELD + 5n)))],
      ["an uncompressed key", (one) => withKey(one, long(one))],
      [
        "an uncompressed key off the curve",
        (one) => withKey(one, join(long(one).subarray(0, 64), Uint8Array.of(1))),
      ],
      [
        "a hybrid key",
        (one) => withKey(one, join(Uint8Array.of(6 + (long(one)[64]! & 1)), long(one).subarray(1))),
      ],
      [
        "a key of another kind",
        (one) => withKey(one, join(Uint8Array.of(pick([0, 1, 4, 5])), one.key.subarray(1))),
      ],
      ["no key", (one) => withKey(one, new Uint8Array())],
      ["a short key", (one) => withKey(one, one.key.subarray(0, 32))],
      ["a long key", (one) => withKey(one, join(one.key, Uint8Array.of(0)))],
    ],
    cancelling() {
      let negative: Uint8Array | undefined;
      const one = sign((secret, r) => {
        negative = bytesOf(mod(-secret * r));
        return randomScalar();
      });
      return { ...one, digest: negative! };
    },
  };
}
