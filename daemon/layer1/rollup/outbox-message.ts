// Outbox messages: what the rollup asks layer 1 to do. Source of the format: Octez,
// `sc_rollup_outbox_message_repr.ml` (tag 0, untyped batch of transactions).
import { isOriginated, readAddress } from "../../tezos/address.ts";
import { ByteReader, MalformedBytes } from "../../tezos/byte-reader.ts";
import { readMicheline } from "../../tezos/micheline-binary.ts";
import type { OutboxTransaction } from "../operations/execution.ts";

const UNTYPED_BATCH = 0;

/** @throws MalformedBytes */
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
