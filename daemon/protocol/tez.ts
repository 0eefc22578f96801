// Amounts of tez. Inside the product money is `bigint` mutez; this is the only parser and formatter of tez amounts.
import { type Mutez, mutez } from "../tezos/mutez.ts";
import { SandboxError } from "./errors.ts";

const MUTEZ_PER_TEZ = 1_000_000n;

/** Largest amount in the runtime: unsigned 64 bits of mutez. */
export const MAX_RUNTIME_MUTEZ = 2n ** 64n - 1n;

/**
 * Mutez in a decimal tez text such as `1000`, `0.5` or `1_000.25`.
 * Allows a single `_` or space between digits of the integer part and at most six decimals; never rounds.
 * @throws SandboxError BAD_AMOUNT when the text is not a positive amount of at most 2^64-1 mutez.
 */
export function parseTez(text: string): Mutez {
  const amount = parseTezOrZero(text);
  if (amount === 0n) throw badAmount(text, "the amount must be greater than 0");
  return amount;
}

/** As {@link parseTez}, and accepts 0. @throws SandboxError BAD_AMOUNT */
export function parseTezOrZero(text: string): Mutez {
  const trimmed = text.trim();
  if (trimmed === "") throw badAmount(text, "the amount is empty");
  if (trimmed.startsWith("-")) throw badAmount(text, "the amount must not be negative");
  if (/^\d+,\d+$/.test(trimmed)) throw badAmount(text, "write decimals with a point, not a comma");
  const match = /^(\d+(?:[ _]\d+)*)(?:\.(\d+))?$/.exec(trimmed);
  if (!match) throw badAmount(text, "it is not a plain decimal number");
  const [, whole = "", decimals = ""] = match;
  if (whole.length > 40) throw badAmount(text, `an amount is at most ${formatTez(MAX_RUNTIME_MUTEZ)} tez`);
  if (decimals.length > 6) throw badAmount(text, "tez have at most 6 decimals (1 mutez = 0.000001 tez)");
  const amount = BigInt(whole.replace(/[ _]/g, "")) * MUTEZ_PER_TEZ + BigInt(decimals.padEnd(6, "0"));
  if (amount > MAX_RUNTIME_MUTEZ)
    throw badAmount(text, `an amount is at most ${formatTez(MAX_RUNTIME_MUTEZ)} tez`);
  return mutez(amount);
}

function badAmount(found: string, reason: string): SandboxError {
  return new SandboxError("BAD_AMOUNT", { found, reason });
}

/** Mutez as decimal tez without trailing zeros: 1500000n is `1.5`, 1000000n is `1`. */
export function formatTez(amount: bigint): string {
  const sign = amount < 0n ? "-" : "";
  const absolute = amount < 0n ? -amount : amount;
  const whole = absolute / MUTEZ_PER_TEZ;
  const rest = (absolute % MUTEZ_PER_TEZ).toString().padStart(6, "0").replace(/0+$/, "");
  return `${sign}${whole}${rest === "" ? "" : `.${rest}`}`;
}

/** Parses a decimal text of whole mutez; undefined when it is not one. */
export function parseMutez(text: string): Mutez | undefined {
  if (!/^\d{1,20}$/.test(text)) return undefined;
  const amount = BigInt(text);
  return amount <= MAX_RUNTIME_MUTEZ ? mutez(amount) : undefined;
}
