// Amounts of tez in mutez, distinct from other whole numbers: gas, nonces, bytes, amounts of other tokens.
import type { Branded } from "./brand.ts";

/** An amount of tez, in millionths. Never negative. */
export type Mutez = Branded<bigint, "Mutez">;

/**
 * An amount computed from others: a sum, a checked difference, a price per byte.
 * @throws RangeError when it is negative: a missing check of the caller
 */
export function mutez(amount: bigint): Mutez {
  if (amount < 0n) throw new RangeError(`${amount} mutez is not an amount`);
  return amount as Mutez;
}

/** Amount in a field of an operation, a validated decimal text. @throws RangeError, SyntaxError */
export const mutezOf = (text: string): Mutez => mutez(BigInt(text));

export const NO_TEZ = mutez(0n);
