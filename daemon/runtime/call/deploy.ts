// Creation of smart functions, by a deploy operation or by a running function.
import { smartFunctionAddress } from "../../protocol/runtime-operation.ts";
import type { Address } from "../../tezos/address.ts";
import type { Mutez } from "../../tezos/mutez.ts";
import { ProtocolError } from "../ledger/ledger-error.ts";
import type { Transaction } from "../ledger/transaction.ts";
import { type GuestEngine, GuestFailure } from "./guest.ts";
import { smartFunctionSpecifier } from "./specifier.ts";

export interface Deploy {
  readonly creator: Address;
  /** Part of the new address; for a signed deploy the nonce of the operation + 1. */
  readonly creatorNonce: bigint;
  readonly code: string;
  /** Mutez moved from the creator to the new function. */
  readonly credit: Mutez;
  /** Gas that the deploy-time checks may use. */
  readonly gas: bigint;
  /** Charges the gas of the checks. */
  spend(units: bigint): void;
}

/**
 * Checks the code and adds the function to the transaction; returns its address.
 * @throws ProtocolError AccountExists, InsufficientFunds; GuestFailure with the text of the failed check
 */
export function deployFunction(engine: GuestEngine, transaction: Transaction, deploy: Deploy): Address {
  const address = smartFunctionAddress(deploy.creator, deploy.code, deploy.creatorNonce);
  const { problem, gasUsed } = engine.check(deploy.code, smartFunctionSpecifier(address), deploy.gas);
  deploy.spend(gasUsed);
  if (problem !== undefined) throw new GuestFailure("Error", problem);
  if (transaction.account(address) !== undefined) throw new ProtocolError("AccountExists");
  transaction.setCode(address, deploy.code);
  if (deploy.credit > 0n) transaction.transfer(deploy.creator, address, deploy.credit);
  return address;
}
