// The operations on bytes against the plainest ones: digit texts, and shifts of bigints.
import { expect, it } from "vitest";
import { SEED, amount, seededRandom } from "../../../../test/support/long-run.ts";
import { byteTextOfHex, hexOfByteText } from "../../../tezos/byte-text.ts";
import { noGasLimit } from "../gas.ts";
import {
  BYTES_BITS,
  bytesToInt,
  bytesToNat,
  intToBytes,
  invertBytes,
  natToBytes,
  shiftBytesLeft,
  shiftBytesRight,
} from "./bytes-arithmetic.ts";

const random = seededRandom(SEED);
const below = (count: number): number => Math.floor(random() * count);
const LENGTHS = [0, 1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 19, 20, 21, 31, 32, 33, 64, 100, 1_023, 1_025, 5_000];
const FILLS = [0x00, 0x01, 0x7f, 0x80, 0xff];

/** Hex of bytes of a length that the code may treat apart, or of any; often with equal or extreme bytes. */
function someBytes(): string {
  const length = below(3) > 0 ? LENGTHS[below(LENGTHS.length)]! : below(80);
  const fill = below(3) === 0 ? FILLS[below(FILLS.length)] : undefined;
  const bytes = Buffer.from(Array.from({ length }, () => fill ?? below(256)));
  if (length > 0 && below(3) === 0) bytes[0] = FILLS[below(FILLS.length)]!;
  return bytes.toString("hex");
}

const number = (hex: string): bigint => BigInt(`0x0${hex}`);
const digits = (value: bigint, bytes: number): string =>
  bytes === 0 ? "" : value.toString(16).padStart(2 * bytes, "0");
const fail = (): never => {
  throw new Error("the shift is not too large");
};
const TIMES = amount(2_000, 100_000);

it("operations on bits are those on the digits", () => {
  for (let i = 0; i < TIMES; i++) {
    const gas = noGasLimit();
    const [a, b] = [someBytes(), someBytes()];
    const [x, y] = [byteTextOfHex(a), byteTextOfHex(b)];
    const [longest, shortest] = [Math.max(x.length, y.length), Math.min(x.length, y.length)];
    const and = hexOfByteText(BYTES_BITS.and(x, y, gas));
    expect(and, `${a} AND ${b}`).toBe(digits(number(a) & number(b), shortest));
    const or = hexOfByteText(BYTES_BITS.or(x, y, gas));
    expect(or, `${a} OR ${b}`).toBe(digits(number(a) | number(b), longest));
    const xor = hexOfByteText(BYTES_BITS.xor(x, y, gas));
    expect(xor, `${a} XOR ${b}`).toBe(digits(number(a) ^ number(b), longest));
    const ones = (1n << BigInt(8 * x.length)) - 1n;
    expect(hexOfByteText(invertBytes(x, gas)), `NOT ${a}`).toBe(digits(number(a) ^ ones, x.length));
  }
});

it("shifts are those of numbers", () => {
  for (let i = 0; i < TIMES; i++) {
    const gas = noGasLimit();
    const a = byteTextOfHex(someBytes());
    const by = below(2) === 0 ? below(70) : below(64_001);
    const value = number(hexOfByteText(a));
    const longer = a.length + Math.ceil(by / 8);
    const left = hexOfByteText(shiftBytesLeft(a, BigInt(by), gas, fail));
    expect(left === digits(value << BigInt(by), longer), `${hexOfByteText(a)} LSL ${by}`).toBe(true);
    const shorter = Math.max(0, a.length - (by >> 3));
    const right = hexOfByteText(shiftBytesRight(a, BigInt(by), gas));
    expect(right, `${hexOfByteText(a)} LSR ${by}`).toBe(digits(value >> BigInt(by), shorter));
  }
});

it("numbers are read from bytes, and written as few", () => {
  for (let i = 0; i < TIMES; i++) {
    const gas = noGasLimit();
    const hex = someBytes();
    const text = byteTextOfHex(hex);
    const nat = bytesToNat(text, gas);
    expect(nat === number(hex), `NAT ${hex}`).toBe(true);
    expect(hexOfByteText(natToBytes(nat, gas)), `BYTES of NAT ${hex}`).toBe(hex.replace(/^(?:00)+/, ""));
    const int = bytesToInt(text, gas);
    expect(int === BigInt.asIntN(8 * text.length, number(hex)), `INT ${hex}`).toBe(true);
    const least = int === 0n ? "" : hex.replace(/^(?:00(?=[0-7])|ff(?=[89a-f]))*/, "");
    expect(hexOfByteText(intToBytes(int, gas)), `BYTES of INT ${hex}`).toBe(least);
  }
});
