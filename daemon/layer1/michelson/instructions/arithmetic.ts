// Numbers, booleans, comparison, and the bit operations that also work on bytes.
import { MAX_MUTEZ } from "../../../tezos/parameters.ts";
import {
  FIXED,
  andCost,
  bytesOf,
  compareCost,
  concatCost,
  convertCost,
  divideCost,
  linearCost,
  multiplyCost,
  negateCost,
  shiftCost,
} from "../costs.ts";
import type { GasMeter } from "../gas.ts";
import { type Instruction, type Instructions, badStack, does } from "../instruction.ts";
import { MichelsonError, permanent, temporary } from "../michelson-error.ts";
import { BOOL, BYTES, INT, MUTEZ, NAT, TIMESTAMP, type Type, isComparable, sameType, type } from "../type.ts";
import { NONE, type Value, compareValues, pair, some } from "../value.ts";

type Compute = (a: never, b: never, gas: GasMeter) => Value;
type Overload = readonly [Type, Compute];

function mutez(value: bigint, id: string): bigint {
  if (value > MAX_MUTEZ) throw new MichelsonError(temporary(id));
  return value;
}

/** Operand types joined by a space to result type and computation, which pays for itself. */
const binary =
  (overloads: Readonly<Record<string, Overload>>): Instruction =>
  (node, stack, scope) => {
    const [a, b] = stack.head(2);
    const found = a && b && overloads[`${a.prim} ${b.prim}`];
    if (!found) throw badStack(node, stack, scope);
    const [result, compute] = found;
    return does(stack.drop(2).under(result), (m, s) => {
      const first = s.pop()!;
      s.push(compute(first as never, s.pop()! as never, m.gas));
    });
  };

const unary =
  (overloads: Readonly<Record<string, readonly [Type, (a: never, gas: GasMeter) => Value]>>): Instruction =>
  (node, stack, scope) => {
    const a = stack.top;
    const found = a && overloads[a.prim];
    if (!found) throw badStack(node, stack, scope);
    const [result, compute] = found;
    return does(stack.drop(1).under(result), (m, s) => void s.push(compute(s.pop()! as never, m.gas)));
  };

/** A number that takes more than a machine word needs room. */
function kept(value: bigint, size: number, gas: GasMeter): bigint {
  if (size > 64) gas.takeNumber(size);
  return value;
}

/** An operation whose work and result grow with the longer operand. */
const linear =
  (compute: (a: bigint, b: bigint) => bigint) =>
  (a: bigint, b: bigint, gas: GasMeter): bigint => {
    const [x, y] = [bytesOf(a), bytesOf(b)];
    gas.spend(linearCost(x, y));
    return kept(compute(a, b), Math.max(x, y) + 1, gas);
  };

const add = linear((a, b) => a + b);
const sub = linear((a, b) => a - b);

const mul = (a: bigint, b: bigint, gas: GasMeter): bigint => {
  const [x, y] = [bytesOf(a), bytesOf(b)];
  gas.spend(multiplyCost(x, y));
  if (x + y > 64) gas.takeNumber(x + y); // before it is computed
  return a * b;
};

const and = (a: bigint, b: bigint, gas: GasMeter): bigint => {
  const [x, y] = [bytesOf(a), bytesOf(b)];
  gas.spend(andCost(x, y));
  return kept(a & b, Math.min(x, y), gas);
};

const onMutez =
  (compute: (a: bigint, b: bigint) => Value) =>
  (a: bigint, b: bigint, gas: GasMeter): Value => {
    gas.spend(FIXED.mutez);
    return compute(a, b);
  };

const mulMutez = (a: bigint, b: bigint, gas: GasMeter): bigint => {
  gas.spend(FIXED.mutez);
  // Two machine words at most are multiplied: a longer factor gives too much, unless the other is zero.
  return a === 0n || b === 0n
    ? 0n
    : mutez(bytesOf(a) + bytesOf(b) > 16 ? MAX_MUTEZ + 1n : a * b, "tez.multiplication_overflow");
};

/** Division with a remainder that is never negative; None for a zero divisor. */
function divide(a: bigint, b: bigint, gas: GasMeter): Value {
  const [x, y] = [bytesOf(a), bytesOf(b)];
  gas.spend(divideCost(x, y));
  if (b === 0n) return NONE;
  let quotient = a / b;
  let remainder = a % b;
  if (remainder < 0n) {
    remainder += b < 0n ? -b : b;
    quotient += b < 0n ? 1n : -1n;
  }
  return some(pair(kept(quotient, x, gas), kept(remainder, y, gas)));
}

/** A walk over one number. */
const walking =
  <V extends Value>(compute: (a: bigint) => V) =>
  (a: bigint, gas: GasMeter): V => {
    const size = bytesOf(a);
    gas.spend(negateCost(size));
    if (size > 64) gas.takeNumber(size);
    return compute(a);
  };

const boolean =
  (compute: (a: boolean, b: boolean) => boolean) =>
  (a: boolean, b: boolean, gas: GasMeter): boolean => {
    gas.spend(FIXED.boolean);
    return compute(a, b);
  };

const quotient = (q: Type, r: Type): Type => type("option", type("pair", q, r));

const toBuffer = (hex: string): Buffer => Buffer.from(hex, "hex");

/** Bytes aligned at their ends, byte by byte. */
const bytewise =
  (longest: boolean, combine: (x: number, y: number) => number) =>
  (a: string, b: string, gas: GasMeter): string => {
    const [first, second] = [a.length / 2, b.length / 2];
    const length = longest ? Math.max(first, second) : Math.min(first, second);
    gas.spend(concatCost(first + second));
    gas.takeText(length);
    const [x, y] = [toBuffer(a), toBuffer(b)];
    const result = Buffer.alloc(length);
    for (let i = 1; i <= length; i++)
      result[length - i] = combine(x[x.length - i] ?? 0, y[y.length - i] ?? 0);
    return result.toString("hex");
  };

function shiftBits(by: bigint, limit: bigint): bigint {
  if (by > limit) throw new MichelsonError(temporary("michelson_v1.script_overflow"));
  return by;
}

function shiftLeft(a: bigint, by: bigint, gas: GasMeter): bigint {
  const size = bytesOf(a);
  gas.spend(shiftCost(size));
  return kept(a << shiftBits(by, 256n), size + 32, gas);
}

function shiftRight(a: bigint, by: bigint, gas: GasMeter): bigint {
  const size = bytesOf(a);
  gas.spend(shiftCost(size));
  return kept(a >> shiftBits(by, 256n), size, gas);
}

function shiftBytesLeft(bytes: string, by: bigint, gas: GasMeter): string {
  const shift = shiftBits(by, 64_000n);
  const length = bytes.length / 2 + Number((shift + 7n) / 8n);
  gas.spend(convertCost(length));
  gas.takeText(length);
  return length === 0 ? "" : (BigInt(`0x0${bytes}`) << shift).toString(16).padStart(length * 2, "0");
}

function shiftBytesRight(bytes: string, by: bigint, gas: GasMeter): string {
  gas.spend(convertCost(bytes.length / 2));
  const length = bytes.length / 2 - Number(by / 8n > BigInt(bytes.length) ? bytes.length : by / 8n);
  if (length <= 0) return "";
  gas.takeText(length);
  return (BigInt(`0x0${bytes}`) >> by).toString(16).padStart(length * 2, "0");
}

/** Shortest two's complement form, big-endian; zero is empty. */
function intToBytes(value: bigint, gas: GasMeter): string {
  if (value === 0n) return "";
  const size = bytesOf(value);
  gas.spend(convertCost(size));
  gas.takeText(size + 1);
  // As many bits as the magnitude has, and one for the sign; -2^k needs none besides its own.
  const magnitude = value < 0n ? -value - 1n : value;
  const width = magnitude === 0n ? 1 : Math.floor(bitLength(magnitude) / 8) + 1;
  return BigInt.asUintN(8 * width, value)
    .toString(16)
    .padStart(2 * width, "0");
}

function bitLength(positive: bigint): number {
  const digits = positive.toString(16);
  return 4 * digits.length - Math.clz32(parseInt(digits[0]!, 16)) + 28;
}

function natToBytes(value: bigint, gas: GasMeter): string {
  if (value === 0n) return "";
  const size = bytesOf(value);
  gas.spend(convertCost(size));
  gas.takeText(size);
  const digits = value.toString(16);
  return digits.length % 2 === 0 ? digits : `0${digits}`;
}

function bytesToNat(bytes: string, gas: GasMeter): bigint {
  const size = bytes.length / 2;
  gas.spend(convertCost(size));
  gas.takeNumber(size);
  return BigInt(`0x0${bytes}`);
}

const bytesToInt = (bytes: string, gas: GasMeter): bigint =>
  BigInt.asIntN(bytes.length * 4, bytesToNat(bytes, gas));

function invertBytes(bytes: string, gas: GasMeter): string {
  gas.spend(concatCost(bytes.length / 2));
  gas.takeText(bytes.length / 2);
  return Buffer.from(toBuffer(bytes).map((byte) => ~byte)).toString("hex");
}

const compare: Instruction = (node, stack, scope) => {
  const [a, b] = stack.head(2);
  if (!a || !b || !sameType(a, b)) throw badStack(node, stack, scope);
  if (!isComparable(a))
    throw new MichelsonError(
      permanent("michelson_v1.type_not_comparable", { location: scope.location(node) }),
    );
  return does(stack.drop(2).under(INT), (m, s) => {
    const first = s.pop()!;
    const second = s.pop()!;
    m.gas.spend(compareCost(a, first, second));
    s.push(BigInt(Math.sign(compareValues(a, first, second))));
  });
};

const test = (holds: (a: bigint) => boolean): Instruction =>
  unary({
    int: [
      BOOL,
      (a: bigint, gas: GasMeter) => {
        gas.spend(FIXED.test);
        return holds(a);
      },
    ],
  });

const NUMBERS = (compute: Compute): Readonly<Record<string, Overload>> => ({
  "nat nat": [NAT, compute],
  "int int": [INT, compute],
  "int nat": [INT, compute],
  "nat int": [INT, compute],
});

const free =
  <A, V extends Value>(compute: (a: A) => V) =>
  (a: A, gas: GasMeter): V => {
    gas.spend(FIXED.test);
    return compute(a);
  };

export const ARITHMETIC_INSTRUCTIONS: Instructions = {
  ADD: binary({
    ...NUMBERS(add),
    "timestamp int": [TIMESTAMP, add],
    "int timestamp": [TIMESTAMP, add],
    "mutez mutez": [MUTEZ, onMutez((a, b) => mutez(a + b, "tez.addition_overflow"))],
  }),
  SUB: binary({
    ...NUMBERS(sub),
    "nat nat": [INT, sub],
    "timestamp int": [TIMESTAMP, sub],
    "timestamp timestamp": [INT, sub],
  }),
  SUB_MUTEZ: binary({
    "mutez mutez": [type("option", MUTEZ), onMutez((a, b) => (a < b ? NONE : some(a - b)))],
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
    "bool bool": [BOOL, boolean((a, b) => a && b)],
    "nat nat": [NAT, and],
    "int nat": [NAT, and],
    "nat int": [NAT, and],
    "bytes bytes": [BYTES, bytewise(false, (x, y) => x & y)],
  }),
  OR: binary({
    "bool bool": [BOOL, boolean((a, b) => a || b)],
    "nat nat": [NAT, linear((a, b) => a | b)],
    "bytes bytes": [BYTES, bytewise(true, (x, y) => x | y)],
  }),
  XOR: binary({
    "bool bool": [BOOL, boolean((a, b) => a !== b)],
    "nat nat": [NAT, linear((a, b) => a ^ b)],
    "bytes bytes": [BYTES, bytewise(true, (x, y) => x ^ y)],
  }),
  LSL: binary({ "nat nat": [NAT, shiftLeft], "bytes nat": [BYTES, shiftBytesLeft] }),
  LSR: binary({ "nat nat": [NAT, shiftRight], "bytes nat": [BYTES, shiftBytesRight] }),
  NOT: unary({
    bool: [BOOL, free((a: boolean) => !a)],
    nat: [INT, walking((a) => ~a)],
    int: [INT, walking((a) => ~a)],
    bytes: [BYTES, invertBytes],
  }),
  NEG: unary({ int: [INT, walking((a) => -a)], nat: [INT, walking((a) => -a)] }),
  ABS: unary({ int: [NAT, walking((a) => (a < 0n ? -a : a))] }),
  ISNAT: unary({ int: [type("option", NAT), free((a: bigint) => (a < 0n ? NONE : some(a)))] }),
  INT: unary({ nat: [INT, free((a: bigint) => a)], bytes: [INT, bytesToInt] }),
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
