// Stakes: tez of an account frozen with its delegate, and unstaked tez, which stay frozen for some cycles more. Without
// rewards and slashing a staked tez stays a tez.
// Source of the order, the costs and the errors: Octez, `apply_stake` and its neighbours in `apply.ml`, `staking.ml`,
// `unstake_requests_storage.ml`, `adaptive_issuance_costs.ml`.
import type { Address } from "../../tezos/address.ts";
import type { Micheline } from "../../tezos/micheline.ts";
import { type Mutez, NO_TEZ, mutez } from "../../tezos/mutez.ts";
import { MichelsonError, branch, permanent, temporary } from "../michelson/michelson-error.ts";
import { parseValue } from "../michelson/parse-value.ts";
import { type } from "../michelson/type.ts";
import type { PairValue } from "../michelson/value.ts";
import { type Account, type Context, existingAccount } from "../state/context.ts";
import { debit } from "./balance.ts";
import { UNSTAKE_DELAY, cycleOf } from "./cycles.ts";
import { type StakingParameters, isDelegate, parametersIn, updateParameters } from "./delegates.ts";
import type { Execution } from "./execution.ts";
import { dataScope } from "./read-data.ts";
import { type BalanceUpdate, contractUpdate, freezerUpdate, stakingUpdate } from "./receipt.ts";

const FIND_DELEGATE = 420_000;
const STAKE = FIND_DELEGATE + 2_100_000;
const REQUEST_UNSTAKE = FIND_DELEGATE + 2_300_000;
const SET_PARAMETERS = FIND_DELEGATE + 200_000;
const PREPARE_FINALIZE = 940_000;
const FINALIZE = 200_000;

/** Pseudo-entrypoints of every implicit account. */
export const STAKING_ENTRYPOINTS = ["stake", "unstake", "finalize_unstake", "set_delegate_parameters"];

export interface StakingCall {
  readonly sender: Address;
  readonly destination: Address;
  readonly amount: Mutez;
}

function requireSelf({ sender, destination }: StakingCall): void {
  if (sender !== destination)
    throw new MichelsonError(permanent("operations.invalid_self_transaction_destination"));
}

/** The account and its delegate. @throws MichelsonError when it has no delegate */
function stakerOf(
  context: Context,
  address: Address,
): { readonly account: Account; readonly delegate: Address } {
  const account = context.account(address);
  if (!account?.delegate)
    throw new MichelsonError(permanent("operations.stake_modification_with_no_delegate_set"));
  return { account, delegate: account.delegate };
}

const staker = (contract: string, delegate: string): object =>
  contract === delegate ? { baker_own_stake: delegate } : { contract, delegate };

/** Moves tez into an account's stake. */
export function stake(execution: Execution, call: StakingCall): readonly BalanceUpdate[] {
  const { context, gas, block } = execution;
  const { sender, amount } = call;
  if (amount === 0n)
    throw new MichelsonError(branch("contract.empty_transaction", { contract: call.destination }));
  requireSelf(call);
  gas.spend(STAKE);
  const { delegate } = stakerOf(context, sender);
  const terms = parametersIn(context, delegate, cycleOf(block.level));
  if (delegate !== sender && terms.limit_of_staking_over_baking_millionth === 0)
    throw new MichelsonError(permanent("operations.staking_to_delegate_that_refuses_external_staking"));
  const { updates, left } = restake(execution, sender, delegate, amount);
  if (left === 0n) return updates;
  debit(context, sender, left);
  const account = existingAccount(context, sender); // it was just debited
  context.setAccount(sender, { ...account, stake: mutez((account.stake ?? NO_TEZ) + left) });
  return [
    ...updates,
    ...sharesUpdates(sender, delegate, left),
    contractUpdate(sender, -left),
    freezerUpdate("deposits", staker(sender, delegate), left),
  ];
}

/** Stakes of others are counted as shares in their delegate's pool. */
function sharesUpdates(sender: string, delegate: string, change: bigint): readonly BalanceUpdate[] {
  if (sender === delegate) return [];
  return [
    stakingUpdate("delegate_denominator", { delegate }, change),
    stakingUpdate("delegator_numerator", { delegator: sender }, change),
  ];
}

/**
 * A delegate restakes its unstake requests first, the newest first; for others, finalizable requests are paid out. Requests
 * to another delegate must be finalizable, also those of an account that has become a delegate since. (The protocol
 * does not look in its first cycles, in which nothing can be finalizable yet.)
 */
function restake(
  execution: Execution,
  address: Address,
  delegate: Address,
  amount: Mutez,
): { readonly updates: readonly BalanceUpdate[]; readonly left: Mutez } {
  const { context, gas, block } = execution;
  gas.spend(PREPARE_FINALIZE);
  const account = existingAccount(context, address);
  if (!account.unstaked) return { updates: [], left: amount };
  const isElsewhere = account.unstaked.delegate !== delegate;
  if (isElsewhere && account.unstaked.requests.some((request) => !isFinalizable(request, block.level)))
    throw new MichelsonError(
      temporary("operation.cannot_stake_with_unfinalizable_unstake_requests_to_another_delegate"),
    );
  if (address !== delegate) {
    gas.spend(FINALIZE);
    return { updates: payOut(execution, address), left: amount };
  }
  const updates: BalanceUpdate[] = [];
  const requests: Request[] = [];
  let left: Mutez = amount;
  for (const request of account.unstaked.requests.toReversed()) {
    const taken = isFinalizable(request, block.level) ? 0n : left < request.amount ? left : request.amount;
    left = mutez(left - taken);
    if (taken < request.amount) requests.unshift({ ...request, amount: mutez(request.amount - taken) });
    if (taken === 0n) continue;
    updates.push(
      freezerUpdate("unstaked_deposits", { contract: address, delegate }, -taken, request.cycle),
      freezerUpdate("deposits", staker(address, delegate), taken),
    );
  }
  context.setAccount(address, {
    ...account,
    stake: mutez((account.stake ?? NO_TEZ) + amount - left),
    unstaked: requests.length === 0 ? undefined : { delegate: account.unstaked.delegate, requests },
  });
  return { updates: [...updates, ...payOut(execution, address)], left };
}

type Request = NonNullable<Account["unstaked"]>["requests"][number];

/** Whether an unstaked amount is finalizable at a level. */
export const isFinalizable = ({ cycle }: Pick<Request, "cycle">, level: number): boolean =>
  cycle + UNSTAKE_DELAY <= cycleOf(level);

/** Pays out an account's finalizable requests. */
function payOut({ context, block }: Execution, address: Address): readonly BalanceUpdate[] {
  const account = context.account(address);
  if (!account?.unstaked) return [];
  const { delegate, requests } = account.unstaked;
  const freed = requests.filter((request) => isFinalizable(request, block.level));
  if (freed.length === 0) return [];
  const kept = requests.filter((request) => !freed.includes(request));
  context.setAccount(address, {
    ...account,
    balance: mutez(account.balance + freed.reduce((sum, { amount }) => sum + amount, 0n)),
    unstaked: kept.length === 0 ? undefined : { delegate, requests: kept },
  });
  return freed.flatMap(({ cycle, amount }) => [
    freezerUpdate("unstaked_deposits", { contract: address, delegate }, -amount, cycle),
    contractUpdate(address, amount),
  ]);
}

export function unstake(execution: Execution, call: StakingCall): readonly BalanceUpdate[] {
  requireSelf(call);
  execution.gas.spend(FIND_DELEGATE);
  stakerOf(execution.context, call.sender);
  return requestUnstake(execution, call.sender, call.amount);
}

/** Requests to unstake; an excessive amount means all. Also done when an account changes its delegate. */
export function requestUnstake(
  execution: Execution,
  address: Address,
  amount: Mutez,
): readonly BalanceUpdate[] {
  const { context, gas, block } = execution;
  const { account, delegate } = stakerOf(context, address);
  const staked = account.stake ?? NO_TEZ;
  const taken = amount < staked ? amount : staked;
  if (taken === 0n) return [];
  gas.spend(REQUEST_UNSTAKE + PREPARE_FINALIZE);
  const cycle = cycleOf(block.level);
  const freed = payOut(execution, address);
  const now = existingAccount(context, address);
  const before = now.unstaked?.requests ?? [];
  if (before.length > 0 && now.unstaked!.delegate !== delegate)
    throw new MichelsonError(
      permanent("operation.cannot_unstake_with_unfinalizable_unstake_requests_to_another_delegate"),
    );
  const others = before.filter((request) => request.cycle !== cycle);
  const same = before.find((request) => request.cycle === cycle)?.amount ?? 0n;
  context.setAccount(address, {
    ...now,
    stake: mutez(staked - taken),
    unstaked: { delegate, requests: [...others, { cycle, amount: mutez(same + taken) }] },
  });
  return [
    ...sharesUpdates(address, delegate, -taken),
    freezerUpdate("deposits", staker(address, delegate), -taken),
    freezerUpdate("unstaked_deposits", { contract: address, delegate }, taken, cycle),
    ...freed,
  ];
}

/** Pays out what has been unstaked for long enough. Anyone may call it. */
export function finalizeUnstake(execution: Execution, call: StakingCall): readonly BalanceUpdate[] {
  const { context, gas } = execution;
  if (call.amount !== 0n)
    throw new MichelsonError(
      permanent("operations.invalid_nonzero_transaction_amount", { amount: call.amount.toString() }),
    );
  gas.spend(FIND_DELEGATE + PREPARE_FINALIZE);
  if (!context.account(call.destination)?.unstaked) return [];
  gas.spend(FINALIZE);
  return payOut(execution, call.destination);
}

const INT = type("int");
const PARAMETERS_TYPE = type("pair", INT, type("pair", INT, type("unit")));
const MOST = 2n ** 31n - 1n;

export function setDelegateParameters(execution: Execution, call: StakingCall, argument: Micheline): void {
  const { gas, context } = execution;
  const { left, right } = parseValue(PARAMETERS_TYPE, argument, dataScope(execution)) as PairValue;
  const [limit, edge] = [left as bigint, (right as PairValue).left as bigint];
  gas.spend(SET_PARAMETERS);
  requireSelf(call);
  if (!isDelegate(context, call.sender))
    throw new MichelsonError(permanent("operations.invalid_staking_parameters_sender"));
  if (limit < 0n || edge < 0n || edge > 1_000_000_000n)
    throw new MichelsonError(permanent("operations.invalid_staking_parameters"));
  const parameters: StakingParameters = {
    limit_of_staking_over_baking_millionth: Number(limit > MOST ? MOST : limit),
    edge_of_baking_over_staking_billionth: Number(edge),
  };
  updateParameters(execution, call.sender, parameters);
}
