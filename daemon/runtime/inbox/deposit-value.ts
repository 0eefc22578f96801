// Micheline of deposits and withdrawals: addresses and pairs in all the forms that layer 1 may write them in.
import { addressKind, bytesOfAddress, fullAddressOf, isImplicit, splitAddress } from "../../tezos/address.ts";
import { fromHex, toHex } from "../../tezos/hex.ts";
import { isPrim, isSequence, type Micheline, prim } from "../../tezos/micheline.ts";

/** An address in optimized form. @throws TypeError when the text is none: callers have checked it */
export const addressValue = (address: string): Micheline => ({ bytes: toHex(bytesOfAddress(address)) });

/** Bytes of an address that has no entrypoint. */
const PLAIN_LENGTH = 22;

/** Address of a value in either form, or undefined. The entrypoint of a contract is left out. */
export function asAddress(value: Micheline | undefined): string | undefined {
  if (value === undefined || isSequence(value)) return undefined;
  if ("bytes" in value) {
    const bytes = fromHex(value.bytes);
    const full = bytes && fullAddressOf(bytes);
    if (bytes === undefined || full === undefined) return undefined;
    return isImplicit(full) && bytes.length !== PLAIN_LENGTH ? undefined : splitAddress(full).address;
  }
  if (!("string" in value)) return undefined;
  const { address } = splitAddress(value.string);
  return addressKind(address) === undefined ? undefined : address;
}

/** What an option holds, null when it is empty, or undefined when the value is no option. */
export function asOption(value: Micheline | undefined): Micheline | null | undefined {
  if (value === undefined || !isPrim(value)) return undefined;
  if (value.prim === "None") return null;
  return value.prim === "Some" ? value.args?.[0] : undefined;
}

/** Both halves of a pair, also of one written as a comb of more arguments or as a sequence. */
export function asPair(value: Micheline | undefined): readonly [Micheline, Micheline] | undefined {
  if (value === undefined) return undefined;
  const parts = isSequence(value) ? value : isPrim(value) && value.prim === "Pair" ? (value.args ?? []) : [];
  const [first, second] = parts;
  if (first === undefined || second === undefined) return undefined;
  return [first, parts.length === 2 ? second : prim("Pair", ...parts.slice(1))];
}

/** A natural number, or undefined. */
export function asNatural(value: Micheline | undefined): bigint | undefined {
  if (value === undefined || isSequence(value) || !("int" in value)) return undefined;
  const number = BigInt(value.int);
  return number < 0n ? undefined : number;
}
