// Messages to layer 1: an untyped batch of one transaction that hands a ticket back to a contract.
import { bytesOfAddress } from "./contract-bytes.ts";
import { encodeMicheline, pair } from "./micheline.ts";
import { type Ticket, ticketValue } from "./ticket.ts";

export interface TicketReturn {
  readonly destination: string;
  readonly entrypoint: string;
  readonly receiver: string;
  readonly ticket: Ticket;
}

const UNTYPED_BATCH = 0;

/** Bytes of the outbox message. */
export function encodeOutboxMessage(message: TicketReturn): Uint8Array {
  const parameter = pair({ bytes: bytesOfAddress(message.receiver) }, ticketValue(message.ticket));
  const entrypoint = Buffer.from(message.entrypoint, "utf8");
  const transaction = Buffer.concat([
    encodeMicheline(parameter),
    bytesOfAddress(message.destination),
    lengthOf(entrypoint),
    entrypoint,
  ]);
  return Buffer.concat([Buffer.of(UNTYPED_BATCH), lengthOf(transaction), transaction]);
}

function lengthOf(bytes: Uint8Array): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return length;
}
