// Numbers, booleans, comparison, and the bit operations that also work on bytes.
import { bytesOf } from "../../../tezos/number-length.ts";
import { MAX_MUTEZ } from "../../../tezos/parameters.ts";
import {
  FIXED,
  absCost,
  andCost,
  compareCost,
  divideCost,
  linearCost,
  multiplyCost,
  negateCost,
  shiftLeftCost,
  shiftRightCost,
} from "../costs.ts";
import type { GasMeter } from "../gas.ts";
import {
  type Instruction,
  type Instructions,
  argumentsOf,
  badStack,
  does,
  requireItem,
  undefinedOperand,
  undefinedOperands,
} from "../instruction.ts";
import { MichelsonError, permanent, temporary } from "../michelson-error.ts";
import { requireComparable } from "../type-rules.ts";
import { BOOL, BYTES, INT, MUTEZ, NAT, TIMESTAMP, type Type, type, typeSize } from "../type.ts";
import { NONE, type Value, compareValues, pair, some } from "../value.ts";
import { BLS_ARITHMETIC as BLS } from "./bls-arithmetic.ts";
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
import { divideLong } from "./long-division.ts";

type Compute = (a: never, b: never, gas: GasMeter, location: number) => Value;
type Overload = readonly [Type, Compute];

function addMutez(a: bigint, b: bigint): bigint {
  if (a + b > MAX_MUTEZ)
    throw new MichelsonError(temporary("tez.addition_overflow", { amounts: [a.toString(), b.toString()] }));
  return a + b;
}

/** From operand types, joined by a space, to result type and computation. The computation charges for itself. */
const binary =
  (overloads: Readonly<Record<string, Overload>>): Instruction =>
  (node, stack, scope) => {
    argumentsOf(node, 0, scope);
    const [a, b] = stack.head(2);
    const found = a && b && overloads[`${a.prim} ${b.prim}`];
    if (!found) throw undefinedOperands(node, stack, scope);
    const [result, compute] = found;
    const location = scope.location(node);
    return does(stack.drop(2).under(result), (m, s) => {
      const first = s.pop();
      s.push(compute(first as never, s.pop() as never, m.gas, location));
    });
  };

/** @param isGeneric whether the instruction has overloads on other kinds of operands */
const unary =
  (
    overloads: Readonly<Record<string, readonly [Type, (a: never, gas: GasMeter) => Value]>>,
    isGeneric = true,
  ): Instruction =>
  (node, stack, scope) => {
    argumentsOf(node, 0, scope);
    const a = stack.top;
    const found = a && overloads[a.prim];
    if (!found) throw (isGeneric ? undefinedOperand : badStack)(node, stack, scope);
    const [result, compute] = found;
    return does(stack.drop(1).under(result), (m, s) => void s.push(compute(s.pop() as never, m.gas)));
  };

/** Reserves memory for a number longer than a machine word. */
function reserveFor(value: bigint, size: number, gas: GasMeter): bigint {
  if (size > 64) gas.reserveNumber(size);
  return value;
}

/** An operation whose cost and result grow with the longer operand. */
const linear =
  (compute: (a: bigint, b: bigint) => bigint) =>
  (a: bigint, b: bigint, gas: GasMeter): bigint => {
    const [x, y] = [bytesOf(a), bytesOf(b)];
    gas.spend(linearCost(x, y));
    return reserveFor(compute(a, b), Math.max(x, y) + 1, gas);
  };

const add = linear((a, b) => a + b);
const subtract = linear((a, b) => a - b);

const mul = (a: bigint, b: bigint, gas: GasMeter): bigint => {
  const [x, y] = [bytesOf(a), bytesOf(b)];
  gas.spend(multiplyCost(x, y));
  if (x + y > 64) gas.reserveNumber(x + y); // before computing it
  return a * b;
};

const and = (a: bigint, b: bigint, gas: GasMeter): bigint => {
  const [x, y] = [bytesOf(a), bytesOf(b)];
  gas.spend(andCost(x, y));
  return reserveFor(a & b, Math.min(x, y), gas);
};

const onMutez =
  (cost: number, compute: (a: bigint, b: bigint) => Value) =>
  (a: bigint, b: bigint, gas: GasMeter): Value => {
    gas.spend(cost);
    return compute(a, b);
  };

const overflow = (location: number): MichelsonError =>
  new MichelsonError(temporary("michelson_v1.script_overflow", { location }));

/** @param factor a natural number, which must fit a machine word */
function mulMutez(amount: bigint, factor: bigint, gas: GasMeter, location: number): bigint {
  gas.spend(FIXED.mulMutez);
  if (factor > MAX_MUTEZ) throw overflow(location);
  const product = amount * factor;
  if (product > MAX_MUTEZ)
    throw new MichelsonError(
      temporary("tez.multiplication_overflow", {
        amount: amount.toString(),
        multiplicator: factor.toString(),
      }),
    );
  return product;
}

/** Division of numbers, charged by their sizes. */
function divide(a: bigint, b: bigint, gas: GasMeter): Value {
  const [x, y] = [bytesOf(a), bytesOf(b)];
  gas.spend(divideCost(x, y));
  return quotientOf(a, b, gas, x, y);
}

const divideMutez =
  (cost: number) =>
  (a: bigint, b: bigint, gas: GasMeter): Value => {
    gas.spend(cost);
    return quotientOf(a, b, gas);
  };

/** Quotient and a remainder that is never negative; None for a zero divisor. @param x, y lengths in bytes, unless short */
function quotientOf(a: bigint, b: bigint, gas: GasMeter, x = 0, y = 0): Value {
  if (b === 0n) return NONE;
  const divisor = b < 0n ? -b : b;
  let { quotient, remainder } = divideLong(a < 0n ? -a : a, divisor, x, y);
  if (a < 0n) {
    // Of -7 by 2: -4, and 1 remains.
    if (remainder > 0n) {
      remainder = divisor - remainder;
      quotient++;
    }
    quotient = -quotient;
  }
  if (b < 0n) quotient = -quotient;
  return some(
    pair(reserveFor(quotient, bytesOf(quotient), gas), reserveFor(remainder, bytesOf(remainder), gas)),
  );
}

/** One pass over a number. */
const onePass =
  <V extends Value>(compute: (a: bigint) => V, cost = negateCost) =>
  (a: bigint, gas: GasMeter): V => {
    const size = bytesOf(a);
    gas.spend(cost(size));
    if (size > 64) gas.reserveNumber(size);
    return compute(a);
  };

const boolean =
  (compute: (a: boolean, b: boolean) => boolean, cost: number = FIXED.step) =>
  (a: boolean, b: boolean, gas: GasMeter): boolean => {
    gas.spend(cost);
    return compute(a, b);
  };

const FR = type("bls12_381_fr");
const G1 = type("bls12_381_g1");
const G2 = type("bls12_381_g2");

const quotient = (q: Type, r: Type): Type => type("option", type("pair", q, r));

/** Largest shift of numbers in bits. */
const MAX_SHIFT = 256n;

function shiftLeft(a: bigint, by: bigint, gas: GasMeter, location: number): bigint {
  const size = bytesOf(a);
  gas.spend(shiftLeftCost(size));
  if (by > MAX_SHIFT) throw overflow(location);
  return reserveFor(a << by, size + 32, gas);
}

function shiftRight(a: bigint, by: bigint, gas: GasMeter, location: number): bigint {
  const size = bytesOf(a);
  gas.spend(shiftRightCost(size));
  if (by > MAX_SHIFT) throw overflow(location);
  return reserveFor(a >> by, size, gas);
}

const compare: Instruction = (node, stack, scope) => {
  argumentsOf(node, 0, scope);
  const [a, b] = stack.head(2);
  if (!a || !b) throw badStack(node, stack, scope, 2);
  requireItem(a, b, 1, 2, node, stack, scope);
  requireComparable(a, node, scope);
  return does(
    stack.drop(2).under(INT),
    (m, s) => {
      const first = s.pop();
      const second = s.pop();
      m.gas.spend(compareCost(a, first, second));
      const order = compareValues(a, first, second);
      s.push(order === 0 ? 0n : order < 0 ? -1n : 1n);
    },
    typeSize(a),
  );
};

/** SUB on two amounts may underflow: only stored scripts have it. */
const subMutez = onMutez(FIXED.subMutezLegacy, (a, b) => {
  if (a < b)
    throw new MichelsonError(
      temporary("tez.subtraction_underflow", { amounts: [a.toString(), b.toString()] }),
    );
  return a - b;
});

const sub: Instruction = (node, stack, scope) => {
  const [a, b] = stack.head(2);
  if (!scope.legacy && a?.prim === "mutez" && b?.prim === "mutez" && !node.args?.length)
    throw new MichelsonError(permanent("michelson_v1.deprecated_instruction", { prim: node.prim }));
  return SUBTRACTION(node, stack, scope);
};

const test = (holds: (a: bigint) => boolean): Instruction =>
  unary({
    int: [
      BOOL,
      (a: bigint, gas: GasMeter) => {
        gas.spend(FIXED.step);
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
    gas.spend(FIXED.step);
    return compute(a);
  };

const SUBTRACTION = binary({
  ...NUMBERS(subtract),
  "nat nat": [INT, subtract],
  "timestamp int": [TIMESTAMP, subtract],
  "timestamp timestamp": [INT, subtract],
  "mutez mutez": [MUTEZ, subMutez],
});

export const ARITHMETIC_INSTRUCTIONS: Instructions = {
  ADD: binary({
    ...NUMBERS(add),
    "timestamp int": [TIMESTAMP, add],
    "int timestamp": [TIMESTAMP, add],
    "mutez mutez": [MUTEZ, onMutez(FIXED.addMutez, addMutez)],
    "bls12_381_fr bls12_381_fr": [FR, BLS.addFr],
    "bls12_381_g1 bls12_381_g1": [G1, BLS.addG1],
    "bls12_381_g2 bls12_381_g2": [G2, BLS.addG2],
  }),
  SUB: sub,
  SUB_MUTEZ: binary({
    "mutez mutez": [type("option", MUTEZ), onMutez(FIXED.subMutez, (a, b) => (a < b ? NONE : some(a - b)))],
  }),
  MUL: binary({
    ...NUMBERS(mul),
    "mutez nat": [MUTEZ, mulMutez],
    "nat mutez": [MUTEZ, (factor, amount, gas, location) => mulMutez(amount, factor, gas, location)],
    "bls12_381_g1 bls12_381_fr": [G1, BLS.mulG1],
    "bls12_381_g2 bls12_381_fr": [G2, BLS.mulG2],
    "bls12_381_fr bls12_381_fr": [FR, BLS.mulFr],
    "nat bls12_381_fr": [FR, BLS.mulFrByNumber],
    "int bls12_381_fr": [FR, BLS.mulFrByNumber],
    "bls12_381_fr nat": [FR, (fr, number, gas) => BLS.mulFrByNumber(number, fr, gas)],
    "bls12_381_fr int": [FR, (fr, number, gas) => BLS.mulFrByNumber(number, fr, gas)],
  }),
  EDIV: binary({
    "nat nat": [quotient(NAT, NAT), divide],
    "int int": [quotient(INT, NAT), divide],
    "int nat": [quotient(INT, NAT), divide],
    "nat int": [quotient(INT, NAT), divide],
    "mutez nat": [quotient(MUTEZ, MUTEZ), divideMutez(FIXED.divideMutezByNat)],
    "mutez mutez": [quotient(NAT, MUTEZ), divideMutez(FIXED.divideMutez)],
  }),
  AND: binary({
    "bool bool": [BOOL, boolean((a, b) => a && b)],
    "nat nat": [NAT, and],
    "int nat": [NAT, and],
    "bytes bytes": [BYTES, BYTES_BITS.and],
  }),
  OR: binary({
    "bool bool": [BOOL, boolean((a, b) => a || b)],
    "nat nat": [NAT, linear((a, b) => a | b)],
    "bytes bytes": [BYTES, BYTES_BITS.or],
  }),
  XOR: binary({
    "bool bool": [BOOL, boolean((a, b) => a !== b, FIXED.booleanXor)],
    "nat nat": [NAT, linear((a, b) => a ^ b)],
    "bytes bytes": [BYTES, BYTES_BITS.xor],
  }),
  LSL: binary({
    "nat nat": [NAT, shiftLeft],
    "bytes nat": [BYTES, (bytes, by, gas, at) => shiftBytesLeft(bytes, by, gas, () => overflow(at))],
  }),
  LSR: binary({ "nat nat": [NAT, shiftRight], "bytes nat": [BYTES, shiftBytesRight] }),
  NOT: unary({
    bool: [BOOL, free((a: boolean) => !a)],
    nat: [INT, onePass((a) => ~a)],
    int: [INT, onePass((a) => ~a)],
    bytes: [BYTES, invertBytes],
  }),
  NEG: unary({
    int: [INT, onePass((a) => -a)],
    nat: [INT, onePass((a) => -a)],
    bls12_381_fr: [FR, BLS.negateFr],
    bls12_381_g1: [G1, BLS.negateG1],
    bls12_381_g2: [G2, BLS.negateG2],
  }),
  ABS: unary({ int: [NAT, onePass((a) => (a < 0n ? -a : a), absCost)] }),
  ISNAT: unary({ int: [type("option", NAT), free((a: bigint) => (a < 0n ? NONE : some(a)))] }, false),
  INT: unary(
    { nat: [INT, free((a: bigint) => a)], bytes: [INT, bytesToInt], bls12_381_fr: [INT, BLS.intOfFr] },
    false,
  ),
  NAT: unary({ bytes: [NAT, bytesToNat] }, false),
  BYTES: unary({ int: [BYTES, intToBytes], nat: [BYTES, natToBytes] }, false),
  COMPARE: compare,
  EQ: test((a) => a === 0n),
  NEQ: test((a) => a !== 0n),
  LT: test((a) => a < 0n),
  GT: test((a) => a > 0n),
  LE: test((a) => a <= 0n),
  GE: test((a) => a >= 0n),
};
