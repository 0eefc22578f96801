// Finds out what a contract's run did with tickets: what its storage gained or lost beside what came with the call, and
// what the operations that it emits carry on. Big maps count by their changes, and by their entries where they come, go
// or are copied as a whole.
// Source of the rules: Octez, `ticket_accounting.ml`, `ticket_lazy_storage_diff.ml`, `ticket_operations_diff.ml`.
import { type Address, isImplicit } from "../../tezos/address.ts";
import type { Job } from "../job.ts";
import { type BigMapDiff } from "../michelson/big-map-diff.ts";
import type { InternalOperation } from "../michelson/internal-operation.ts";
import type { Script } from "../michelson/script.ts";
import { type Type, isDuplicable } from "../michelson/type.ts";
import type { TicketValue, Value } from "../michelson/value.ts";
import type { Execution } from "./execution.ts";
import type { TicketUpdate } from "./receipt.ts";
import { TicketScan, lookForTicketsCost } from "./ticket-scan.ts";
import { TicketSum, TicketsSent, moveTickets } from "./ticket-table.ts";

/** Cost of ticket accounting when nothing holds tickets: nine walks over empty maps. */
const EMPTY_TICKET_MAPS = 9 * 50;

/** A run of a contract, with its big maps extracted but not written. */
export interface Run {
  readonly self: Address;
  readonly script: Script;
  readonly argument: Value;
  readonly before: Value;
  readonly after: Value;
  /** Changes of the big maps of the storage. */
  readonly diffs: readonly BigMapDiff[];
}

export interface TicketDiffs {
  /** What the contract has of each ticket beyond what it had and was given; less than nothing for what it gave away. */
  readonly kept: TicketSum;
  readonly receipt: readonly TicketUpdate[];
}

/** Compares the storages of a run. The state must be that before its big maps are written. */
export function* ticketDiffs(execution: Execution, run: Run): Job<TicketDiffs> {
  const { gas } = execution;
  const { self, script } = run;
  for (const t of [script.parameter, script.storage]) gas.spend(lookForTicketsCost(t));
  gas.spend(EMPTY_TICKET_MAPS);
  const scan = new TicketScan(execution);
  const kept = new TicketSum(gas);
  scan.collect(kept, 1n, script.storage, run.after);
  scan.collect(kept, -1n, script.storage, run.before);
  if (!isDuplicable(script.storage)) for (const diff of run.diffs) yield* collectDiff(scan, kept, diff);
  const receipt = kept.receipt(self);
  yield* scan.collectAll(kept, -1n, script.parameter, run.argument);
  return { kept, receipt };
}

/**
 * Records what a run kept and sent. The big maps of the run and of its operations must have been written.
 * @returns growth of the ticket table in bytes
 * @throws MichelsonError invalid_ticket_transfer, Negative_ticket_balance
 */
export function* recordTickets(
  execution: Execution,
  self: Address,
  kept: TicketSum,
  operations: readonly InternalOperation[],
): Job<bigint> {
  const { context, gas } = execution;
  const scan = new TicketScan(execution);
  const sent = new TicketsSent(gas);
  for (const operation of operations) {
    if (operation.kind === "transaction") {
      const { destination, type, argument } = operation;
      yield* collectSent(scan, sent, destination, type, argument);
    }
    if (operation.kind === "origination") {
      gas.spend(lookForTicketsCost(operation.storageType));
      yield* scan.collectAll(sent.to(operation.address), 1n, operation.storageType, operation.storage);
    }
  }
  return moveTickets(context, self, kept, sent);
}

/** Tickets that a transaction carries. To an implicit account that is one or none, without a search. */
function* collectSent(
  scan: TicketScan,
  sent: TicketsSent,
  destination: Address,
  type: Type,
  argument: Value,
): Job<void> {
  if (isImplicit(destination)) {
    if (type.prim !== "ticket") return;
    const ticket = argument as TicketValue;
    sent.to(destination).add(type.args[0], ticket, ticket.amount);
    return;
  }
  scan.execution.gas.spend(lookForTicketsCost(type));
  yield* scan.collectAll(sent.to(destination), 1n, type, argument);
}

function* collectDiff(scan: TicketScan, kept: TicketSum, diff: BigMapDiff): Job<void> {
  scan.step();
  switch (diff.action) {
    case "remove":
      yield* scan.collectStored(kept, -1n, diff.id);
      return;
    case "update":
      scan.step();
      yield* scan.collectUpdates(kept, diff.id, scan.valueType(diff.id), diff.updates);
      return;
    case "copy":
      yield* scan.collectStored(kept, 1n, diff.source);
      scan.step();
      yield* scan.collectUpdates(kept, diff.source, scan.valueType(diff.source), diff.updates);
      return;
    case "alloc":
      yield* scan.collectUpdates(kept, diff.id, diff.valueType, diff.updates);
  }
}
