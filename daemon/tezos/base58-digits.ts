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

/** Base58 text of bytes (leading zero bytes become `1`). */
export function encodeBase58Digits(bytes: Uint8Array): string {
  // Limbs of four digits, three bytes at a time: limb times 2^24 plus carry stays far below 2^53.
  const limbs: number[] = [];
  let zeros = 0;
  while (zeros < bytes.length && bytes[zeros] === 0) zeros++;
  for (let at = zeros; at < bytes.length;) {
    let carry = 0;
    let factor = 1;
    for (const end = Math.min(at + 3, bytes.length); at < end; at++) {
      carry = carry * 256 + bytes[at]!;
      factor *= 256;
    }
    for (let i = 0; i < limbs.length; i++) {
      const product = limbs[i]! * factor + carry;
      carry = Math.floor(product / QUAD);
      limbs[i] = product - carry * QUAD;
    }
    for (; carry > 0; carry = Math.floor(carry / QUAD)) limbs.push(carry % QUAD);
  }
  // A `1` is the digit zero as well, so that those that the first limb begins with can stand for zero bytes.
  const text = Buffer.alloc(zeros + 4 * limbs.length, ALPHABET[0]);
  let end = text.length;
  for (const limb of limbs) {
    let rest = limb;
    for (let digit = 0; digit < 4; digit++) {
      const next = Math.floor(rest / 58);
      text[--end] = CODES[rest - 58 * next]!;
      rest = next;
    }
  }
  let first = zeros;
  while (first < text.length && text[first] === CODES[0]) first++;
  return text.toString("latin1", first - zeros);
}
