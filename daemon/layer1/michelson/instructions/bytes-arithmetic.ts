// Bit operations on bytes, and bytes as numbers.
import { bitsOf, bytesOf } from "../../../tezos/number-length.ts";
import { ByteDesk } from "../byte-desk.ts";
import {
  CONVERT_COSTS,
  andCost,
  invertBytesCost,
  linearCost,
  shiftBytesLeftCost,
  shiftBytesRightCost,
  xorBytesCost,
} from "../costs.ts";
import type { GasMeter } from "../gas.ts";
import { type MichelsonError } from "../michelson-error.ts";

/** For the operand that becomes the result, and for the other one. */
const desk = new ByteDesk();
const other = new ByteDesk();

/** Combines the words of {@link other} into those of {@link desk}. */
type CombineWords = (from: number, to: number) => void;

/** Combines bytes right-aligned; the rest of the longer operand is kept or dropped. */
const bytewise =
  (keepsRest: boolean, cost: (a: number, b: number) => number, combine: CombineWords) =>
  (a: string, b: string, gas: GasMeter): string => {
    const [longer, shorter] = a.length < b.length ? [b, a] : [a, b];
    gas.spend(cost(a.length, b.length));
    const size = keepsRest ? longer.length : shorter.length;
    gas.reserveText(size);
    if (shorter.length === 0) return keepsRest ? longer : "";
    const rest = size - shorter.length;
    desk.reserve(size);
    desk.put(size === longer.length ? longer : longer.slice(longer.length - size));
    other.reserve(size);
    // Zeros keep what they are combined with: only operations that drop the rest need others.
    for (let i = rest & ~3; i < rest; i++) other.bytes[i] = 0;
    other.put(shorter, rest);
    combine(rest >> 2, (size + 3) >> 2);
    return desk.take(size);
  };

function andWords(from: number, to: number): void {
  const [x, y] = [desk.words, other.words];
  for (let i = from; i < to; i++) x[i]! &= y[i]!;
}

function orWords(from: number, to: number): void {
  const [x, y] = [desk.words, other.words];
  for (let i = from; i < to; i++) x[i]! |= y[i]!;
}

function xorWords(from: number, to: number): void {
  const [x, y] = [desk.words, other.words];
  for (let i = from; i < to; i++) x[i]! ^= y[i]!;
}

export const BYTES_BITS = {
  and: bytewise(false, andCost, andWords),
  or: bytewise(true, linearCost, orWords),
  xor: bytewise(true, xorBytesCost, xorWords),
} as const;

export function invertBytes(text: string, gas: GasMeter): string {
  const { length } = text;
  gas.spend(invertBytesCost(length));
  gas.reserveText(length);
  if (length === 0) return text;
  desk.reserve(length);
  desk.put(text);
  const { words } = desk;
  for (let i = (length - 1) >> 2; i >= 0; i--) words[i] = ~words[i]!;
  return desk.take(length);
}

/** Largest left shift of bytes in bits. */
const MAX_SHIFT = 64_000n;
/** A shift beyond a machine word costs more than any gas limit. */
const MACHINE_WORD = 2n ** 32n;

/** @param overflow error for a shift that is too large */
export function shiftBytesLeft(
  text: string,
  by: bigint,
  gas: GasMeter,
  overflow: () => MichelsonError,
): string {
  gas.spend(shiftBytesLeftCost(text.length, by > MACHINE_WORD ? Number.MAX_SAFE_INTEGER : Number(by)));
  if (by > MAX_SHIFT) throw overflow();
  const shift = Number(by);
  const length = text.length + Math.ceil(shift / 8);
  gas.reserveText(length);
  const bits = shift & 7;
  if (bits === 0) return text + "\0".repeat(shift >> 3);
  const size = text.length + 1; // without the zero bytes
  other.reserve(size);
  other.put(text);
  desk.reserve(length);
  const [from, to] = [other.bytes, desk.bytes];
  let held = 0;
  for (let i = 0; i < text.length; i++) {
    held = (held << 8) | from[i]!;
    to[i] = held >> (8 - bits);
  }
  to[text.length] = held << bits;
  if (length > size) to.fill(0, size, length);
  return desk.take(length);
}

export function shiftBytesRight(text: string, by: bigint, gas: GasMeter): string {
  const most = text.length * 8;
  const shift = by > BigInt(most) ? most : Number(by);
  gas.spend(shiftBytesRightCost(text.length, shift));
  const length = text.length - (shift >> 3);
  if (length <= 0) return "";
  gas.reserveText(length);
  const kept = text.slice(0, length);
  const bits = shift & 7;
  if (bits === 0) return kept;
  desk.reserve(length);
  desk.put(kept);
  const { bytes } = desk;
  let held = 0;
  for (let i = 0; i < length; i++) {
    held = (held << 8) | bytes[i]!;
    bytes[i] = held >> bits;
  }
  return desk.take(length);
}

/** One number as two words, the lower one first. */
const INTEGER = new BigInt64Array(1);
const NATURAL = new BigUint64Array(INTEGER.buffer);
const HALVES = new Uint32Array(INTEGER.buffer);
/** Bytes of a number that {@link INTEGER} holds. */
const SHORT_NUMBER = 8;

/** Shortest two's complement form, big-endian; zero is empty. */
export function intToBytes(value: bigint, gas: GasMeter): string {
  const size = bytesOf(value);
  gas.spend(CONVERT_COSTS.bytesOfInt(size));
  if (value === 0n) return "";
  gas.reserveText(size + 1);
  // As many bits as the magnitude and one for the sign; -2^k needs no extra one.
  const width = ((value < 0n ? bitsOf(~value) : bitsOf(value)) >> 3) + 1;
  if (width <= SHORT_NUMBER) {
    INTEGER[0] = value;
    return shortBytes(width);
  }
  return bytesOfHex((value < 0n ? BigInt.asUintN(8 * width, value) : value).toString(16), width);
}

export function natToBytes(value: bigint, gas: GasMeter): string {
  const size = bytesOf(value);
  gas.spend(CONVERT_COSTS.bytesOfNat(size));
  if (value === 0n) return "";
  gas.reserveText(size);
  if (size <= SHORT_NUMBER) {
    NATURAL[0] = value;
    return shortBytes(size);
  }
  return bytesOfHex(value.toString(16), size);
}

/** The last bytes of {@link INTEGER}, the highest first. */
function shortBytes(width: number): string {
  const low = HALVES[0]!;
  const high = HALVES[1]!;
  const { bytes } = desk;
  for (let i = 0; i < width; i++) {
    const shift = 8 * (width - 1 - i);
    bytes[i] = shift < 32 ? low >>> shift : high >>> (shift - 32);
  }
  return desk.take(width);
}

function bytesOfHex(digits: string, width: number): string {
  desk.reserve(width);
  desk.bytes.write(digits.length < 2 * width ? digits.padStart(2 * width, "0") : digits, "hex");
  return desk.take(width);
}

/** Puts up to 8 bytes, the highest first, as a number into {@link INTEGER}, with the sign that they have as such. */
function readShort(text: string): void {
  const { length } = text;
  // The sign fills the bytes that are not there.
  let [high, low] = length > 0 && text.charCodeAt(0) > 127 ? [-1, -1] : [0, 0];
  const split = length > 4 ? length - 4 : 0;
  for (let i = 0; i < split; i++) high = (high << 8) | text.charCodeAt(i);
  for (let i = split; i < length; i++) low = (low << 8) | text.charCodeAt(i);
  HALVES[0] = low;
  HALVES[1] = high;
}

function longNumber(text: string): bigint {
  const { length } = text;
  desk.reserve(length);
  desk.put(text);
  return BigInt(`0x${desk.bytes.toString("hex", 0, length)}`);
}

export function bytesToNat(text: string, gas: GasMeter): bigint {
  const { length } = text;
  gas.spend(CONVERT_COSTS.natOfBytes(length));
  gas.reserveNumber(length);
  if (length > SHORT_NUMBER) return longNumber(text);
  readShort(text);
  return length === SHORT_NUMBER ? NATURAL[0]! : BigInt.asUintN(8 * length, INTEGER[0]!);
}

export function bytesToInt(text: string, gas: GasMeter): bigint {
  const { length } = text;
  gas.spend(CONVERT_COSTS.intOfBytes(length));
  gas.reserveNumber(length);
  if (length > SHORT_NUMBER) {
    const value = longNumber(text);
    return text.charCodeAt(0) > 127 ? BigInt.asIntN(8 * length, value) : value;
  }
  readShort(text);
  return INTEGER[0]!;
}
