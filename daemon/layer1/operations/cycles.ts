// Cycles of the chain, at which unstaked tez become free and keys and parameters of delegates become active. Nothing
// happens at their ends: what is active in a cycle follows from earlier requests.
// Source of the delays: Octez, `constants_parametric_repr.ml`; values as in `/context/constants`.
import { BLOCKS_PER_CYCLE } from "../../tezos/parameters.ts";

/** Cycle of a level. */
export const cycleOf = (level: number): number => Math.floor(Math.max(0, level - 1) / BLOCKS_PER_CYCLE);

/** Cycles until a delegate's key is active: `consensus_rights_delay` + 1. */
export const KEY_DELAY = 3;
/** Cycles until a delegate's parameters are active: `delegate_parameters_activation_delay` + 1. */
export const PARAMETERS_DELAY = 6;
/** Cycles until unstaked tez can be finalized: `consensus_rights_delay + max_slashing_period`. */
export const UNSTAKE_DELAY = 4;

/** A value with changes scheduled for later cycles. */
export interface Schedule<T> {
  readonly active: T | undefined;
  readonly pending: readonly { readonly cycle: number; readonly value: T }[];
}

/** The value active in a cycle. */
export function activeIn<T>({ active, pending }: Schedule<T>, cycle: number): T | undefined {
  return pending.findLast((change) => change.cycle <= cycle)?.value ?? active;
}

/** Changes scheduled after a cycle. */
export const pendingAfter = <T>({ pending }: Schedule<T>, cycle: number): Schedule<T>["pending"] =>
  pending.filter((change) => change.cycle > cycle);

/** Schedules a change, replacing one for the same cycle. */
export function withChange<T>(schedule: Schedule<T>, now: number, cycle: number, value: T): Schedule<T> {
  const pending = pendingAfter(schedule, now).filter((change) => change.cycle !== cycle);
  return { active: activeIn(schedule, now), pending: [...pending, { cycle, value }] };
}
