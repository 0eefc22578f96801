// Receipts: the effects of an operation in the JSON form that clients read. Empty fields are omitted as by a real node
// (Taquito counts some of them by mere presence).
import type { Micheline } from "../../tezos/micheline.ts";
import type { Mutez } from "../../tezos/mutez.ts";
import type { Protocol } from "../../tezos/protocols.ts";
import type { ProtocolErrorFields } from "../michelson/michelson-error.ts";

export interface BalanceUpdate {
  readonly kind: "contract" | "accumulator" | "burned" | "freezer" | "staking";
  readonly contract?: string;
  readonly category?: string;
  readonly staker?: object;
  readonly delegate?: string;
  readonly delegator?: string;
  readonly cycle?: number;
  readonly change: string;
  readonly origin: "block";
}

export interface TicketUpdate {
  readonly ticket_token: {
    readonly ticketer: string;
    readonly content_type: Micheline;
    readonly content: Micheline;
  };
  readonly updates: readonly { readonly account: string; readonly amount: string }[];
}

/** Fields of an applied result; which are present depends on the kind. */
export interface AppliedParts {
  readonly storage?: Micheline;
  readonly lazy_storage_diff?: readonly object[];
  readonly balance_updates?: readonly BalanceUpdate[];
  readonly ticket_updates?: readonly TicketUpdate[];
  readonly ticket_receipt?: readonly TicketUpdate[];
  readonly originated_contracts?: readonly string[];
  readonly consumed_milligas: string;
  readonly storage_size?: string;
  readonly paid_storage_size_diff?: string;
  readonly allocated_destination_contract?: true;
  /** Hash of a registered constant. */
  readonly global_address?: string;
  /** Of an updated key: whether it is the consensus key. */
  readonly kind?: boolean;
  /** Of an originated rollup. */
  readonly address?: string;
  readonly genesis_commitment_hash?: string;
  readonly size?: string;
  readonly address_registry_diff?: readonly { readonly address: string; readonly index: string }[];
}

export type Result =
  | ({ readonly status: "applied" } & AppliedParts)
  /** Reverted; with errors when everything ran but could not be paid for. */
  | ({ readonly status: "backtracked"; readonly errors?: readonly object[] } & AppliedParts)
  | { readonly status: "failed"; readonly errors: readonly object[] }
  | { readonly status: "skipped" };

export interface InternalReceipt {
  readonly kind: string;
  readonly source: string;
  readonly nonce: number;
  readonly result: Result;
  readonly [field: string]: unknown;
}

export interface Metadata {
  readonly balance_updates?: readonly BalanceUpdate[];
  readonly operation_result: Result;
  readonly internal_operation_results?: readonly InternalReceipt[];
}

const update = (kind: BalanceUpdate["kind"], who: object, change: bigint): BalanceUpdate => ({
  kind,
  ...who,
  change: change.toString(),
  origin: "block",
});

/** Tez credited to or debited from an account. */
export const contractUpdate = (contract: string, change: bigint): BalanceUpdate =>
  update("contract", { contract }, change);

/** Staked or unstaked tez. */
export const freezerUpdate = (
  category: "deposits" | "unstaked_deposits",
  staker: object,
  change: bigint,
  cycle?: number,
): BalanceUpdate => update("freezer", { category, staker, ...(cycle !== undefined && { cycle }) }, change);

/** Shares in a delegate's pool of stakes. */
export const stakingUpdate = (
  category: "delegator_numerator" | "delegate_denominator",
  who: object,
  change: bigint,
): BalanceUpdate => update("staking", { category, ...who }, change);

export function transferUpdates(from: string, to: string, amount: Mutez): readonly BalanceUpdate[] {
  if (amount === 0n) return [];
  return [contractUpdate(from, -amount), contractUpdate(to, amount)];
}

export function burnUpdates(payer: string, amount: Mutez): readonly BalanceUpdate[] {
  if (amount === 0n) return [];
  return [contractUpdate(payer, -amount), update("burned", { category: "storage fees" }, amount)];
}

export function feeUpdates(payer: string, fee: Mutez): readonly BalanceUpdate[] {
  if (fee === 0n) return [];
  return [contractUpdate(payer, -fee), update("accumulator", { category: "block fees" }, fee)];
}

/** Errors with the protocol's prefix, as in RPCs. */
export function errorsJson(errors: readonly ProtocolErrorFields[], protocol: Protocol): readonly object[] {
  return errors.map((error) => ({ ...error, id: protocol.errorPrefix + error.id }));
}

/** A field that is omitted when its list is empty. */
export const unlessEmpty = <K extends string, T>(
  name: K,
  list: readonly T[],
): { [key in K]?: readonly T[] } =>
  (list.length === 0 ? {} : { [name]: list }) as { [key in K]?: readonly T[] };
