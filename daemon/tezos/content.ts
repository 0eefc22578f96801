// Contents of operations in their JSON form, as RPCs return them and receipts repeat them.
import type { Address } from "./address.ts";
import type { Micheline } from "./micheline.ts";

/** Fields common to all operations of an account: payer, fee and limits. Numbers are decimal texts. */
export interface Manager {
  readonly source: Address;
  readonly fee: string;
  readonly counter: string;
  readonly gas_limit: string;
  readonly storage_limit: string;
}

export interface Reveal extends Manager {
  readonly kind: "reveal";
  readonly public_key: string;
  /** Proof of possession, for tz4 only. */
  readonly proof?: string;
}

export interface Transaction extends Manager {
  readonly kind: "transaction";
  readonly amount: string;
  readonly destination: Address;
  readonly parameters?: { readonly entrypoint: string; readonly value: Micheline };
}

export interface Origination extends Manager {
  readonly kind: "origination";
  readonly balance: string;
  readonly delegate?: Address;
  readonly script: { readonly code: Micheline; readonly storage: Micheline };
}

export interface Delegation extends Manager {
  readonly kind: "delegation";
  readonly delegate?: Address;
}

export interface TransferTicket extends Manager {
  readonly kind: "transfer_ticket";
  readonly ticket_contents: Micheline;
  readonly ticket_ty: Micheline;
  readonly ticket_ticketer: Address;
  readonly ticket_amount: string;
  readonly destination: Address;
  readonly entrypoint: string;
}

export interface AddMessages extends Manager {
  readonly kind: "smart_rollup_add_messages";
  readonly message: readonly string[];
}

export interface ExecuteOutboxMessage extends Manager {
  readonly kind: "smart_rollup_execute_outbox_message";
  readonly rollup: Address;
  readonly cemented_commitment: string;
  readonly output_proof: string;
}

export interface RegisterGlobalConstant extends Manager {
  readonly kind: "register_global_constant";
  readonly value: Micheline;
}

export interface SetDepositsLimit extends Manager {
  readonly kind: "set_deposits_limit";
  readonly limit?: string;
}

export interface IncreasePaidStorage extends Manager {
  readonly kind: "increase_paid_storage";
  /** Bytes; the only number of an operation whose encoding allows a negative value. */
  readonly amount: string;
  readonly destination: Address;
}

/** Registers another key of a delegate: one to bake with (consensus), or one to attest with beside it (companion). */
export interface UpdateKey extends Manager {
  readonly kind: "update_consensus_key" | "update_companion_key";
  readonly pk: string;
  /** Proof of possession, for tz4 only. */
  readonly proof?: string;
}

export const PVM_KINDS = ["arith", "wasm_2_0_0", "riscv"] as const;

export interface OriginateRollup extends Manager {
  readonly kind: "smart_rollup_originate";
  readonly pvm_kind: (typeof PVM_KINDS)[number];
  /** Hex. */
  readonly kernel: string;
  readonly parameters_ty: Micheline;
  readonly whitelist?: readonly Address[];
}

export interface PublishCommitment extends Manager {
  readonly kind: "dal_publish_commitment";
  readonly slot_header: {
    readonly slot_index: number;
    readonly commitment: string;
    /** Hex. */
    readonly commitment_proof: string;
  };
}

/** Operations of accounts, which this chain applies. */
export type Content =
  | Reveal
  | Transaction
  | Origination
  | Delegation
  | TransferTicket
  | AddMessages
  | ExecuteOutboxMessage
  | RegisterGlobalConstant
  | SetDepositsLimit
  | IncreasePaidStorage
  | UpdateKey
  | OriginateRollup
  | PublishCommitment;

/** Contents of one operation, which has at least one. */
export type Contents = readonly [Content, ...Content[]];

export const isContents = (list: readonly Content[]): list is Contents => list.length > 0;

/** An operation with its signature; `signature` is raw bytes, absent in simulations. */
export interface Operation {
  readonly branch: string;
  readonly contents: Contents;
  readonly signature: Uint8Array | undefined;
}
