// Amounts of tez from users. Inside the product money is `bigint` mutez.
import { type Mutez, mutez } from "../tezos/mutez.ts";
import { SandboxError } from "./errors.ts";
import { MAX_RUNTIME_MUTEZ, readTez } from "./tez-text.ts";

/**
 * Mutez in a text that {@link readTez} reads.
 * @throws SandboxError BAD_AMOUNT when the text is not a positive amount of at most 2^64-1 mutez.
 */
export function parseTez(text: string): Mutez {
  const amount = parseTezOrZero(text);
  if (amount === 0n)
    throw new SandboxError("BAD_AMOUNT", { found: text, reason: "the amount must be greater than 0" });
  return amount;
}

/** As {@link parseTez}, and accepts 0. @throws SandboxError BAD_AMOUNT */
export function parseTezOrZero(text: string): Mutez {
  const read = readTez(text);
  if (read.mutez === undefined) throw new SandboxError("BAD_AMOUNT", { found: text, reason: read.reason });
  return mutez(read.mutez);
}

/** Parses a decimal text of whole mutez; undefined when it is not one. */
export function parseMutez(text: string): Mutez | undefined {
  if (!/^\d{1,20}$/.test(text)) return undefined;
  const amount = BigInt(text);
  return amount <= MAX_RUNTIME_MUTEZ ? mutez(amount) : undefined;
}
