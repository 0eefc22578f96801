// Addresses in deposits and withdrawals, in all forms that layer 1 may write them in.
import {
  type Address,
  addressOf,
  bytesOfAddress,
  fullAddressOf,
  isAddress,
  isImplicit,
  splitAddress,
} from "../../tezos/address.ts";
import { toHex } from "../../tezos/hex.ts";
import { asBytes, asText } from "../../tezos/micheline-data.ts";
import type { Micheline } from "../../tezos/micheline.ts";

/** An address in optimized form. @throws TypeError for an invalid address: callers have checked it */
export const addressValue = (address: Address): Micheline => ({ bytes: toHex(bytesOfAddress(address)) });

/** Length of an address without entrypoint. */
const PLAIN_LENGTH = 22;

/** Address of a value in either form, or undefined. The entrypoint of a contract is dropped. */
export function asAddress(value: Micheline | undefined): Address | undefined {
  const bytes = asBytes(value);
  if (bytes) {
    const full = fullAddressOf(bytes);
    if (full === undefined || (isImplicit(full) && bytes.length !== PLAIN_LENGTH)) return undefined;
    return addressOf(splitAddress(full).address);
  }
  const { address } = splitAddress(asText(value) ?? "");
  return isAddress(address) ? address : undefined;
}
