// Indexes of addresses, which scripts assign with INDEX_ADDRESS. The null address has the first one.
// Source: Octez, `address_registry_storage.ml`.
import { NULL_ADDRESS } from "../../tezos/address.ts";
import type { GasMeter } from "../michelson/gas.ts";
import type { ContextReader } from "../state/context.ts";
import type { Execution } from "./execution.ts";
import { ADDRESS_INDEX, allocationCost, findCost, writeCost } from "./storage-costs.ts";

const NEXT = "nextAddressIndex";
const indexKey = (address: string): string => `addressIndex:${address}`;

/** Bytes of a number encoded in groups of 7 bits. */
const bytesOf = (index: bigint): number => Math.max(1, Math.ceil(index.toString(2).length / 7));

/** Index of an address, if it has one. */
export const findIndex = (context: ContextReader, address: string): bigint | undefined =>
  address === NULL_ADDRESS ? 0n : (context.other(indexKey(address)) as bigint | undefined);

/** Index of an address; with `add`, an unknown address gets the next one. */
export function addressIndex(
  { context, counters }: Execution,
  address: string,
  add: boolean,
  gas: GasMeter,
): bigint | undefined {
  const known = findIndex(context, address);
  gas.spend(findCost(ADDRESS_INDEX, known === undefined ? undefined : bytesOf(known)));
  if (known !== undefined || !add) return known;
  const index = (context.other(NEXT) as bigint | undefined) ?? 1n;
  gas.spend(allocationCost(bytesOf(index)) + writeCost(bytesOf(index)));
  context.setOther(NEXT, index + 1n);
  context.setOther(indexKey(address), index);
  counters.numbered.push({ address, index: index.toString() });
  return index;
}
