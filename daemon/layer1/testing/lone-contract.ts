// A contract without a chain around it, for tests that run code.
import { addressOf } from "../../tezos/address.ts";
import type { GasMeter } from "../michelson/gas.ts";
import type { Frame, World } from "../michelson/instruction.ts";

/** The running contract. */
export const SELF = addressOf("KT1F3MuqvT9Yz57TgCS3EkDcKNZe9HpiavUJ");

/** An otherwise empty world, with the given overrides. */
export const loneWorld = (overrides: Partial<World> = {}): World => ({
  now: 1_700_000_000n,
  level: 42n,
  chainId: "NetXUuLfV3fYF4x",
  minBlockTime: 1n,
  hasEntrypoint: () => false,
  bigMapTypes: () => undefined,
  *bigMapValue() {
    return undefined;
  },
  hasBigMapEntry: () => false,
  findView: () => undefined,
  countInReceipt: () => {},
  *carry(_type, value) {
    return { value, diffs: [] };
  },
  votingPower: () => 0n,
  totalVotingPower: () => 0n,
  addressIndex: () => undefined,
  nextNonce: () => 0,
  nextContract: () => SELF,
  ...overrides,
});

/** A call of the contract by itself without tez, with the given overrides. */
export const loneFrame = (gas: GasMeter, overrides: Partial<Frame> = {}): Frame => ({
  gas,
  self: SELF,
  sender: SELF,
  source: SELF,
  amount: 0n,
  balance: 0n,
  world: loneWorld(),
  ...overrides,
});
