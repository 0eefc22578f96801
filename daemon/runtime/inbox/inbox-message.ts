// Messages of the rollup inbox: finds the deposits among them. Layout: Octez `sc_rollup_inbox_message_repr`,
// deposit payload: type of the rollup, `or (pair address ticket) (pair address (pair (option address) ticket))`.
import { isRuntimeAddress } from "../../protocol/runtime-address.ts";
import { encodeAddress } from "../../tezos/address.ts";
import { fromHex } from "../../tezos/hex.ts";
import { MAX_RUNTIME_MUTEZ } from "../../protocol/tez.ts";
import { addressOfKeyHash, asAddress } from "./contract-bytes.ts";
import { asPair, decodeMicheline, type Micheline, PRIM } from "./micheline.ts";
import { asTicket, type Ticket, ticketHash } from "./ticket.ts";

/** Tez that arrived over the bridge. */
export interface TezDeposit {
  readonly kind: "tez";
  readonly receiver: string;
  readonly amount: bigint;
  /** Layer 1 account that signed the operation. */
  readonly source: string;
}

/** Another token that arrived as a ticket. */
export interface FaDeposit {
  readonly kind: "fa";
  readonly receiver: string;
  /** Smart function that takes the tickets over, or null. */
  readonly proxy: string | null;
  readonly amount: bigint;
  readonly ticketHash: string;
  readonly source: string;
}

export interface InboxOptions {
  readonly rollupAddress: string;
  /** Contract whose tickets are tez. */
  readonly exchangerAddress: string;
}

const INTERNAL = 0;
const TRANSFER = 0;
const TRAILER = 20 + 21 + 20; // sender contract, source key hash, destination rollup

/** Deposit in an inbox message (hex), or undefined: all other messages are no business of the runtime. */
export function readDeposit(hex: string, options: InboxOptions): TezDeposit | FaDeposit | undefined {
  const bytes = fromHex(hex);
  if (bytes === undefined || bytes.length < 2 + TRAILER) return undefined;
  if (bytes[0] !== INTERNAL || bytes[1] !== TRANSFER) return undefined;
  const trailer = bytes.subarray(bytes.length - TRAILER);
  if (encodeAddress("sr1", trailer.subarray(41)) !== options.rollupAddress) return undefined;
  const source = addressOfKeyHash(trailer.subarray(20, 41));
  const payload = decodeMicheline(bytes.subarray(2, bytes.length - TRAILER));
  if (source === undefined || source.startsWith("tz4") || payload === undefined || !("prim" in payload))
    return undefined;
  const [receiverValue, rest] = asPair(payload.args[0]) ?? [];
  const receiver = asAddress(receiverValue);
  if (receiver === undefined || !isRuntimeAddress(receiver)) return undefined;
  switch (payload.prim) {
    case PRIM.Left:
      return tezDeposit(receiver, asTicket(rest), source, options);
    case PRIM.Right:
      return faDeposit(receiver, rest, source);
    default:
      return undefined;
  }
}

function tezDeposit(
  receiver: string,
  ticket: Ticket | undefined,
  source: string,
  options: InboxOptions,
): TezDeposit | undefined {
  if (ticket === undefined || ticket.ticketer !== options.exchangerAddress) return undefined;
  if (ticket.id !== 0n || ticket.content !== null || ticket.amount > MAX_RUNTIME_MUTEZ) return undefined;
  return { kind: "tez", receiver, amount: ticket.amount, source };
}

function faDeposit(receiver: string, value: Micheline | undefined, source: string): FaDeposit | undefined {
  const [proxyValue, ticketPart] = asPair(value) ?? [];
  const ticket = asTicket(ticketPart);
  const proxy = asOptionalAddress(proxyValue);
  if (ticket === undefined || proxy === undefined || ticket.amount > MAX_RUNTIME_MUTEZ) return undefined;
  // Rules of the runtime: receivers are tz1 or KT1, proxies are KT1.
  if (!receiver.startsWith("tz1") && !receiver.startsWith("KT1")) return undefined;
  if (proxy !== null && !proxy.startsWith("KT1")) return undefined;
  return { kind: "fa", receiver, proxy, amount: ticket.amount, ticketHash: ticketHash(ticket), source };
}

function asOptionalAddress(value: Micheline | undefined): string | null | undefined {
  if (value === undefined || !("prim" in value)) return undefined;
  if (value.prim === PRIM.None) return null;
  return value.prim === PRIM.Some ? asAddress(value.args[0]) : undefined;
}
