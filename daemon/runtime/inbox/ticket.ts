// Tickets as exchanged between layer 1 and the runtime: ticketer, contents `(nat, option bytes)`, amount.
import type { Address } from "../../tezos/address.ts";
import { blake2b256 } from "../../tezos/blake2b.ts";
import type { Branded } from "../../tezos/brand.ts";
import { toHex } from "../../tezos/hex.ts";
import { encodeMicheline } from "../../tezos/micheline-binary.ts";
import { asBytes, asNatural, asOption, asPair } from "../../tezos/micheline-data.ts";
import { type Micheline, prim } from "../../tezos/micheline.ts";
import { addressValue, asAddress } from "./deposit-value.ts";

/** The runtime's key for a kind of ticket: 64 hex digits. */
export type TicketHash = Branded<string, "TicketHash">;

export interface TicketKind {
  readonly ticketer: Address;
  readonly id: bigint;
  readonly content: Uint8Array | null;
}

export interface Ticket extends TicketKind {
  readonly amount: bigint;
}

/** Ticket of a Micheline value, or undefined when it has another form. */
export function asTicket(value: Micheline | undefined): Ticket | undefined {
  const [ticketerValue, rest] = asPair(value) ?? [];
  const [contents, amountValue] = asPair(rest) ?? [];
  const [idValue, contentValue] = asPair(contents) ?? [];
  const ticketer = asAddress(ticketerValue);
  const id = asNatural(idValue);
  const amount = asNatural(amountValue);
  const content = asOptionalBytes(contentValue);
  if (ticketer === undefined || id === undefined || amount === undefined || content === undefined)
    return undefined;
  return { ticketer, id, content, amount };
}

function asOptionalBytes(value: Micheline | undefined): Uint8Array | null | undefined {
  const inner = asOption(value);
  return inner === null ? null : asBytes(inner);
}

function contentsOf({ id, content }: TicketKind): Micheline {
  const option = content === null ? prim("None") : prim("Some", { bytes: toHex(content) });
  return prim("Pair", { int: id.toString() }, option);
}

/** Micheline value of a ticket, in optimized form. */
export function ticketValue(ticket: Ticket): Micheline {
  const inner = prim("Pair", contentsOf(ticket), { int: ticket.amount.toString() });
  return prim("Pair", addressValue(ticket.ticketer), inner);
}

/** Hex hash by which the runtime keeps a kind of ticket (rule of the rollup kernel's ticket library). */
export function ticketHash(kind: TicketKind): TicketHash {
  return hashOf(kind.ticketer, contentsOf(kind));
}

/** Hash of a ticketer and arbitrary contents. */
export function hashOf(ticketer: Address, contents: Micheline): TicketHash {
  const address = encodeMicheline(addressValue(ticketer));
  return toHex(blake2b256(Buffer.concat([address, encodeMicheline(contents)]))) as TicketHash;
}
