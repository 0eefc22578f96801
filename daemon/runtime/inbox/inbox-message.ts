// Finds the deposits among the messages of the rollup inbox. Payload: type of the rollup, `or (pair address ticket)
// (pair address (pair (option address) ticket))`.
import { isRuntimeAddress } from "../../protocol/runtime-address.ts";
import { MAX_RUNTIME_MUTEZ } from "../../protocol/tez-text.ts";
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
  /** May exceed 64 bits, up to which the real runtime accepts tickets. */
  readonly amount: bigint;
  readonly ticketHash: TicketHash;
  readonly source: Address;
}

export interface InboxOptions {
  readonly rollupAddress: string;
  /** Contract whose tickets are tez. */
  readonly exchangerAddress: string;
}

/**
 * Largest amount of a ticket. The real runtime ignores tickets of 2^64 and more, and what they stand for is lost; here
 * they are credited, up to what tokens on other chains can be.
 */
const MOST_TICKETS = 2n ** 256n - 1n;

/** A transfer to the rollup that is no deposit: what it carries stays with the rollup. */
export interface IgnoredTransfer {
  readonly kind: "ignored";
  /** Part of a sentence. */
  readonly reason: string;
}

/** Deposit in an inbox message (hex); undefined when the message is no transfer to this rollup. */
export function readDeposit(
  hex: string,
  options: InboxOptions,
): TezDeposit | FaDeposit | IgnoredTransfer | undefined {
  const bytes = fromHex(hex);
  const transfer = bytes && readTransfer(bytes);
  if (transfer === undefined || transfer.rollup !== options.rollupAddress) return undefined;
  const { payload, source } = transfer;
  if (source.startsWith("tz4"))
    return ignoredTransfer("it comes from a tz4 account, which the runtime does not have");
  if (!isPrim(payload)) return ignoredTransfer("its argument has not the form of a deposit");
  const [receiverValue, rest] = asPair(payload.args?.[0]) ?? [];
  const receiver = asAddress(receiverValue);
  if (receiver === undefined) return ignoredTransfer("its argument has not the form of a deposit");
  if (!isRuntimeAddress(receiver)) return ignoredTransfer(`the runtime has no account ${receiver}`);
  switch (payload.prim) {
    case "Left":
      return tezDeposit(receiver, asTicket(rest), source, options);
    case "Right":
      return faDeposit(receiver, rest, source);
    default:
      return ignoredTransfer("its argument has not the form of a deposit");
  }
}

const ignoredTransfer = (reason: string): IgnoredTransfer => ({ kind: "ignored", reason });

function tezDeposit(
  receiver: Address,
  ticket: Ticket | undefined,
  source: Address,
  options: InboxOptions,
): TezDeposit | IgnoredTransfer {
  if (ticket === undefined) return ignoredTransfer("its argument has not the form of a deposit");
  if (ticket.ticketer !== options.exchangerAddress || ticket.id !== 0n || ticket.content !== null)
    return ignoredTransfer("its ticket does not stand for tez of the bridge");
  if (ticket.amount > MAX_RUNTIME_MUTEZ)
    return ignoredTransfer(`${ticket.amount} mutez are more than there can be`);
  return { kind: "tez", receiver, amount: mutez(ticket.amount), source };
}

function faDeposit(
  receiver: Address,
  value: Micheline | undefined,
  source: Address,
): FaDeposit | IgnoredTransfer {
  const [proxyValue, ticketPart] = asPair(value) ?? [];
  const ticket = asTicket(ticketPart);
  const proxy = asOptionalAddress(proxyValue);
  if (ticket === undefined || proxy === undefined)
    return ignoredTransfer("its argument has not the form of a deposit");
  // Rules of the runtime: receivers are tz1 or KT1, proxies are KT1.
  if (!receiver.startsWith("tz1") && !receiver.startsWith("KT1"))
    return ignoredTransfer(`tickets go to tz1 and KT1 accounts, not to ${receiver}`);
  if (ticket.amount > MOST_TICKETS)
    return ignoredTransfer("its ticket is of 2^256 or more, which is more than the runtime counts");
  if (proxy !== null && !proxy.startsWith("KT1"))
    return ignoredTransfer(`the proxy ${proxy} is no smart function`);
  return { kind: "fa", receiver, proxy, amount: ticket.amount, ticketHash: ticketHash(ticket), source };
}

function asOptionalAddress(value: Micheline | undefined): Address | null | undefined {
  const inner = asOption(value);
  return inner === null ? null : asAddress(inner);
}
