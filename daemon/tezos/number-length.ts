// Lengths of numbers. The number of digits of a bigint is found by comparing it with powers of two: making its text would
// take longer than most of what is done with it.

/** Largest number that scripts may compute, in bytes; the binary form may hold a few more. */
export const MAX_NUMBER_BYTES = 8_750;

const STEP_BITS = 512;
/** Thresholds for the size of large numbers, in steps of this many bits: powers of two, and their negatives. */
const STEPS: bigint[] = [];
const NEGATIVE_STEPS: bigint[] = [];
/** The previous result: a script mostly computes with numbers of one size. */
let lastStep = 1;

/** Bits of a number's magnitude. Comparing with a power of two does not scan the digits. */
export function bitsOf(value: bigint): number {
  if (BigInt.asIntN(64, value) === value) return smallBits(value);
  const steps = value < 0n ? NEGATIVE_STEPS : STEPS;
  const reaches =
    value < 0n
      ? (index: number) => value <= step(steps, index)
      : (index: number) => value >= step(steps, index);
  let low = lastStep;
  if (!reaches(low) || reaches(low + 1)) {
    low = 0;
    let high = 1;
    while (reaches(high)) {
      low = high;
      high *= 2;
    }
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (reaches(middle)) low = middle;
      else high = middle;
    }
    lastStep = low;
  }
  const shift = STEP_BITS * low;
  const top = Math.abs(Number(low === 0 ? value : value >> BigInt(shift)));
  FLOAT[0] = top;
  const bits = shift + (FLOAT_WORDS[1]! >>> 20) - 1_022;
  // Rounding up to a power of two may have added a bit.
  if ((FLOAT_WORDS[1]! & 0xfffff) !== 0 || FLOAT_WORDS[0] !== 0) return bits;
  const power = 1n << BigInt(bits - 1);
  return (value < 0n ? value > -power : value < power) ? bits - 1 : bits;
}

/** The second word of a double holds sign, exponent and leading digits. */
const FLOAT = new Float64Array(1);
const FLOAT_WORDS = new Uint32Array(FLOAT.buffer);

/** @pre the number fits a machine word */
function smallBits(value: bigint): number {
  const rounded = Math.abs(Number(value));
  if (rounded < 4_294_967_296) return 32 - Math.clz32(rounded);
  const high =
    rounded < Number.MAX_SAFE_INTEGER
      ? Math.floor(rounded / 4_294_967_296)
      : Number((value < 0n ? -value : value) >> 32n);
  return 64 - Math.clz32(high);
}

function step(steps: bigint[], index: number): bigint {
  return (steps[index] ??= (steps === STEPS ? 1n : -1n) << BigInt(STEP_BITS * index));
}

/** Bytes of the magnitude of a number; none for zero. */
export const bytesOf = (value: bigint): number => (bitsOf(value) + 7) >> 3;
