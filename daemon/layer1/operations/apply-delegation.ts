// Delegation by an account, or by a contract's script.
import { type Address, isImplicit } from "../../tezos/address.ts";
import { MAX_MUTEZ } from "../../tezos/parameters.ts";
import { type Applied } from "./apply-transaction.ts";
import { setDelegate } from "./delegates.ts";
import { type Execution } from "./execution.ts";
import { unlessEmpty } from "./receipt.ts";
import { requestUnstake } from "./staking.ts";

/** Changing the delegate unstakes everything held by the previous one. */
export function applyDelegation(
  execution: Execution,
  source: Address,
  delegate: Address | undefined,
): Applied["parts"] {
  const before = execution.context.account(source)?.delegate;
  const isStaker = isImplicit(source) && before !== undefined && before !== source;
  const updates = isStaker ? requestUnstake(execution, source, MAX_MUTEZ) : [];
  setDelegate(execution.context, source, delegate);
  return unlessEmpty("balance_updates", updates);
}
