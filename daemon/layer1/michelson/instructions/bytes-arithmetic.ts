// Bit operations on bytes, and bytes as numbers.
import { fromByteText, hexOfByteText, byteTextOfHex, toByteText } from "../byte-text.ts";
import {
  CONVERT_COSTS,
  andCost,
  bytesOf,
  invertBytesCost,
  linearCost,
  shiftBytesLeftCost,
  shiftBytesRightCost,
  xorBytesCost,
} from "../costs.ts";
import type { GasMeter } from "../gas.ts";
import { type MichelsonError } from "../michelson-error.ts";

type Combine = (x: number, y: number) => number;

/** Combines bytes right-aligned; the rest of the longer operand is kept or dropped. */
const bytewise =
  (keepsRest: boolean, cost: (a: number, b: number) => number, combine: Combine) =>
  (a: string, b: string, gas: GasMeter): string => {
    const [longer, shorter] = a.length < b.length ? [b, a] : [a, b];
    gas.spend(cost(a.length, b.length));
    const rest = longer.length - shorter.length;
    gas.reserveText(keepsRest ? longer.length : shorter.length);
    if (shorter.length === 0) return keepsRest ? longer : "";
    const [x, y] = [fromByteText(rest === 0 ? longer : longer.slice(rest)), fromByteText(shorter)];
    combineInto(x, y, combine);
    const combined = toByteText(x);
    return keepsRest && rest > 0 ? longer.slice(0, rest) + combined : combined;
  };

/** Works on four bytes at a time where both buffers are aligned. */
function combineInto(x: Buffer, y: Buffer, combine: Combine): void {
  let at = 0;
  if (x.byteOffset % 4 === 0 && y.byteOffset % 4 === 0) {
    const words = x.length >> 2;
    const [to, from] = [
      new Uint32Array(x.buffer, x.byteOffset, words),
      new Uint32Array(y.buffer, y.byteOffset, words),
    ];
    for (let i = 0; i < words; i++) to[i] = combine(to[i]!, from[i]!);
    at = words << 2;
  }
  for (; at < x.length; at++) x[at] = combine(x[at]!, y[at]!);
}

export const BYTES_BITS = {
  and: bytewise(false, andCost, (x, y) => x & y),
  or: bytewise(true, linearCost, (x, y) => x | y),
  xor: bytewise(true, xorBytesCost, (x, y) => x ^ y),
} as const;

export function invertBytes(text: string, gas: GasMeter): string {
  gas.spend(invertBytesCost(text.length));
  gas.reserveText(text.length);
  const bytes = fromByteText(text);
  for (let i = 0; i < bytes.length; i++) bytes[i] = ~bytes[i]!;
  return toByteText(bytes);
}

/** Largest left shift of bytes in bits. */
const MAX_SHIFT = 64_000n;

/** @param overflow error for a shift that is too large */
export function shiftBytesLeft(
  text: string,
  by: bigint,
  gas: GasMeter,
  overflow: () => MichelsonError,
): string {
  // A shift beyond a machine word costs more than any gas limit.
  gas.spend(shiftBytesLeftCost(text.length, by > 2n ** 32n ? Number.MAX_SAFE_INTEGER : Number(by)));
  if (by > MAX_SHIFT) throw overflow();
  const shift = Number(by);
  const length = text.length + Math.ceil(shift / 8);
  gas.reserveText(length);
  const zeros = "\0".repeat(shift >> 3);
  const bits = shift & 7;
  if (bits === 0) return text + zeros;
  const from = fromByteText(text);
  const to = Buffer.alloc(text.length + 1);
  let carried = 0;
  for (let i = from.length - 1; i >= 0; i--) {
    const wide = (from[i]! << bits) | carried;
    to[i + 1] = wide;
    carried = wide >> 8;
  }
  to[0] = carried;
  return toByteText(to) + zeros;
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
  const bytes = fromByteText(kept);
  for (let i = length - 1; i > 0; i--) bytes[i] = ((bytes[i - 1]! << 8) | bytes[i]!) >> bits;
  bytes[0]! >>= bits;
  return toByteText(bytes);
}

/** Shortest two's complement form, big-endian; zero is empty. */
export function intToBytes(value: bigint, gas: GasMeter): string {
  const size = bytesOf(value);
  gas.spend(CONVERT_COSTS.bytesOfInt(size));
  if (value === 0n) return "";
  gas.reserveText(size + 1);
  // As many bits as the magnitude and one for the sign; -2^k needs no extra one.
  const magnitude = value < 0n ? -value - 1n : value;
  const width = magnitude === 0n ? 1 : Math.floor(bitLength(magnitude) / 8) + 1;
  const digits = BigInt.asUintN(8 * width, value).toString(16);
  return byteTextOfHex(digits.padStart(2 * width, "0"));
}

function bitLength(positive: bigint): number {
  const digits = positive.toString(16);
  return 4 * digits.length - Math.clz32(parseInt(digits[0]!, 16)) + 28;
}

export function natToBytes(value: bigint, gas: GasMeter): string {
  const size = bytesOf(value);
  gas.spend(CONVERT_COSTS.bytesOfNat(size));
  if (value === 0n) return "";
  gas.reserveText(size);
  const digits = value.toString(16);
  return byteTextOfHex(digits.length % 2 === 0 ? digits : `0${digits}`);
}

function numberOf(text: string, cost: number, gas: GasMeter): bigint {
  gas.spend(cost);
  gas.reserveNumber(text.length);
  return BigInt(`0x0${hexOfByteText(text)}`);
}

export const bytesToNat = (text: string, gas: GasMeter): bigint =>
  numberOf(text, CONVERT_COSTS.natOfBytes(text.length), gas);

export const bytesToInt = (text: string, gas: GasMeter): bigint =>
  BigInt.asIntN(text.length * 8, numberOf(text, CONVERT_COSTS.intOfBytes(text.length), gas));
