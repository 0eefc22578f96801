// Voting power of delegates. Bakers among the genesis accounts have that of their initial stake.
import type { Context, ContextReader } from "../state/context.ts";
import type { Execution } from "./execution.ts";
import { readVotingPowerCost, readTotalVotingPowerCost } from "./storage-costs.ts";

const LISTINGS = "votingPower";

/** By address, in mutez. */
type Listings = ReadonlyMap<string, bigint>;

const listingsOf = (context: ContextReader): Listings =>
  (context.other(LISTINGS) as Listings | undefined) ?? new Map();

/** Lists the delegates at genesis. */
export const listDelegates = (context: Context, powers: Listings): void => context.setOther(LISTINGS, powers);

/** Mutez that a delegate votes with in the current period; later delegates would vote from the next one. */
export const listedPower = (context: ContextReader, address: string): bigint =>
  listingsOf(context).get(address) ?? 0n;

export function votingPower({ context, gas }: Execution, keyHash: string): bigint {
  gas.spend(readVotingPowerCost);
  return listedPower(context, keyHash);
}

export const totalListedPower = (context: ContextReader): bigint =>
  [...listingsOf(context).values()].reduce((sum, power) => sum + power, 0n);

export function totalVotingPower({ context, gas }: Execution): bigint {
  gas.spend(readTotalVotingPowerCost);
  return totalListedPower(context);
}
