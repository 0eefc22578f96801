// A contract alone in its world, for tests that run code without a chain.
import { addressOf } from "../../tezos/address.ts";
import type { GasMeter } from "../michelson/gas.ts";
import type { Frame, World } from "../michelson/instruction.ts";

/** The contract that runs. */
export const SELF = addressOf("KT1F3MuqvT9Yz57TgCS3EkDcKNZe9HpiavUJ");

/** A world in which there is nothing besides, but for what is given. */
export const loneWorld = (there: Partial<World> = {}): World => ({
  now: 1_700_000_000n,
  level: 42n,
  chainId: "NetXUuLfV3fYF4x",
  minBlockTime: 1n,
  hasEntrypoint: () => false,
  bigMapTypes: () => undefined,
  bigMapValue: () => undefined,
  hasBigMapEntry: () => false,
  findView: () => undefined,
  takeReceipt: () => {},
  carry: (_type, value) => ({ value, diff: [] }),
  votingPower: () => 0n,
  totalVotingPower: () => 0n,
  addressIndex: () => undefined,
  nextNonce: () => 0,
  nextContract: () => SELF,
  ...there,
});

/** A call of the contract by itself, without tez, but for what is given. */
export const loneFrame = (gas: GasMeter, given: Partial<Frame> = {}): Frame => ({
  gas,
  self: SELF,
  sender: SELF,
  source: SELF,
  amount: 0n,
  balance: 0n,
  world: loneWorld(),
  ...given,
});
