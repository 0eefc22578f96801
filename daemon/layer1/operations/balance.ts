// Moves and burns tez.
import { type Address, isImplicit } from "../../tezos/address.ts";
import { type Mutez, mutez } from "../../tezos/mutez.ts";
import { COST_PER_BYTE, ORIGINATION_SIZE } from "../../tezos/parameters.ts";
import { MichelsonError, branch, temporary, traceErrors } from "../michelson/michelson-error.ts";
import type { Account, Context } from "../state/context.ts";
import type { Execution } from "./execution.ts";
import { type BalanceUpdate, burnUpdates, unlessEmpty } from "./receipt.ts";

/** The account holds less than the amount. Two errors, as in the protocol: the failed action and its cause. */
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
 * Takes tez from an account. An implicit account without a balance is removed, unless it is a delegate.
 * @throws MichelsonError contract.balance_too_low, or implicit.empty_implicit_delegated_contract when an account with a
 * delegate would be left empty
 */
export function debit(context: Context, address: Address, amount: Mutez): void {
  if (amount === 0n) return;
  const account = context.account(address);
  const left = balanceAfter(account, address, amount);
  const isGone = left === 0n && isImplicit(address) && !staysWhenEmpty(account!);
  context.setAccount(address, isGone ? undefined : { ...account!, balance: left });
}

/** Whether an implicit account with no balance is kept: a delegate, or an account with a stake. */
export const staysWhenEmpty = ({ delegate, stake, unstaked }: Account): boolean =>
  delegate !== undefined || (stake ?? 0n) > 0n || unstaked !== undefined;

/** The balance after a debit. @throws MichelsonError as {@link debit} */
export function balanceAfter(account: Account | undefined, address: Address, amount: Mutez): Mutez {
  const balance = account?.balance ?? 0n;
  if (balance < amount || !account) throw balanceTooLow(address, balance, amount);
  const isDelegated = account.delegate !== undefined && account.delegate !== address;
  if (balance === amount && isImplicit(address) && isDelegated)
    throw new MichelsonError(branch("implicit.empty_implicit_delegated_contract", { implicit: address }));
  return mutez(balance - amount);
}

/** Gives tez to an account, creating it if it is new. @returns whether it was new */
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
    // The amount returns at once, so the account never counts as empty.
    if (amount > 0n) balanceAfter(context.account(from), from, amount);
    return false;
  }
  debit(context, from, amount);
  return credit(context, to, amount);
}

/** Bytes of storage that a content or internal operation must pay for after all have run. */
export interface Owed {
  readonly bytes: bigint;
  /** Whether a new account or contract must be paid for as well. */
  readonly isNew: boolean;
  /** Order of burns and transfers in the receipt. */
  readonly order: readonly ("bytes" | "new" | "moved")[];
}

/**
 * Pays for storage after everything has run, and completes the receipt.
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

/** As {@link payStorage}, ignoring the operation's limit. @throws MichelsonError contract.cannot_pay_storage_fee */
export function burnStorage(execution: Execution, bytes: bigint): readonly BalanceUpdate[] {
  const cost = mutez(bytes * COST_PER_BYTE);
  traceErrors(
    () => temporary("contract.cannot_pay_storage_fee"),
    () => debit(execution.context, execution.payer, cost),
  );
  return burnUpdates(execution.payer, cost);
}
