// Numbers, booleans, comparison, and the bit operations that also work on bytes.
import { type Instruction, type Instructions, badStack } from "../instruction.ts";
import type { Frame } from "../instruction.ts";
import { MichelsonError, permanent, temporary } from "../michelson-error.ts";
import { BOOL, BYTES, INT, MUTEZ, NAT, TIMESTAMP, type Type, isComparable, sameType, type } from "../type.ts";
import { NONE, type Value, compareValues, pair, some } from "../value.ts";

type Compute = (a: never, b: never, frame: Frame) => Value;
type Overload = readonly [Type, Compute];

const MAX_MUTEZ = 2n ** 63n - 1n;

const bits = (value: bigint): number => value.toString(16).length * 4;

/** Pays for the digits that a result has, so that numbers cannot grow for free. */
function paid(frame: Frame, value: bigint): bigint {
  if (value > 0xffffffffffffffffn || value < -0xffffffffffffffffn) frame.gas.spendBytes(bits(value) / 8);
  return value;
}

function mutez(value: bigint, id: string): bigint {
  if (value > MAX_MUTEZ) throw new MichelsonError(temporary(id));
  return value;
}

/** Operand types joined by a space to result type and computation. */
const binary =
  (overloads: Readonly<Record<string, Overload>>): Instruction =>
  (node, stack, scope) => {
    const [a, b, ...rest] = stack;
    const found = a && b && overloads[`${a.prim} ${b.prim}`];
    if (!found) throw badStack(node, stack, scope);
    const [result, compute] = found;
    return {
      after: [result, ...rest],
      step: (frame, s) => {
        const first = s.pop()!;
        s.push(compute(first as never, s.pop()! as never, frame));
      },
    };
  };

const unary =
  (overloads: Readonly<Record<string, readonly [Type, (a: never, frame: Frame) => Value]>>): Instruction =>
  (node, stack, scope) => {
    const [a, ...rest] = stack;
    const found = a && overloads[a.prim];
    if (!found) throw badStack(node, stack, scope);
    const [result, compute] = found;
    return { after: [result, ...rest], step: (frame, s) => void s.push(compute(s.pop()! as never, frame)) };
  };

const add = (a: bigint, b: bigint, frame: Frame): bigint => paid(frame, a + b);
const sub = (a: bigint, b: bigint, frame: Frame): bigint => paid(frame, a - b);
const mul = (a: bigint, b: bigint, frame: Frame): bigint => {
  if (bits(a) + bits(b) > 256) frame.gas.spendBytes((bits(a) / 8) * (1 + bits(b) / 512));
  return paid(frame, a * b);
};
const addMutez = (a: bigint, b: bigint): bigint => mutez(a + b, "tez.addition_overflow");
const mulMutez = (a: bigint, b: bigint): bigint => mutez(a * b, "tez.multiplication_overflow");

/** Division with a remainder that is never negative; None for a zero divisor. */
function divide(a: bigint, b: bigint): Value {
  if (b === 0n) return NONE;
  let quotient = a / b;
  let remainder = a % b;
  if (remainder < 0n) {
    remainder += b < 0n ? -b : b;
    quotient += b < 0n ? 1n : -1n;
  }
  return some(pair(quotient, remainder));
}

const quotient = (q: Type, r: Type): Type => type("option", type("pair", q, r));

const toBuffer = (hex: string): Buffer => Buffer.from(hex, "hex");

function bytewise(a: string, b: string, length: number, combine: (x: number, y: number) => number): string {
  const [x, y] = [toBuffer(a), toBuffer(b)];
  const result = Buffer.alloc(length);
  for (let i = 1; i <= length; i++) result[length - i] = combine(x[x.length - i] ?? 0, y[y.length - i] ?? 0);
  return result.toString("hex");
}

const shorter = (a: string, b: string): number => Math.min(a.length, b.length) / 2;
const longer = (a: string, b: string): number => Math.max(a.length, b.length) / 2;

function shiftBits(by: bigint, limit: bigint): bigint {
  if (by > limit) throw new MichelsonError(temporary("michelson_v1.script_overflow"));
  return by;
}

function shiftBytesLeft(bytes: string, by: bigint): string {
  const shift = shiftBits(by, 64_000n);
  const length = bytes.length / 2 + Number((shift + 7n) / 8n);
  return length === 0 ? "" : (BigInt(`0x0${bytes}`) << shift).toString(16).padStart(length * 2, "0");
}

function shiftBytesRight(bytes: string, by: bigint): string {
  const length = bytes.length / 2 - Number(by / 8n > BigInt(bytes.length) ? bytes.length : by / 8n);
  return length <= 0 ? "" : (BigInt(`0x0${bytes}`) >> by).toString(16).padStart(length * 2, "0");
}

/** Shortest two's complement form, big-endian; zero is empty. */
function intToBytes(value: bigint): string {
  if (value === 0n) return "";
  let width = 1;
  while (value < -(1n << BigInt(8 * width - 1)) || value >= 1n << BigInt(8 * width - 1)) width++;
  return BigInt.asUintN(8 * width, value)
    .toString(16)
    .padStart(2 * width, "0");
}

function natToBytes(value: bigint): string {
  if (value === 0n) return "";
  const digits = value.toString(16);
  return digits.length % 2 === 0 ? digits : `0${digits}`;
}

const bytesToNat = (bytes: string): bigint => BigInt(`0x0${bytes}`);
const bytesToInt = (bytes: string): bigint => BigInt.asIntN(bytes.length * 4, bytesToNat(bytes));

const compare: Instruction = (node, stack, scope) => {
  const [a, b, ...rest] = stack;
  if (!a || !b || !sameType(a, b)) throw badStack(node, stack, scope);
  if (!isComparable(a))
    throw new MichelsonError(
      permanent("michelson_v1.type_not_comparable", { location: scope.location(node) }),
    );
  return {
    after: [INT, ...rest],
    step: (_, s) => {
      const first = s.pop()!;
      s.push(BigInt(Math.sign(compareValues(a, first, s.pop()!))));
    },
  };
};

const test = (holds: (a: bigint) => boolean): Instruction => unary({ int: [BOOL, (a: bigint) => holds(a)] });

const NUMBERS = (compute: Compute): Readonly<Record<string, Overload>> => ({
  "nat nat": [NAT, compute],
  "int int": [INT, compute],
  "int nat": [INT, compute],
  "nat int": [INT, compute],
});

const BOOLEANS_AND_NATS = (
  onBool: (a: boolean, b: boolean) => boolean,
  onNat: (a: bigint, b: bigint) => bigint,
  onBytes: (a: string, b: string) => string,
): Readonly<Record<string, Overload>> => ({
  "bool bool": [BOOL, onBool],
  "nat nat": [NAT, onNat],
  "bytes bytes": [BYTES, onBytes],
});

export const ARITHMETIC_INSTRUCTIONS: Instructions = {
  ADD: binary({
    ...NUMBERS(add),
    "timestamp int": [TIMESTAMP, add],
    "int timestamp": [TIMESTAMP, add],
    "mutez mutez": [MUTEZ, addMutez],
  }),
  SUB: binary({
    ...NUMBERS(sub),
    "nat nat": [INT, sub],
    "timestamp int": [TIMESTAMP, sub],
    "timestamp timestamp": [INT, sub],
  }),
  SUB_MUTEZ: binary({
    "mutez mutez": [type("option", MUTEZ), (a: bigint, b: bigint) => (a < b ? NONE : some(a - b))],
  }),
  MUL: binary({ ...NUMBERS(mul), "mutez nat": [MUTEZ, mulMutez], "nat mutez": [MUTEZ, mulMutez] }),
  EDIV: binary({
    "nat nat": [quotient(NAT, NAT), divide],
    "int int": [quotient(INT, NAT), divide],
    "int nat": [quotient(INT, NAT), divide],
    "nat int": [quotient(INT, NAT), divide],
    "mutez nat": [quotient(MUTEZ, MUTEZ), divide],
    "mutez mutez": [quotient(NAT, MUTEZ), divide],
  }),
  AND: binary({
    ...BOOLEANS_AND_NATS(
      (a, b) => a && b,
      (a, b) => a & b,
      (a, b) => bytewise(a, b, shorter(a, b), (x, y) => x & y),
    ),
    "int nat": [NAT, (a: bigint, b: bigint) => a & b],
    "nat int": [NAT, (a: bigint, b: bigint) => a & b],
  }),
  OR: binary(
    BOOLEANS_AND_NATS(
      (a, b) => a || b,
      (a, b) => a | b,
      (a, b) => bytewise(a, b, longer(a, b), (x, y) => x | y),
    ),
  ),
  XOR: binary(
    BOOLEANS_AND_NATS(
      (a, b) => a !== b,
      (a, b) => a ^ b,
      (a, b) => bytewise(a, b, longer(a, b), (x, y) => x ^ y),
    ),
  ),
  LSL: binary({
    "nat nat": [NAT, (a: bigint, b: bigint, frame) => paid(frame, a << shiftBits(b, 256n))],
    "bytes nat": [BYTES, shiftBytesLeft],
  }),
  LSR: binary({
    "nat nat": [NAT, (a: bigint, b: bigint) => a >> shiftBits(b, 256n)],
    "bytes nat": [BYTES, shiftBytesRight],
  }),
  NOT: unary({
    bool: [BOOL, (a: boolean) => !a],
    nat: [INT, (a: bigint) => ~a],
    int: [INT, (a: bigint) => ~a],
    bytes: [BYTES, (a: string) => Buffer.from(toBuffer(a).map((byte) => ~byte)).toString("hex")],
  }),
  NEG: unary({ int: [INT, (a: bigint) => -a], nat: [INT, (a: bigint) => -a] }),
  ABS: unary({ int: [NAT, (a: bigint) => (a < 0n ? -a : a)] }),
  ISNAT: unary({ int: [type("option", NAT), (a: bigint) => (a < 0n ? NONE : some(a))] }),
  INT: unary({ nat: [INT, (a: bigint) => a], bytes: [INT, bytesToInt] }),
  NAT: unary({ bytes: [NAT, bytesToNat] }),
  BYTES: unary({ int: [BYTES, intToBytes], nat: [BYTES, natToBytes] }),
  COMPARE: compare,
  EQ: test((a) => a === 0n),
  NEQ: test((a) => a !== 0n),
  LT: test((a) => a < 0n),
  GT: test((a) => a > 0n),
  LE: test((a) => a <= 0n),
  GE: test((a) => a >= 0n),
};
