// BLS12-381, the curve of tz4 keys and of Michelson's points, by the library mcl in WebAssembly: a bundle of its own
// (`bls-curve.cjs`), loaded when somebody needs it. Six to fifteen times as fast as JavaScript. Encodings are those of
// blst, which Octez uses: what it refuses is refused.
import * as library from "mcl-wasm";
import {
  BLS12_381,
  Fp,
  Fp2,
  Fr,
  G1,
  G2,
  GT,
  IRTF,
  add,
  deserializeHexStrToG1,
  finalExp,
  init,
  mul,
  neg,
  setETHserialization,
  setMapToMode,
  sub,
  verifyOrderG1,
  verifyOrderG2,
} from "mcl-wasm";
import { toByteText } from "./byte-text.ts";
import { RecentMap } from "./recent-map.ts";

/** A point of either group. Immutable. */
export type BlsPoint = G1 | G2;
export type BlsGroup = "g1" | "g2";
/** A point of G1 and one of G2. */
export type BlsPair = readonly [BlsPoint, BlsPoint];
/** A product of pairings, before its last step. */
export interface BlsProduct {
  readonly value: object;
  /** Number of pairings in it, without those of a point at infinity. */
  readonly count: number;
}

const COORDINATE_BYTES = 48;
const POINT_BYTES = { g1: 2 * COORDINATE_BYTES, g2: 4 * COORDINATE_BYTES } as const;
const INFINITY_FLAG = 0x40;
const FLAGS = 0xe0;
const FIELD = Buffer.from(
  "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab",
  "hex",
);
/** The stack of the library has a megabyte, and what does not fit there overwrites its tables without an error. */
const MAX_MESSAGE = 524_288;
const G1_BASE =
  "97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb";

/** The curve, once the library is ready. */
export interface BlsCurve {
  /** Reads both coordinates; undefined when the bytes are not a point of the group. */
  read(group: BlsGroup, bytes: Uint8Array): BlsPoint | undefined;
  /** As {@link read}, for bytes that were read before: does not look whether they are a point of the group. */
  readKnown(group: BlsGroup, bytes: Uint8Array): BlsPoint;
  write(point: BlsPoint): Uint8Array;
  add(a: BlsPoint, b: BlsPoint): BlsPoint;
  subtract(a: BlsPoint, b: BlsPoint): BlsPoint;
  negate(point: BlsPoint): BlsPoint;
  /** @param factor below the order of the groups */
  multiply(point: BlsPoint, factor: bigint): BlsPoint;
  /** Multiplies pairings into a product; several take less time together. Points at infinity have no effect. */
  pair(product: BlsProduct | undefined, pairs: readonly BlsPair[]): BlsProduct | undefined;
  isOne(product: BlsProduct | undefined): boolean;
  /**
   * Whether 96 bytes are the signature of a key (48 bytes) over a message; false for anything malformed, and for messages
   * of more than 512 KiB, longer than those of operations and scripts.
   */
  verify(key: Uint8Array, message: Uint8Array, signature: Uint8Array, domain: string): boolean;
}

/** The library is one instance with global settings; nobody else uses it. */
export async function instantiateCurve(): Promise<BlsCurve> {
  await init(BLS12_381);
  setETHserialization(true); // compressed points as in blst
  setMapToMode(IRTF);
  verifyOrderG1(true);
  verifyOrderG2(true);
  /** The same accounts sign repeatedly, and a root and the order are a twentieth of the work. */
  const keys = new RecentMap<G1>(1_024);
  const negativeBase = neg(deserializeHexStrToG1(G1_BASE));

  const pair = (product: BlsProduct | undefined, pairs: readonly BlsPair[]): BlsProduct | undefined => {
    const finite = pairs.filter(([g1, g2]) => !g1.isZero() && !g2.isZero());
    if (finite.length === 0) return product;
    const value = millerLoops(finite);
    return product === undefined
      ? { value, count: finite.length }
      : { value: mul(product.value as GT, value), count: product.count + finite.length };
  };
  const isOne = (product: BlsProduct | undefined): boolean =>
    product === undefined ||
    // The product of a single pairing is never one: the groups have prime order.
    (product.count > 1 && finalExp(product.value as GT).isOne());

  return {
    read(group, bytes) {
      if (bytes.length !== POINT_BYTES[group]) return undefined;
      if (bytes[0]! & INFINITY_FLAG) {
        const isInfinity = bytes[0] === INFINITY_FLAG && bytes.every((byte, i) => i === 0 || byte === 0);
        return isInfinity ? infinityOf(group) : undefined;
      }
      if (bytes[0]! & FLAGS) return undefined;
      for (let at = 0; at < bytes.length; at += COORDINATE_BYTES)
        if (Buffer.compare(bytes.subarray(at, at + COORDINATE_BYTES), FIELD) >= 0) return undefined;
      const point = finitePoint(group, bytes);
      return point.isValid() ? point : undefined; // looks at the order as well
    },
    readKnown: (group, bytes) => (bytes[0]! & INFINITY_FLAG ? infinityOf(group) : finitePoint(group, bytes)),
    write,
    add: (a, b) => add(a as G1, b as G1),
    subtract: (a, b) => sub(a as G1, b as G1),
    negate: (point) => neg(point as G1),
    multiply: (point, factor) => mul(point as G1, numberOf(factor)),
    pair,
    isOne,
    verify(key, message, signature, domain) {
      if (message.length > MAX_MESSAGE) return false;
      const publicKey = keys.getOrMake(toByteText(key), () => deserialize(new G1(), key));
      const signed = deserialize(new G2(), signature);
      if (publicKey === undefined || signed === undefined) return false;
      // A key at infinity would sign everything.
      if (publicKey.isZero() || signed.isZero()) return false;
      const pairs: readonly BlsPair[] = [
        [publicKey, hashToG2(message, domain)],
        [negativeBase, signed],
      ];
      return isOne(pair(undefined, pairs));
    },
  };
}

/** A point that reads itself from its compressed form; undefined when the bytes are none of its group. */
function deserialize<Point extends BlsPoint>(point: Point, bytes: Uint8Array): Point | undefined {
  try {
    point.deserialize(bytes);
    return point;
  } catch {
    return undefined;
  }
}

const infinityOf = (group: BlsGroup): BlsPoint => {
  const point = group === "g1" ? new G1() : new G2();
  point.clear();
  return point;
};

/** Lowest byte first, as the library takes numbers, and back. */
const reverseBytes = (bytes: Uint8Array): Uint8Array => Uint8Array.from(bytes).reverse();

function coordinate(bytes: Uint8Array, index: number): Fp {
  const number = new Fp();
  number.setLittleEndian(
    reverseBytes(bytes.subarray(index * COORDINATE_BYTES, (index + 1) * COORDINATE_BYTES)),
  );
  return number;
}

/** In a pair of numbers the second one comes first. */
function coordinatePair(bytes: Uint8Array, index: number): Fp2 {
  const pair = new Fp2();
  pair.set_a(coordinate(bytes, 2 * index + 1));
  pair.set_b(coordinate(bytes, 2 * index));
  return pair;
}

function finitePoint(group: BlsGroup, bytes: Uint8Array): BlsPoint {
  if (group === "g1") {
    const [point, one] = [new G1(), new Fp()];
    one.setInt(1);
    point.setX(coordinate(bytes, 0));
    point.setY(coordinate(bytes, 1));
    point.setZ(one);
    return point;
  }
  const [point, one] = [new G2(), new Fp2()];
  one.setInt(1, 0);
  point.setX(coordinatePair(bytes, 0));
  point.setY(coordinatePair(bytes, 1));
  point.setZ(one);
  return point;
}

function write(point: BlsPoint): Uint8Array {
  const isG1 = point instanceof G1;
  if (point.isZero()) {
    const bytes = new Uint8Array(isG1 ? POINT_BYTES.g1 : POINT_BYTES.g2);
    bytes[0] = INFINITY_FLAG;
    return bytes;
  }
  const affine = point.clone();
  affine.normalize();
  const [x, y] = [affine.getX(), affine.getY()];
  const parts = [x, y].flatMap((value) =>
    value instanceof Fp2 ? [value.get_b().serialize(), value.get_a().serialize()] : [value.serialize()],
  );
  return Buffer.concat(parts);
}

const FACTOR_BYTES = 32;

function numberOf(factor: bigint): Fr {
  const number = new Fr();
  const hex = factor.toString(16).padStart(2 * FACTOR_BYTES, "0");
  number.setLittleEndian(Buffer.from(hex, "hex").reverse());
  return number;
}

/** What the wrapper has no functions for: several pairings at once, and a domain of one's own. */
interface Raw {
  stackSave(): number;
  stackRestore(at: number): void;
  sallocBytes(bytes: Uint8Array): number;
  callSetter(run: (at: number) => number, value: unknown): void;
  _mclBn_millerLoopVec(at: number, g1: number, g2: number, count: number): number;
  _mclBnG2_hashAndMapToWithDst(
    at: number,
    message: number,
    messageLength: number,
    domain: number,
    domainLength: number,
  ): number;
}
const raw = (): Raw => (library as unknown as { readonly mod: Raw }).mod;

/** The numbers of a point or product, as the library holds them. */
const numbersOf = (value: G1 | G2 | GT): Uint32Array => (value as unknown as { a_: Uint32Array }).a_;

/** Runs `run` with memory of the library that is free again afterwards. */
function withMemory<T>(run: (library: Raw) => T): T {
  const mod = raw();
  const before = mod.stackSave();
  try {
    return run(mod);
  } finally {
    mod.stackRestore(before);
  }
}

const inOneRow = (points: readonly BlsPoint[]): Uint8Array =>
  Buffer.concat(points.map((point) => new Uint8Array(numbersOf(point).buffer)));

function millerLoops(pairs: readonly BlsPair[]): GT {
  const product = new GT();
  withMemory((mod) => {
    const g1 = mod.sallocBytes(inOneRow(pairs.map(([point]) => point)));
    const g2 = mod.sallocBytes(inOneRow(pairs.map(([, point]) => point)));
    mod.callSetter((at) => mod._mclBn_millerLoopVec(at, g1, g2, pairs.length), numbersOf(product));
  });
  return product;
}

function hashToG2(message: Uint8Array, domain: string): G2 {
  const point = new G2();
  withMemory((mod) => {
    const [messageAt, domainAt] = [mod.sallocBytes(message), mod.sallocBytes(Buffer.from(domain))];
    const domainLength = Buffer.byteLength(domain);
    mod.callSetter(
      (at) => mod._mclBnG2_hashAndMapToWithDst(at, messageAt, message.length, domainAt, domainLength),
      numbersOf(point),
    );
  });
  return point;
}
