// The curve in WebAssembly computes what noble's does, and refuses what blst refuses.
import type { ProjPointType } from "@noble/curves/abstract/weierstrass";
import { bls12_381 } from "@noble/curves/bls12-381";
import { beforeAll, describe, expect, it } from "vitest";
import { SEED, amount, seededRandom } from "../../test/support/long-run.ts";
import type { BlsCurve, BlsGroup, BlsPoint } from "./bls-curve.ts";
import { blsCurve, loadBls } from "./curves.ts";

/** Points of either group, whose operations have the same form here. */
interface Judge {
  readonly BASE: ProjPointType<bigint>;
  readonly ZERO: ProjPointType<bigint>;
  fromHex(hex: string): ProjPointType<bigint>;
}
const JUDGES = {
  g1: bls12_381.G1.ProjectivePoint,
  g2: bls12_381.G2.ProjectivePoint,
} as unknown as Readonly<Record<BlsGroup, Judge>>;
const { ORDER } = bls12_381.fields.Fr;
const FIELD = bls12_381.fields.Fp.ORDER;
/** Of a number of the field. */
const HIGHEST_BIT = 1n << 380n;

const random = seededRandom(SEED);
const randomBytes = (length: number): Uint8Array =>
  Uint8Array.from({ length }, () => Math.floor(random() * 256));
const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
const bytesOf = (hex: string): Uint8Array => Buffer.from(hex, "hex");
const randomFactor = (): bigint => BigInt(`0x${hexOf(randomBytes(32))}`) % ORDER;
const randomPoint = (group: BlsGroup): ProjPointType<bigint> =>
  JUDGES[group].BASE.multiplyUnsafe(randomFactor());

/** A point of the curve with this x, whatever its order. */
function onCurve(group: BlsGroup, x: bigint): Uint8Array | undefined {
  const { Fp, Fp2 } = bls12_381.fields;
  try {
    if (group === "g1") {
      const y = Fp.sqrt(Fp.add(Fp.pow(x, 3n), 4n));
      return new Uint8Array([...Fp.toBytes(x), ...Fp.toBytes(y)]);
    }
    const wide = Fp2.fromBigTuple([x, 1n]);
    const y = Fp2.sqrt(Fp2.add(Fp2.pow(wide, 3n), Fp2.fromBigTuple([4n, 4n])));
    return new Uint8Array([wide, y].flatMap(({ c0, c1 }) => [...Fp.toBytes(c1), ...Fp.toBytes(c0)]));
  } catch {
    return undefined; // there is no root
  }
}

let curve: BlsCurve;
beforeAll(async () => {
  await loadBls();
  curve = blsCurve();
});

const read = (group: BlsGroup, point: ProjPointType<bigint>): BlsPoint =>
  curve.read(group, point.toRawBytes(false))!;
const hexOfPoint = (point: BlsPoint): string => hexOf(curve.write(point));

describe.each(["g1", "g2"] as const)("points of %s", (group) => {
  it("are read and written, added, negated and multiplied as by noble", () => {
    const { BASE, ZERO } = JUDGES[group];
    const points = [ZERO, BASE, BASE.negate(), randomPoint(group), randomPoint(group)];
    const factors = [0n, 1n, 2n, ORDER - 1n, ORDER >> 1n, 1n << 128n, randomFactor()];
    for (let i = 0; i < amount(4, 100); i++) points.push(randomPoint(group));
    for (const a of points) {
      expect(hexOfPoint(read(group, a))).toBe(a.toHex(false));
      expect(hexOfPoint(curve.readKnown(group, a.toRawBytes(false)))).toBe(a.toHex(false));
      expect(hexOfPoint(curve.negate(read(group, a)))).toBe(a.negate().toHex(false));
      for (const b of points) {
        expect(hexOfPoint(curve.add(read(group, a), read(group, b)))).toBe(a.add(b).toHex(false));
        expect(hexOfPoint(curve.subtract(read(group, a), read(group, b)))).toBe(a.subtract(b).toHex(false));
      }
      for (const factor of factors)
        expect(hexOfPoint(curve.multiply(read(group, a), factor))).toBe(
          a.multiplyUnsafe(factor).toHex(false),
        );
    }
  });

  it("stay correct over long computations", () => {
    let [found, judged] = [read(group, JUDGES[group].BASE), JUDGES[group].BASE];
    for (let i = 0; i < amount(300, 20_000); i++) {
      found = i % 3 === 0 ? curve.negate(found) : curve.add(found, read(group, JUDGES[group].BASE));
      judged = i % 3 === 0 ? judged.negate() : judged.add(JUDGES[group].BASE);
    }
    expect(hexOfPoint(found)).toBe(judged.toHex(false));
  });

  it("of other orders and off the curve are refused", () => {
    const isPoint = (bytes: Uint8Array): boolean => {
      try {
        const point = JUDGES[group].fromHex(hexOf(bytes));
        point.assertValidity();
        return true;
      } catch {
        return false;
      }
    };
    const half = group === "g1" ? 48 : 96;
    let ofOtherOrder = 0;
    for (let x = 0n; x < amount(60, 1_000); x++) {
      // A small x is on the curve half of the time, and hardly ever in the group.
      const point = onCurve(group, x);
      if (point) ofOtherOrder++;
      const bytes = point ?? randomBytes(2 * half);
      bytes[0]! &= 0x1f;
      expect(curve.read(group, bytes) !== undefined).toBe(isPoint(bytes));
    }
    expect(ofOtherOrder).toBeGreaterThan(10);
    const changed = randomPoint(group).toRawBytes(false);
    changed[2 * half - 1]! ^= 1;
    expect(curve.read(group, changed)).toBeUndefined();
  });

  it("have one encoding", () => {
    const length = group === "g1" ? 96 : 192;
    const zeros = new Uint8Array(length);
    const infinity = (flags: number, last = 0): Uint8Array => {
      const bytes = zeros.slice();
      [bytes[0], bytes[length - 1]] = [flags, last];
      return bytes;
    };
    expect(hexOfPoint(curve.read(group, infinity(0x40))!)).toBe(hexOf(infinity(0x40)));
    for (const bytes of [infinity(0x40, 1), infinity(0x60), infinity(0xc0), infinity(0x41), zeros])
      expect(curve.read(group, bytes)).toBeUndefined();
    const point = randomPoint(group).toRawBytes(false);
    for (const flag of [0x20, 0x40, 0x80]) {
      const flagged = point.slice();
      flagged[0]! |= flag;
      expect(curve.read(group, flagged)).toBeUndefined();
    }
    for (const other of [point.subarray(1), new Uint8Array([...point, 0]), new Uint8Array()])
      expect(curve.read(group, other)).toBeUndefined();
    // The library takes a number beyond the field without its highest bit, and a quarter of the points have a
    // coordinate that is such a rest: they would have a second form.
    let other = randomPoint(group).toRawBytes(false);
    const last = (): bigint => BigInt(`0x${hexOf(other.subarray(-48))}`);
    while (last() + HIGHEST_BIT < FIELD || last() >= HIGHEST_BIT)
      other = randomPoint(group).toRawBytes(false);
    const second = bytesOf((last() + HIGHEST_BIT).toString(16).padStart(96, "0"));
    expect(curve.read(group, other)).toBeDefined();
    expect(curve.read(group, new Uint8Array([...other.subarray(0, -48), ...second]))).toBeUndefined();
  });
});

it("pairings are one exactly when noble says so", () => {
  const { g1, g2 } = JUDGES;
  const [a, b] = [randomFactor(), randomFactor()];
  const times = (group: BlsGroup, factor: bigint): BlsPoint =>
    read(group, JUDGES[group].BASE.multiplyUnsafe(factor));
  const product = (...factors: readonly (readonly [bigint, bigint])[]): boolean => {
    const pairs = factors.map(([x, y]) => [times("g1", x), times("g2", y)] as const);
    const together = curve.isOne(curve.pair(undefined, pairs));
    const oneByOne = pairs.reduce<ReturnType<BlsCurve["pair"]>>(
      (so, one) => curve.pair(so, [one]),
      undefined,
    );
    expect(curve.isOne(oneByOne)).toBe(together);
    return together;
  };
  expect(product()).toBe(true);
  expect(product([0n, a], [b, 0n])).toBe(true);
  expect(product([a, b])).toBe(false);
  expect(product([a, b], [ORDER - a, b])).toBe(true);
  expect(product([a, b], [b, ORDER - a])).toBe(true);
  expect(product([a, b], [a, b])).toBe(false);
  expect(product([a, 1n], [b, 1n], [ORDER - 1n, (a + b) % ORDER])).toBe(true);
  expect(g1.BASE.equals(g1.ZERO) || g2.BASE.equals(g2.ZERO)).toBe(false);
});

describe("BLS signatures", () => {
  const DOMAIN = "BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_";
  const OTHER = "BLS_POP_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_";
  const judge = (key: Uint8Array, message: Uint8Array, signature: Uint8Array, domain: string): boolean => {
    try {
      return bls12_381.verify(signature, message, key, { DST: domain });
    } catch {
      return false;
    }
  };
  const secret = bls12_381.utils.randomPrivateKey();
  const key = bls12_381.getPublicKey(secret);
  const sign = (message: Uint8Array): Uint8Array => bls12_381.sign(message, secret, { DST: DOMAIN });
  const message = randomBytes(50);
  const signature = sign(message);
  const flip = (bytes: Uint8Array, at: number, bits: number): Uint8Array => {
    const copy = bytes.slice();
    copy[at]! ^= bits;
    return copy;
  };
  const infinity = (length: number): Uint8Array =>
    Uint8Array.from({ length }, (_, i) => (i === 0 ? 0xc0 : 0));

  it.each([0, 1, 31, 32, 33, 1_000, 262_144])("of %i bytes are right", (length) => {
    const long = randomBytes(length);
    expect(curve.verify(key, long, sign(long), DOMAIN)).toBe(true);
    expect(judge(key, long, sign(long), DOMAIN)).toBe(true);
  });

  it.each([1_046_000, 1_048_576, 2_000_000])(
    "of %i bytes, more than the library has room for, harm no others",
    (length) => {
      expect(curve.verify(key, new Uint8Array(length), signature, DOMAIN)).toBe(false);
      expect(curve.verify(key, message, signature, DOMAIN)).toBe(true);
    },
  );

  it.each([
    ["another message", key, randomBytes(50), signature, DOMAIN],
    ["another domain", key, message, signature, OTHER],
    ["another key", bls12_381.getPublicKey(bls12_381.utils.randomPrivateKey()), message, signature, DOMAIN],
    ["the negated key", flip(key, 0, 0x20), message, signature, DOMAIN],
    ["the negated signature", key, message, flip(signature, 0, 0x20), DOMAIN],
    ["a key without its flag", flip(key, 0, 0x80), message, signature, DOMAIN],
    ["a key that is no point", flip(key, 47, 1), message, signature, DOMAIN],
    ["a signature that is no point", key, message, flip(signature, 95, 1), DOMAIN],
    ["a key at infinity", infinity(48), message, signature, DOMAIN],
    ["a signature at infinity", key, message, infinity(96), DOMAIN],
    ["both at infinity", infinity(48), message, infinity(96), DOMAIN],
    ["a short key", key.subarray(1), message, signature, DOMAIN],
    ["a short signature", key, message, signature.subarray(0, 48), DOMAIN],
    ["no signature", key, message, new Uint8Array(), DOMAIN],
    ["random bytes", randomBytes(48), message, randomBytes(96), DOMAIN],
  ] as const)("with %s are wrong", (_, given, text, signed, domain) => {
    expect(curve.verify(given, text, signed, domain)).toBe(false);
    expect(judge(given, text, signed, domain)).toBe(false);
  });

  it("take keys and signatures in their short forms only", () => {
    const long = bls12_381.G1.ProjectivePoint.fromHex(key).toRawBytes(false);
    expect(curve.verify(long, message, signature, DOMAIN)).toBe(false);
    for (const bytes of [new Uint8Array([...key, 0]), key.subarray(0, 47)])
      expect(curve.verify(bytes, message, signature, DOMAIN)).toBe(false);
    expect(curve.verify(key, message, new Uint8Array([...signature, 0]), DOMAIN)).toBe(false);
  });
});
