// Moving and burning tez.
import { type Address, isImplicit } from "../../tezos/address.ts";
import { type Mutez, mutez } from "../../tezos/mutez.ts";
import { COST_PER_BYTE, ORIGINATION_SIZE } from "../../tezos/parameters.ts";
import { MichelsonError, branch, temporary, traced } from "../michelson/michelson-error.ts";
import type { Account, Context } from "../state/context.ts";
import type { Execution } from "./execution.ts";
import { type BalanceUpdate, burnUpdates, unlessEmpty } from "./receipt.ts";

/** An account has less than it is to give. Two errors, as in the protocol: what is wrong, and why. */
const balanceTooLow = (contract: string, balance: bigint, amount: bigint): MichelsonError =>
  new MichelsonError(
    temporary("contract.balance_too_low", {
      contract,
      balance: balance.toString(),
      amount: amount.toString(),
    }),
    temporary("tez.subtraction_underflow", { amounts: [balance.toString(), amount.toString()] }),
  );

/**
 * Takes tez from an account. An implicit account that has nothing left is gone, unless it is a delegate.
 * @throws MichelsonError contract.balance_too_low, implicit.empty_implicit_delegated_contract (it has a delegate and
 * would have nothing left)
 */
export function debit(context: Context, address: Address, amount: Mutez): void {
  if (amount === 0n) return;
  const account = context.account(address);
  const left = leftOf(account, address, amount);
  const isGone = left === 0n && isImplicit(address) && !isKept(account!);
  context.setAccount(address, isGone ? undefined : { ...account!, balance: left });
}

/** Whether an implicit account stays when it has nothing left to spend: a delegate, or one that has a stake. */
export const isKept = ({ delegate, stake, unstaked }: Account): boolean =>
  delegate !== undefined || (stake ?? 0n) > 0n || unstaked !== undefined;

/** What an account would have left. @throws MichelsonError as {@link debit} */
export function leftOf(account: Account | undefined, address: Address, amount: Mutez): Mutez {
  const balance = account?.balance ?? 0n;
  if (balance < amount || !account) throw balanceTooLow(address, balance, amount);
  const isDelegated = account.delegate !== undefined && account.delegate !== address;
  if (balance === amount && isImplicit(address) && isDelegated)
    throw new MichelsonError(branch("implicit.empty_implicit_delegated_contract", { implicit: address }));
  return mutez(balance - amount);
}

/** Gives tez to an account, which is created when it is new. @returns whether it was new. */
function credit(context: Context, address: Address, amount: Mutez): boolean {
  const account = context.account(address);
  if (account) {
    if (amount > 0n) context.setAccount(address, { ...account, balance: mutez(account.balance + amount) });
    return false;
  }
  if (amount === 0n) return false;
  const created: Account = { balance: amount, counter: isImplicit(address) ? context.globalCounter() : 0n };
  context.setAccount(address, created);
  return true;
}

/** Moves tez. @returns whether the receiver is new. @throws MichelsonError as {@link debit} */
export function move(context: Context, from: Address, to: Address, amount: Mutez): boolean {
  if (from === to) {
    // What is spent comes back at once, so that nothing is gone in between.
    if (amount > 0n) leftOf(context.account(from), from, amount);
    return false;
  }
  debit(context, from, amount);
  return credit(context, to, amount);
}

/** Bytes of storage that a content or an internal operation is to pay for once all of them have run. */
export interface Owed {
  readonly bytes: bigint;
  /** Whether a new account or contract is paid for as well. */
  readonly isNew: boolean;
  /** Order in which the receipt tells of what was burned, and of the tez that were moved. */
  readonly order: readonly ("bytes" | "new" | "moved")[];
}

/**
 * Pays for storage when everything has run, and completes the receipt.
 * @throws MichelsonError as {@link payStorage}
 */
export function settle<P extends { readonly balance_updates?: readonly BalanceUpdate[] }>(
  execution: Execution,
  parts: P,
  owed: Owed | undefined,
): P {
  if (!owed) return parts;
  const updates = {
    bytes: payStorage(execution, owed.bytes),
    new: owed.isNew ? payStorage(execution, ORIGINATION_SIZE) : [],
    moved: parts.balance_updates ?? [],
  };
  return {
    ...parts,
    ...unlessEmpty(
      "balance_updates",
      owed.order.flatMap((name) => updates[name]),
    ),
  };
}

/**
 * Pays for bytes of storage.
 * @throws MichelsonError storage_exhausted.operation, contract.cannot_pay_storage_fee
 */
export function payStorage(execution: Execution, bytes: bigint): readonly BalanceUpdate[] {
  if (bytes > execution.storageLeft.bytes) throw new MichelsonError(temporary("storage_exhausted.operation"));
  if (bytes === 0n) return [];
  execution.storageLeft.bytes -= bytes;
  return burnStorage(execution, bytes);
}

/** As {@link payStorage}, whatever the operation's limit. @throws MichelsonError contract.cannot_pay_storage_fee */
export function burnStorage(execution: Execution, bytes: bigint): readonly BalanceUpdate[] {
  const cost = mutez(bytes * COST_PER_BYTE);
  traced(
    () => temporary("contract.cannot_pay_storage_fee"),
    () => debit(execution.context, execution.payer, cost),
  );
  return burnUpdates(execution.payer, cost);
}
