// Cycles of the chain, by which stakes are freed and keys and parameters of delegates become active. Nothing is done at
// their ends: what is active in a cycle follows from what was asked for in earlier ones.
// Source of the delays: Octez, `constants_parametric_repr.ml`; values as `/context/constants` shows them.
import { BLOCKS_PER_CYCLE } from "../../tezos/parameters.ts";

/** Cycle of a level. */
export const cycleOf = (level: number): number => Math.floor(Math.max(0, level - 1) / BLOCKS_PER_CYCLE);

/** Cycles until a key of a delegate is active: `consensus_rights_delay`, and the one after. */
export const KEY_DELAY = 3;
/** Cycles until parameters of a delegate are active: `delegate_parameters_activation_delay`, and the one after. */
export const PARAMETERS_DELAY = 6;
/** Cycles until what was unstaked may be taken back: `consensus_rights_delay + max_slashing_period`. */
export const UNSTAKE_DELAY = 4;

/** Something that changes with cycles. */
export interface Line<T> {
  readonly active: T | undefined;
  readonly pending: readonly { readonly cycle: number; readonly value: T }[];
}

/** What is active in a cycle. */
export function activeIn<T>({ active, pending }: Line<T>, cycle: number): T | undefined {
  return pending.findLast((change) => change.cycle <= cycle)?.value ?? active;
}

/** Changes that are still to come after a cycle. */
export const pendingAfter = <T>({ pending }: Line<T>, cycle: number): Line<T>["pending"] =>
  pending.filter((change) => change.cycle > cycle);

/** The line with a change to come, which takes the place of one for the same cycle. */
export function withChange<T>(line: Line<T>, now: number, cycle: number, value: T): Line<T> {
  const pending = pendingAfter(line, now).filter((change) => change.cycle !== cycle);
  return { active: activeIn(line, now), pending: [...pending, { cycle, value }] };
}
