// Moving and burning tez.
import { COST_PER_BYTE } from "../../tezos/parameters.ts";
import type { Account, Context } from "../state/context.ts";
import { isImplicit } from "../../tezos/address.ts";
import { MichelsonError, branch, temporary } from "../michelson/michelson-error.ts";
import type { Execution } from "./execution.ts";
import { type BalanceUpdate, burnUpdates } from "./receipt.ts";

/** An account has less than it is to give. Two errors, as in the protocol: what is wrong, and why. */
export const balanceTooLow = (contract: string, balance: bigint, amount: bigint): MichelsonError =>
  new MichelsonError(
    temporary("contract.balance_too_low", {
      contract,
      balance: balance.toString(),
      amount: amount.toString(),
    }),
    temporary("tez.subtraction_underflow", { amounts: [balance.toString(), amount.toString()] }),
  );

/**
 * Takes tez from an account.
 * @throws MichelsonError contract.balance_too_low, implicit.empty_implicit_contract (it has nothing at all),
 * implicit.empty_implicit_delegated_contract (it has a delegate and would have nothing left)
 */
export function debit(context: Context, address: string, amount: bigint): void {
  if (amount === 0n) return;
  const account = context.account(address);
  const balance = account?.balance ?? 0n;
  if (isImplicit(address) && balance === 0n)
    throw new MichelsonError(branch("implicit.empty_implicit_contract", { implicit: address }));
  if (balance < amount || !account) throw balanceTooLow(address, balance, amount);
  const isEmptied = balance === amount && isImplicit(address);
  if (isEmptied && account.delegate !== undefined && account.delegate !== address)
    throw new MichelsonError(branch("implicit.empty_implicit_delegated_contract", { implicit: address }));
  context.setAccount(address, { ...account, balance: balance - amount });
}

/** Gives tez to an account, which is created when it is new. @returns whether it was new. */
export function credit(context: Context, address: string, amount: bigint): boolean {
  const account = context.account(address);
  if (account) {
    if (amount > 0n) context.setAccount(address, { ...account, balance: account.balance + amount });
    return false;
  }
  if (amount === 0n) return false;
  const created: Account = { balance: amount, counter: isImplicit(address) ? context.globalCounter() : 0n };
  context.setAccount(address, created);
  return true;
}

/**
 * Pays for bytes of storage.
 * @throws MichelsonError storage_exhausted.operation, contract.cannot_pay_storage_fee
 */
export function payStorage(execution: Execution, bytes: bigint): readonly BalanceUpdate[] {
  if (bytes === 0n) return [];
  if (bytes > execution.storageLeft.bytes) throw new MichelsonError(temporary("storage_exhausted.operation"));
  execution.storageLeft.bytes -= bytes;
  return burnStorage(execution, bytes);
}

/** As {@link payStorage}, whatever the operation's limit. @throws MichelsonError contract.cannot_pay_storage_fee */
export function burnStorage(execution: Execution, bytes: bigint): readonly BalanceUpdate[] {
  const cost = bytes * COST_PER_BYTE;
  try {
    debit(execution.context, execution.payer, cost);
  } catch (error) {
    if (error instanceof MichelsonError)
      throw new MichelsonError(temporary("contract.cannot_pay_storage_fee"), ...error.errors);
    throw error;
  }
  return burnUpdates(execution.payer, cost);
}
