// TzKT's names for the kinds of operations, and the fields of those other than contract calls.
import { PackedNode } from "./packed-node.ts";
import type { RpcContent, RpcResult } from "./rpc-block.ts";
import { ShownValue } from "./shown-value.ts";

const TYPES: Readonly<Record<string, string>> = {
  register_global_constant: "register_constant",
  update_consensus_key: "update_secondary_key",
  update_companion_key: "update_secondary_key",
  smart_rollup_add_messages: "sr_add_messages",
  smart_rollup_cement: "sr_cement",
  smart_rollup_execute_outbox_message: "sr_execute",
  smart_rollup_originate: "sr_originate",
  smart_rollup_publish: "sr_publish",
  smart_rollup_recover_bond: "sr_recover_bond",
  smart_rollup_refute: "sr_refute",
};

/** Name of a kind in the field `type`. */
export const operationType = (kind: string): string => TYPES[kind] ?? kind;

/** Path names of operation lists, with the type of their rows. */
export const OPERATION_LISTS: ReadonlyMap<string, string> = new Map([
  ["transactions", "transaction"],
  ["originations", "origination"],
  ["delegations", "delegation"],
  ["reveals", "reveal"],
  ["register_constants", "register_constant"],
  ["set_deposits_limits", "set_deposits_limit"],
  ["transfer_ticket", "transfer_ticket"],
  ["increase_paid_storage", "increase_paid_storage"],
  ["update_secondary_key", "update_secondary_key"],
  ["update_consensus_key", "update_secondary_key"],
  ["sr_add_messages", "sr_add_messages"],
  ["sr_cement", "sr_cement"],
  ["sr_execute", "sr_execute"],
  ["sr_originate", "sr_originate"],
  ["sr_publish", "sr_publish"],
  ["sr_recover_bond", "sr_recover_bond"],
  ["sr_refute", "sr_refute"],
]);

/** Fields specific to these kinds. */
export function otherFields(content: RpcContent, result: RpcResult): object {
  const { rollup, ticket_ty: ticketType, ticket_contents: contents } = content;
  switch (content.kind) {
    case "register_global_constant":
      return {
        ...(result.global_address !== undefined && { address: result.global_address }),
        ...(content.value && { value: content.value }),
      };
    case "set_deposits_limit":
      return { limit: content.limit === undefined ? null : BigInt(content.limit) };
    case "transfer_ticket":
      return {
        target: { address: content.destination ?? "" },
        ticketer: { address: content.ticket_ticketer ?? "" },
        amount: content.ticket_amount ?? "0",
        entrypoint: content.entrypoint ?? "default",
        ...(ticketType && { contentType: ticketType }),
        ...(contents && { content: new ShownValue(ticketType && new PackedNode(ticketType), contents) }),
      };
    case "increase_paid_storage":
      return { contract: { address: content.destination ?? "" }, amount: content.amount ?? "0" };
    case "update_consensus_key":
    case "update_companion_key":
      return {
        keyType: content.kind === "update_consensus_key" ? "consensus" : "companion",
        publicKey: content.pk,
      };
    case "smart_rollup_originate":
      return {
        pvmKind: content.pvm_kind,
        ...(result.address !== undefined && { rollup: { address: result.address } }),
      };
    case "smart_rollup_add_messages":
      return { messagesCount: content.message?.length ?? 0 };
    case "smart_rollup_publish":
    case "smart_rollup_cement":
    case "smart_rollup_execute_outbox_message":
    case "smart_rollup_recover_bond":
      return { rollup: rollup === undefined ? null : { address: rollup } };
    default:
      return {};
  }
}
