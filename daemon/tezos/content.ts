// Contents of operations in their JSON form, as RPCs show them and receipts repeat them.
import type { Micheline } from "./micheline.ts";

/** What every operation of an account has: who pays how much, and the limits. Numbers are decimal texts. */
export interface Manager {
  readonly source: string;
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
  readonly destination: string;
  readonly parameters?: { readonly entrypoint: string; readonly value: Micheline };
}

export interface Origination extends Manager {
  readonly kind: "origination";
  readonly balance: string;
  readonly delegate?: string;
  readonly script: { readonly code: Micheline; readonly storage: Micheline };
}

export interface Delegation extends Manager {
  readonly kind: "delegation";
  readonly delegate?: string;
}

export interface TransferTicket extends Manager {
  readonly kind: "transfer_ticket";
  readonly ticket_contents: Micheline;
  readonly ticket_ty: Micheline;
  readonly ticket_ticketer: string;
  readonly ticket_amount: string;
  readonly destination: string;
  readonly entrypoint: string;
}

export interface AddMessages extends Manager {
  readonly kind: "smart_rollup_add_messages";
  readonly message: readonly string[];
}

export interface ExecuteOutboxMessage extends Manager {
  readonly kind: "smart_rollup_execute_outbox_message";
  readonly rollup: string;
  readonly cemented_commitment: string;
  readonly output_proof: string;
}

export type Content =
  Reveal | Transaction | Origination | Delegation | TransferTicket | AddMessages | ExecuteOutboxMessage;

/** An operation with its signature; `signature` is raw bytes, absent in simulations. */
export interface Operation {
  readonly branch: string;
  readonly contents: readonly Content[];
  readonly signature: Uint8Array | undefined;
}
