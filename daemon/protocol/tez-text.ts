// Amounts of tez as text: the only reader and writer of them. Without imports, so that the explorer's page has it too.

const MUTEZ_PER_TEZ = 1_000_000n;
const DECIMALS = 6;

/** Largest amount in the runtime: unsigned 64 bits of mutez. */
export const MAX_RUNTIME_MUTEZ = 2n ** 64n - 1n;

/** Mutez, or why a text is no amount of tez. */
export type ReadAmount = { readonly mutez: bigint } | { readonly mutez?: undefined; readonly reason: string };

/**
 * Mutez in a decimal tez text such as `1000`, `0.5` or `1_000.25`.
 * Allows a single `_` or space between digits of the integer part and at most six decimals; never rounds.
 */
export function readTez(text: string): ReadAmount {
  const trimmed = text.trim();
  if (trimmed === "") return { reason: "the amount is empty" };
  if (trimmed.startsWith("-")) return { reason: "the amount must not be negative" };
  if (/^\d+,\d+$/.test(trimmed)) return { reason: "write decimals with a point, not a comma" };
  const match = /^(\d+(?:[ _]\d+)*)(?:\.(\d+))?$/.exec(trimmed);
  if (!match) return { reason: "it is not a plain decimal number" };
  const [, whole = "", decimals = ""] = match;
  const tooLarge = { reason: `an amount is at most ${formatTez(MAX_RUNTIME_MUTEZ)} tez` };
  if (whole.length > 40) return tooLarge;
  if (decimals.length > DECIMALS) return { reason: "tez have at most 6 decimals (1 mutez = 0.000001 tez)" };
  const mutez = BigInt(whole.replace(/[ _]/g, "")) * MUTEZ_PER_TEZ + BigInt(decimals.padEnd(DECIMALS, "0"));
  return mutez > MAX_RUNTIME_MUTEZ ? tooLarge : { mutez };
}

/** Mutez as decimal tez without trailing zeros: 1500000n is `1.5`, 1000000n is `1`. */
export function formatTez(amount: bigint): string {
  const sign = amount < 0n ? "-" : "";
  const absolute = amount < 0n ? -amount : amount;
  const whole = absolute / MUTEZ_PER_TEZ;
  const rest = (absolute % MUTEZ_PER_TEZ).toString().padStart(DECIMALS, "0").replace(/0+$/, "");
  return `${sign}${whole}${rest === "" ? "" : `.${rest}`}`;
}
