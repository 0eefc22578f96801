// Amounts of tez in mutez, apart from the other whole numbers: gas, nonces, bytes, amounts of other tokens.
import type { Branded } from "./brand.ts";

/** An amount of tez, in millionths. Never negative. */
export type Mutez = Branded<bigint, "Mutez">;

/**
 * An amount that a calculation with amounts gave: a sum, a difference that was checked, a price by the byte.
 * @throws RangeError when it is negative: the caller has not checked
 */
export function mutez(amount: bigint): Mutez {
  if (amount < 0n) throw new RangeError(`${amount} mutez are no amount`);
  return amount as Mutez;
}

/** Amount of a field of an operation: a decimal text that was checked. @throws RangeError, SyntaxError */
export const mutezOf = (text: string): Mutez => mutez(BigInt(text));

export const NO_TEZ = mutez(0n);
