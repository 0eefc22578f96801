// Outbox messages: calls that the rollup wants layer 1 to make. Source of the format: Octez,
// `sc_rollup_outbox_message_repr.ml` (tag 0, untyped batch of transactions).

import { type Address, addressBytes, isOriginated, readAddress } from "./address.ts";
import { ByteReader, MalformedBytes } from "./byte-reader.ts";
import { ByteWriter } from "./byte-writer.ts";
import { readMicheline, writeMicheline } from "./micheline-binary.ts";
import type { Micheline } from "./micheline.ts";

/** A call from the rollup to a contract of layer 1. */
export interface OutboxTransaction {
  readonly parameters: Micheline;
  readonly destination: Address;
  readonly entrypoint: string;
}

const UNTYPED_BATCH = 0;

/** Bytes of a message. @throws MalformedBytes when a destination is not an address */
export function encodeOutboxMessage(transactions: readonly OutboxTransaction[]): Uint8Array {
  const writer = new ByteWriter().byte(UNTYPED_BATCH);
  writer.measured(() => {
    for (const { parameters, destination, entrypoint } of transactions) {
      const address = addressBytes(destination);
      if (!address) throw new MalformedBytes(`${destination} is not an address`);
      writeMicheline(writer, parameters);
      writer.bytes(address).sized(Buffer.from(entrypoint, "latin1"));
    }
  });
  return writer.finish();
}

/** Transactions of a message. @throws MalformedBytes */
export function decodeOutboxMessage(bytes: Uint8Array): readonly OutboxTransaction[] {
  const reader = new ByteReader(bytes);
  if (reader.byte() !== UNTYPED_BATCH) throw new MalformedBytes("not an untyped batch of transactions");
  const batch = reader.slice(reader.uint32());
  reader.expectEnd();
  const transactions: OutboxTransaction[] = [];
  while (batch.left > 0) {
    const parameters = readMicheline(batch);
    const destination = readAddress(batch);
    if (!isOriginated(destination)) throw new MalformedBytes("destination is not a contract");
    const entrypoint = Buffer.from(batch.take(batch.uint32())).toString("latin1") || "default";
    transactions.push({ parameters, destination, entrypoint });
  }
  if (transactions.length === 0) throw new MalformedBytes("empty batch");
  return transactions;
}
