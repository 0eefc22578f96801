// Division of long numbers. V8 divides in pieces, but its division takes several times as long as a product of the same
// size, and gives either the quotient or the remainder. Here a division comes down to short divisions and products, with
// both results at once (C. Burnikel and J. Ziegler, "Fast recursive division", 1998).

/** Length of a divisor, and of a quotient, up to which V8's own division is as fast. */
const SHORT_DIVISOR = 500;
const SHORT_QUOTIENT = 64;
/** Bytes of the divisor beyond the length of the quotient that make an estimated quotient right but for one or two. */
const GUARD = 16;

export interface Division {
  readonly quotient: bigint;
  readonly remainder: bigint;
}

/** A whole number of 64-bit digits: shifts by these are fastest. @returns bits */
const digits = (bytes: number): number => 64 * Math.max(0, bytes >> 3);

/**
 * Divides natural numbers.
 * @param dividendBytes at least the length of the dividend
 * @param divisorBytes the length of the divisor, which is not 0
 */
export function divideLong(
  dividend: bigint,
  divisor: bigint,
  dividendBytes: number,
  divisorBytes: number,
): Division {
  const quotientBytes = dividendBytes - divisorBytes;
  if (divisorBytes > SHORT_DIVISOR && quotientBytes > SHORT_QUOTIENT) {
    const isLongQuotient = 2 * quotientBytes > divisorBytes + 2 * GUARD;
    const bits = digits(isLongQuotient ? quotientBytes / 2 : divisorBytes - quotientBytes - GUARD);
    if (bits > 0)
      return (isLongQuotient ? byHalves : byEstimate)(dividend, divisor, dividendBytes, divisorBytes, bits);
  }
  const quotient = dividend / divisor;
  return { quotient, remainder: dividend - quotient * divisor };
}

type Step = (
  dividend: bigint,
  divisor: bigint,
  dividendBytes: number,
  divisorBytes: number,
  bits: number,
) => Division;

/** Computes the quotient without its lowest bits, then these. */
const byHalves: Step = (dividend, divisor, dividendBytes, divisorBytes, bits) => {
  const [shift, bytes] = [BigInt(bits), bits / 8];
  const high = divideLong(dividend >> shift, divisor, dividendBytes - bytes, divisorBytes);
  const rest = (high.remainder << shift) | BigInt.asUintN(bits, dividend);
  const low = divideLong(rest, divisor, divisorBytes + bytes, divisorBytes);
  return { quotient: (high.quotient << shift) | low.quotient, remainder: low.remainder };
};

/** Divides both without their lowest bits: that quotient is right or slightly too large. */
const byEstimate: Step = (dividend, divisor, dividendBytes, divisorBytes, bits) => {
  const [shift, bytes] = [BigInt(bits), bits / 8];
  const high = divideLong(dividend >> shift, divisor >> shift, dividendBytes - bytes, divisorBytes - bytes);
  let { quotient } = high;
  let remainder =
    ((high.remainder << shift) | BigInt.asUintN(bits, dividend)) - quotient * BigInt.asUintN(bits, divisor);
  while (remainder < 0n) {
    quotient--;
    remainder += divisor;
  }
  return { quotient, remainder };
};
