// Withdrawals in the rollup's messages to layer 1: a ticket returned to a contract, for a receiver.
import type { Address } from "../../tezos/address.ts";
import { prim } from "../../tezos/micheline.ts";
import { encodeOutboxMessage } from "../../tezos/outbox-message.ts";
import { addressValue } from "./deposit-value.ts";
import { type Ticket, ticketValue } from "./ticket.ts";

export interface TicketReturn {
  readonly destination: Address;
  readonly entrypoint: string;
  readonly receiver: Address;
  readonly ticket: Ticket;
}

/** Bytes of the outbox message. */
export function ticketReturnMessage({ destination, entrypoint, receiver, ticket }: TicketReturn): Uint8Array {
  const parameters = prim("Pair", addressValue(receiver), ticketValue(ticket));
  return encodeOutboxMessage([{ parameters, destination, entrypoint }]);
}
