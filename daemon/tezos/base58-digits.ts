// Base58 digits to bytes and back. Every operation carries a signature of 99 digits, so this is on the hot path of both
// nodes; the usual digit-by-digit conversion takes longer there than the elliptic curve.

const ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const CODES = Buffer.from(ALPHABET);
const DIGITS = new Int8Array(128).fill(-1);
for (let i = 0; i < ALPHABET.length; i++) DIGITS[ALPHABET.charCodeAt(i)] = i;

// Four digits at a time into limbs of 24 bits: limb times 58^4 plus carry stays far below 2^53.
const POWERS = [1, 58, 3364, 195112, 11316496] as const;
const LIMB = 0x1000000;

/** Bytes of a Base58 text (leading `1`s become zero bytes), or undefined when it has an invalid character. */
export function decodeBase58Digits(text: string): Uint8Array | undefined {
  const limbs: number[] = [];
  let zeros = 0;
  while (zeros < text.length && text[zeros] === "1") zeros++;
  for (let at = zeros; at < text.length;) {
    let chunk = 0;
    let taken = 0;
    for (; taken < 4 && at < text.length; taken++, at++) {
      const digit = DIGITS[text.charCodeAt(at)] ?? -1;
      if (digit < 0) return undefined;
      chunk = chunk * 58 + digit;
    }
    const factor = POWERS[taken]!;
    let carry = chunk;
    for (let i = 0; i < limbs.length; i++) {
      const product = limbs[i]! * factor + carry;
      carry = Math.floor(product / LIMB);
      limbs[i] = product - carry * LIMB;
    }
    if (carry > 0) limbs.push(carry);
  }
  const top = limbs.at(-1) ?? 0;
  const topBytes = top === 0 ? 0 : top < 0x100 ? 1 : top < 0x10000 ? 2 : 3;
  const bytes = new Uint8Array(zeros + Math.max(0, limbs.length - 1) * 3 + topBytes);
  let end = bytes.length;
  for (const limb of limbs) {
    for (let shift = 0; shift < 24 && end > zeros; shift += 8) bytes[--end] = (limb >> shift) & 0xff;
  }
  return bytes;
}

const QUAD = POWERS[4];
/**
 * A product takes less time than a division. Half a unit more than the dividend, a quotient is at least 4e-8 from
 * the next whole number, ten times as far as the error of this below 2^24: its whole part is right.
 */
const PER_QUAD = 1 / QUAD;
const HALF = 58 * 58;
/** The two digits of each number below 58^2. */
const HALVES = Buffer.from(
  Array.from(CODES, (first) => Array.from(CODES, (second) => [first, second])).flat(2),
);

/** For as many bytes as a signature has and more; only one text is written at a time. */
const SHORT = 128;
const shortLimbs = new Float64Array(SHORT);

/** Base58 text of bytes (leading zero bytes become `1`). */
export function encodeBase58Digits(bytes: Uint8Array): string {
  // Limbs of four digits, three bytes at a time: limb times 2^24 plus carry stays far below 2^53.
  const limbs = bytes.length <= SHORT ? shortLimbs : new Float64Array(bytes.length);
  let count = 0;
  let zeros = 0;
  while (zeros < bytes.length && bytes[zeros] === 0) zeros++;
  let end = zeros + ((bytes.length - zeros) % 3);
  for (let at = zeros; at < bytes.length; end += 3) {
    let carry = 0;
    for (; at < end; at++) carry = carry * 256 + bytes[at]!;
    for (let i = 0; i < count; i++) {
      const product = limbs[i]! * LIMB + carry;
      carry = Math.floor((product + 0.5) * PER_QUAD);
      limbs[i] = product - carry * QUAD;
    }
    for (; carry > 0; carry = Math.floor(carry / QUAD)) limbs[count++] = carry % QUAD;
  }
  // A `1` is the digit zero as well, so that those that the first limb begins with can stand for zero bytes.
  const text = Buffer.allocUnsafe(zeros + 4 * count).fill(CODES[0]!, 0, zeros);
  let to = text.length;
  for (let i = 0; i < count; i++) {
    const limb = limbs[i]!;
    const high = Math.floor(limb / HALF);
    const low = limb - HALF * high;
    to -= 4;
    text[to] = HALVES[2 * high]!;
    text[to + 1] = HALVES[2 * high + 1]!;
    text[to + 2] = HALVES[2 * low]!;
    text[to + 3] = HALVES[2 * low + 1]!;
  }
  let first = zeros;
  while (first < text.length && text[first] === CODES[0]) first++;
  return text.toString("latin1", first - zeros);
}
