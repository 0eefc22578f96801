// Delegates: accounts that registered by delegating to themselves, with their baking keys and the terms on which they
// accept stakes. Nobody bakes here, so a delegate is never deactivated, rewarded or punished.
// Source of the rules: Octez, `delegate_storage.ml`, `delegate_consensus_key.ml`, `delegate_staking_parameters.ml`.
import { type Address, hashOfKey, isImplicit } from "../../tezos/address.ts";
import { MichelsonError, branch, permanent, temporary } from "../michelson/michelson-error.ts";
import type { Context, ContextReader } from "../state/context.ts";
import { KEY_DELAY, type Schedule, PARAMETERS_DELAY, activeIn, cycleOf, withChange } from "./cycles.ts";
import type { Execution } from "./execution.ts";

export interface StakingParameters {
  readonly limit_of_staking_over_baking_millionth: number;
  readonly edge_of_baking_over_staking_billionth: number;
}

/** By default a delegate accepts no stakes of others. */
const DEFAULT_PARAMETERS: StakingParameters = {
  limit_of_staking_over_baking_millionth: 0,
  edge_of_baking_over_staking_billionth: 1_000_000_000,
};

export interface Delegate {
  readonly consensus: Schedule<string>;
  readonly companion: Schedule<string>;
  readonly parameters: Schedule<StakingParameters>;
}

export type KeyKind = "consensus" | "companion";

const recordKey = (address: string): string => `delegate:${address}`;
const usedKey = (keyHash: string): string => `bakingKey:${keyHash}`;
const NEVER: Schedule<never> = { active: undefined, pending: [] };

/** Whether an account is registered as a delegate. */
export const isDelegate = (context: ContextReader, address: string): boolean =>
  isImplicit(address) && context.account(address)?.delegate === address;

/** All delegates; undefined for each account that is none, so that whoever looks through all may rest. */
export function* delegates(context: ContextReader): Iterable<string | undefined> {
  for (const address of context.contracts().keys()) yield isDelegate(context, address) ? address : undefined;
}

/** Keys and parameters of a delegate. @pre the address is a delegate's */
export function delegateOf(context: ContextReader, address: string): Delegate {
  const kept = context.other(recordKey(address)) as Delegate | undefined;
  if (kept) return kept;
  return {
    consensus: { active: context.account(address)?.key, pending: [] },
    companion: NEVER,
    parameters: NEVER,
  };
}

export const parametersIn = (context: ContextReader, address: string, cycle: number): StakingParameters =>
  activeIn(delegateOf(context, address).parameters, cycle) ?? DEFAULT_PARAMETERS;

/** @throws MichelsonError when the account is not registered as a delegate */
export function requireDelegate(context: ContextReader, delegate: string): void {
  if (!isDelegate(context, delegate))
    throw new MichelsonError(permanent("contract.manager.unregistered_delegate", { hash: delegate }));
}

/** Delegation is recorded and shown, but without consensus it has no effect. */
export function setDelegate(context: Context, source: Address, delegate: Address | undefined): void {
  const account = context.account(source);
  if (delegate === source && isImplicit(source)) {
    if (account?.delegate === source) throw new MichelsonError(temporary("delegate.already_active"));
    if (!account || account.balance === 0n)
      throw new MichelsonError(permanent("delegate.empty_delegate_account", { delegate: source }));
    context.setAccount(source, { ...account, delegate });
    return;
  }
  if (isDelegate(context, source))
    throw new MichelsonError(permanent("delegate.no_deletion", { delegate: source }));
  if (delegate !== undefined && account?.delegate === delegate)
    throw new MichelsonError(temporary("delegate.unchanged"));
  if (delegate !== undefined) requireDelegate(context, delegate);
  if (!account) throw new MichelsonError(branch("implicit.empty_implicit_contract", { implicit: source }));
  context.setAccount(source, { ...account, delegate });
}

/** Schedules a delegate's new key. @throws MichelsonError */
export function updateKey(execution: Execution, source: string, kind: KeyKind, pk: string): void {
  const { context, block } = execution;
  const isConsensus = kind === "consensus";
  const now = cycleOf(block.level);
  const cycle = now + KEY_DELAY;
  const delegate = delegateOf(context, source);
  const schedule = delegate[kind];
  const latest = activeIn(schedule, cycle);
  if (latest === pk) {
    const since = schedule.pending.findLast((change) => change.cycle <= cycle)?.cycle ?? now;
    throw new MichelsonError(
      permanent("delegate.consensus_key.invalid_noop", { cycle: since, kind: isConsensus }),
    );
  }
  const hash = hashOfKey(pk);
  if (context.other(usedKey(hash)) !== undefined)
    throw new MichelsonError(
      permanent("delegate.consensus_key.active", { consensus_pkh: hash, kind: isConsensus }),
    );
  if (hash !== source && isDelegate(context, hash))
    throw new MichelsonError(
      permanent("delegate.consensus_key.another_delegate", { consensus_pkh: hash, kind: isConsensus }),
    );
  context.setOther(usedKey(hash), source);
  if (latest !== undefined) context.setOther(usedKey(hashOfKey(latest)), undefined);
  context.setOther(recordKey(source), { ...delegate, [kind]: withChange(schedule, now, cycle, pk) });
}

/** Schedules the terms on which a delegate accepts stakes of others. */
export function updateParameters(execution: Execution, source: string, parameters: StakingParameters): void {
  const { context, block } = execution;
  const delegate = delegateOf(context, source);
  const now = cycleOf(block.level);
  context.setOther(recordKey(source), {
    ...delegate,
    parameters: withChange(delegate.parameters, now, now + PARAMETERS_DELAY, parameters),
  });
}
