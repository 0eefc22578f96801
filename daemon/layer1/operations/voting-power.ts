// Voting power of delegates. Those of the chain's first accounts that bake have what they started with.
import type { Context, ContextReader } from "../state/context.ts";
import type { Execution } from "./execution.ts";
import { readVotingPowerCost, readTotalVotingPowerCost } from "./storage-costs.ts";

const LISTINGS = "votingPower";

/** By address, in mutez. */
type Listings = ReadonlyMap<string, bigint>;

const listingsOf = (context: ContextReader): Listings =>
  (context.other(LISTINGS) as Listings | undefined) ?? new Map();

/** Lists the delegates of a fresh chain. */
export const listDelegates = (context: Context, powers: Listings): void => context.setOther(LISTINGS, powers);

/** Mutez that a delegate votes with in the present period; delegates that came later vote in the next one. */
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
