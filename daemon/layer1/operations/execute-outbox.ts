// Executes the rollup's outbox messages on layer 1.
import { type Address, isImplicit } from "../../tezos/address.ts";
import type { ExecuteOutboxMessage } from "../../tezos/content.ts";
import { NO_TEZ } from "../../tezos/mutez.ts";
import type { Job } from "../job.ts";
import type { InternalOperation } from "../michelson/internal-operation.ts";
import { MichelsonError, permanent } from "../michelson/michelson-error.ts";
import { type parseType } from "../michelson/parse-type.ts";
import { readValue } from "../michelson/parse-value.ts";
import { unparseWithRests } from "../michelson/unparse-value.ts";
import type { Value } from "../michelson/value.ts";
import { markExecuted } from "../state/executed.ts";
import { type Applied } from "./apply-transaction.ts";
import { type Execution, countInReceipt } from "./execution.ts";
import { dataScope, entrypointType } from "./read-data.ts";
import { type TicketUpdate, unlessEmpty } from "./receipt.ts";
import { TicketScan } from "./ticket-scan.ts";
import { TicketsSent, giveTicket, payForTickets, ticketUpdate } from "./ticket-table.ts";

/** Executes an outbox message: each transaction is a call by the rollup, with tickets it owns. */
export function* executeOutbox(execution: Execution, content: ExecuteOutboxMessage): Job<Applied> {
  const { context, block } = execution;
  if (content.rollup !== block.rollup.address)
    throw new MichelsonError(permanent("smart_rollup_does_not_exist", { rollup: content.rollup }));
  const batch = block.rollup.outboxMessage(block.level, content.cemented_commitment, content.output_proof);
  markExecuted(context, batch.outboxLevel, batch.index);
  const emitted: InternalOperation[] = [];
  const sent = new TicketsSent(execution.gas);
  const scan = new TicketScan(execution);
  for (const transaction of batch.transactions) {
    const { type: argumentType, value } = yield* outboxArgument(execution, transaction);
    yield* scan.collectAll(sent.to(transaction.destination), 1n, argumentType, value);
    const written = yield* unparseWithRests(argumentType, value, "optimized", execution.gas);
    countInReceipt(execution, written);
    emitted.push({
      kind: "transaction",
      source: content.rollup,
      nonce: execution.counters.nonce++,
      amount: NO_TEZ,
      destination: transaction.destination,
      entrypoint: transaction.entrypoint,
      type: argumentType,
      argument: value,
      written,
      diffs: [],
    });
  }
  let bytes = 0n;
  const updates: TicketUpdate[] = [];
  for (const [id, token] of sent.tokens) {
    for (const [owner, amount] of token.to)
      bytes += payForTickets(context, giveTicket(context, content.rollup, owner, [id, token], amount));
    updates.push(ticketUpdate(token.type, token.ticket, [[content.rollup, -token.amount]]));
  }
  return {
    parts: {
      ...unlessEmpty("ticket_updates", updates),
      ...(bytes > 0n && { paid_storage_size_diff: bytes.toString() }),
    },
    emitted,
    owed: { bytes, isNew: false, order: ["bytes", "moved"] },
  };
}

function* outboxArgument(
  execution: Execution,
  transaction: { destination: Address; entrypoint: string; parameters: Parameters<typeof readValue>[1] },
): Job<{ type: ReturnType<typeof parseType>; value: Value }> {
  const { destination, entrypoint, parameters } = transaction;
  const found = isImplicit(destination)
    ? undefined
    : entrypointType(execution, destination, entrypoint, execution.gas);
  if (!found) throw new MichelsonError(permanent("michelson_v1.no_such_entrypoint", { entrypoint }));
  const scope = dataScope(execution, { allowTickets: true });
  return { type: found, value: yield* readValue(found, parameters, scope) };
}
