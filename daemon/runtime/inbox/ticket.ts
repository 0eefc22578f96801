// Tickets as they travel between layer 1 and the runtime: ticketer, contents `(nat, option bytes)`, amount.
import { blake2b256 } from "../../tezos/blake2b.ts";
import { toHex } from "../../tezos/hex.ts";
import { asAddress, bytesOfAddress } from "./contract-bytes.ts";
import { asPair, encodeMicheline, type Micheline, pair, PRIM } from "./micheline.ts";

export interface TicketKind {
  readonly ticketer: string;
  readonly id: bigint;
  readonly content: Uint8Array | null;
}

export interface Ticket extends TicketKind {
  readonly amount: bigint;
}

/** Ticket of a Micheline value, or undefined when it has another form. */
export function asTicket(value: Micheline | undefined): Ticket | undefined {
  const [ticketerValue, rest] = asPair(value) ?? [];
  const [contents, amount] = asPair(rest) ?? [];
  const [id, content] = asPair(contents) ?? [];
  const ticketer = asAddress(ticketerValue);
  if (ticketer === undefined || id === undefined || !("int" in id) || id.int < 0n) return undefined;
  if (amount === undefined || !("int" in amount) || amount.int < 0n) return undefined;
  const bytes = asOptionalBytes(content);
  return bytes === undefined ? undefined : { ticketer, id: id.int, content: bytes, amount: amount.int };
}

function asOptionalBytes(value: Micheline | undefined): Uint8Array | null | undefined {
  if (value === undefined || !("prim" in value)) return undefined;
  if (value.prim === PRIM.None) return null;
  const inner = value.args[0];
  return value.prim === PRIM.Some && inner !== undefined && "bytes" in inner ? inner.bytes : undefined;
}

function contentsOf(kind: TicketKind): Micheline {
  const content: Micheline =
    kind.content === null
      ? { prim: PRIM.None, args: [] }
      : { prim: PRIM.Some, args: [{ bytes: kind.content }] };
  return pair({ int: kind.id }, content);
}

/** Micheline value of a ticket, in optimized form. */
export function ticketValue(ticket: Ticket): Micheline {
  const ticketer: Micheline = { bytes: bytesOfAddress(ticket.ticketer) };
  return pair(ticketer, pair(contentsOf(ticket), { int: ticket.amount }));
}

/** Hex hash under which the runtime keeps a kind of ticket (rule of the rollup kernel's ticket library). */
export function ticketHash(kind: TicketKind): string {
  return hashOf(kind.ticketer, contentsOf(kind));
}

/** Hash of a ticketer and any contents. */
export function hashOf(ticketer: string, contents: Micheline): string {
  const address = encodeMicheline({ bytes: bytesOfAddress(ticketer) });
  return toHex(blake2b256(Buffer.concat([address, encodeMicheline(contents)])));
}
