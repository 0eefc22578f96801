// The fields of a block that the indexer reads, as in the RPC of any Tezos node.
import type { Micheline } from "../../tezos/micheline.ts";

export interface RpcBlock {
  readonly protocol: string;
  readonly chain_id: string;
  readonly hash: string;
  readonly header: {
    readonly level: number;
    readonly proto: number;
    readonly predecessor: string;
    readonly timestamp: string;
    readonly payload_round?: number;
    readonly liquidity_baking_toggle_vote?: string;
  };
  readonly metadata?: {
    readonly protocol: string;
    readonly next_protocol: string;
    readonly proposer?: string;
    readonly baker?: string;
    readonly level_info?: { readonly cycle: number };
    readonly voting_period_info?: { readonly voting_period: { readonly index: number } };
    readonly liquidity_baking_toggle_ema?: number;
  };
  readonly operations: readonly (readonly RpcOperation[])[];
}

export interface RpcOperation {
  readonly hash: string;
  readonly contents: readonly RpcContent[];
}

/** A content or an internal operation, with the fields of all kinds. */
export interface RpcContent {
  readonly kind: string;
  readonly source?: string;
  readonly fee?: string;
  readonly counter?: string;
  readonly gas_limit?: string;
  readonly storage_limit?: string;
  readonly nonce?: number;
  readonly amount?: string;
  readonly destination?: string;
  readonly parameters?: { readonly entrypoint: string; readonly value: Micheline };
  readonly balance?: string;
  readonly delegate?: string;
  readonly script?: { readonly code: Micheline; readonly storage: Micheline };
  readonly public_key?: string;
  readonly tag?: string;
  readonly payload?: Micheline;
  readonly type?: Micheline;
  readonly value?: Micheline;
  readonly limit?: string;
  readonly entrypoint?: string;
  readonly ticket_contents?: Micheline;
  readonly ticket_ty?: Micheline;
  readonly ticket_ticketer?: string;
  readonly ticket_amount?: string;
  readonly pk?: string;
  readonly pvm_kind?: string;
  readonly rollup?: string;
  readonly message?: readonly string[];
  readonly cemented_commitment?: string;
  readonly commitment?: object;
  readonly result?: RpcResult;
  readonly metadata?: {
    readonly operation_result?: RpcResult;
    readonly internal_operation_results?: readonly RpcContent[];
  };
}

export interface RpcResult {
  readonly status: "applied" | "failed" | "backtracked" | "skipped";
  readonly consumed_milligas?: string;
  readonly storage?: Micheline;
  readonly lazy_storage_diff?: readonly RpcDiff[];
  readonly originated_contracts?: readonly string[];
  readonly paid_storage_size_diff?: string;
  readonly allocated_destination_contract?: boolean;
  readonly global_address?: string;
  readonly address?: string;
  readonly errors?: readonly { readonly id: string; readonly [field: string]: unknown }[];
}

export interface RpcDiff {
  readonly kind: string;
  readonly id: string;
  readonly diff: {
    readonly action: "alloc" | "update" | "copy" | "remove";
    readonly key_type?: Micheline;
    readonly value_type?: Micheline;
    readonly source?: string;
    readonly updates?: readonly RpcUpdate[];
  };
}

export interface RpcUpdate {
  readonly key_hash: string;
  readonly key: Micheline;
  readonly value?: Micheline;
}
