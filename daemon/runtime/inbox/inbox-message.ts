// Finds the deposits among the messages of the rollup inbox. Payload: type of the rollup, `or (pair address ticket)
// (pair address (pair (option address) ticket))`.
import { isRuntimeAddress } from "../../protocol/runtime-address.ts";
import { MAX_RUNTIME_MUTEZ } from "../../protocol/tez.ts";
import type { Address } from "../../tezos/address.ts";
import { fromHex } from "../../tezos/hex.ts";
import { readTransfer } from "../../tezos/inbox-message.ts";
import { asOption, asPair } from "../../tezos/micheline-data.ts";
import { isPrim, type Micheline } from "../../tezos/micheline.ts";
import { type Mutez, mutez } from "../../tezos/mutez.ts";
import { asAddress } from "./deposit-value.ts";
import { asTicket, type Ticket, type TicketHash, ticketHash } from "./ticket.ts";

/** Tez that arrived over the bridge. */
export interface TezDeposit {
  readonly kind: "tez";
  readonly receiver: Address;
  readonly amount: Mutez;
  /** Layer 1 account that signed the operation. */
  readonly source: Address;
}

/** Another token that arrived as a ticket. */
export interface FaDeposit {
  readonly kind: "fa";
  readonly receiver: Address;
  /** Smart function that receives the tickets, or null. */
  readonly proxy: Address | null;
  readonly amount: bigint;
  readonly ticketHash: TicketHash;
  readonly source: Address;
}

export interface InboxOptions {
  readonly rollupAddress: string;
  /** Contract whose tickets are tez. */
  readonly exchangerAddress: string;
}

/** Deposit in an inbox message (hex), or undefined: the runtime ignores all other messages. */
export function readDeposit(hex: string, options: InboxOptions): TezDeposit | FaDeposit | undefined {
  const bytes = fromHex(hex);
  const transfer = bytes && readTransfer(bytes);
  if (transfer === undefined || transfer.rollup !== options.rollupAddress) return undefined;
  const { payload, source } = transfer;
  if (source.startsWith("tz4") || !isPrim(payload)) return undefined;
  const [receiverValue, rest] = asPair(payload.args?.[0]) ?? [];
  const receiver = asAddress(receiverValue);
  if (receiver === undefined || !isRuntimeAddress(receiver)) return undefined;
  switch (payload.prim) {
    case "Left":
      return tezDeposit(receiver, asTicket(rest), source, options);
    case "Right":
      return faDeposit(receiver, rest, source);
    default:
      return undefined;
  }
}

function tezDeposit(
  receiver: Address,
  ticket: Ticket | undefined,
  source: Address,
  options: InboxOptions,
): TezDeposit | undefined {
  if (ticket === undefined || ticket.ticketer !== options.exchangerAddress) return undefined;
  if (ticket.id !== 0n || ticket.content !== null || ticket.amount > MAX_RUNTIME_MUTEZ) return undefined;
  return { kind: "tez", receiver, amount: mutez(ticket.amount), source };
}

function faDeposit(receiver: Address, value: Micheline | undefined, source: Address): FaDeposit | undefined {
  const [proxyValue, ticketPart] = asPair(value) ?? [];
  const ticket = asTicket(ticketPart);
  const proxy = asOptionalAddress(proxyValue);
  if (ticket === undefined || proxy === undefined || ticket.amount > MAX_RUNTIME_MUTEZ) return undefined;
  // Rules of the runtime: receivers are tz1 or KT1, proxies are KT1.
  if (!receiver.startsWith("tz1") && !receiver.startsWith("KT1")) return undefined;
  if (proxy !== null && !proxy.startsWith("KT1")) return undefined;
  return { kind: "fa", receiver, proxy, amount: ticket.amount, ticketHash: ticketHash(ticket), source };
}

function asOptionalAddress(value: Micheline | undefined): Address | null | undefined {
  const inner = asOption(value);
  return inner === null ? null : asAddress(inner);
}
