// One content of an operation with everything it sets off: internal operations run depth first, in the order
// in which scripts emit them.
import { isImplicit } from "../../tezos/address.ts";
import type { Job } from "../job.ts";
import { CHECK_DATUM } from "../michelson/costs.ts";
import type { InternalOperation } from "../michelson/internal-operation.ts";
import { countNodes } from "../../tezos/micheline.ts";
import { MichelsonError, permanent } from "../michelson/michelson-error.ts";
import { parseValue } from "../michelson/parse-value.ts";
import { UNIT as UNIT_TYPE, parseType, plainType, type } from "../michelson/type.ts";
import { unparseValue } from "../michelson/unparse-value.ts";
import type { TicketValue, Value } from "../michelson/value.ts";
import { addInboxMessage } from "../state/inbox.ts";
import { externalMessage } from "../../tezos/inbox-message.ts";
import { MAX_MESSAGE_BYTES } from "../../tezos/parameters.ts";
import { markExecuted } from "../state/executed.ts";
import { applyOrigination, requireDelegate } from "./apply-origination.ts";
import { type Applied, applyCall } from "./apply-transaction.ts";
import type { Content, ExecuteOutboxMessage, TransferTicket } from "../../tezos/content.ts";
import { type Execution, nextContract, takeReceipt } from "./execution.ts";
import { type AppliedParts, type InternalReceipt, type Result, errorsJson, unlessEmpty } from "./receipt.ts";
import { TicketChanges } from "./ticket-table.ts";
import { failureOf } from "./unexpected-failure.ts";
import { dataScope, entrypointType } from "./world.ts";

/** Milligas of any manager operation before it does anything. */
export const MANAGER_GAS = 100_000;
const REVEAL_GAS = 150_000;
const MESSAGE_GAS = 150_000;
const EVENT_GAS = 1_000;

const UNIT = { prim: "Unit" } as const;

export interface ContentOutcome {
  readonly isApplied: boolean;
  readonly result: Result;
  readonly internal: readonly InternalReceipt[];
}

/** Applies a content to the state of the execution; on failure the caller drops that state. */
export function* applyContent(execution: Execution, content: Content): Job<ContentOutcome> {
  const { gas } = execution;
  const internal: InternalReceipt[] = [];
  let top: AppliedParts | undefined;
  try {
    gas.spend(MANAGER_GAS);
    const { parts, emitted } = yield* applyTop(execution, content);
    top = { ...parts, consumed_milligas: gas.used.toString() };
    yield* runInternal(execution, emitted, internal);
    return { isApplied: true, result: { status: "applied", ...top }, internal };
  } catch (error) {
    const errors = errorsJson(failureOf(error, execution.block.onFault).errors);
    const backtracked = internal.map((receipt): InternalReceipt =>
      receipt.result.status === "applied"
        ? { ...receipt, result: { ...receipt.result, status: "backtracked" } }
        : receipt,
    );
    if (top) return { isApplied: false, result: { status: "backtracked", ...top }, internal: backtracked };
    return { isApplied: false, result: { status: "failed", errors }, internal: backtracked };
  }
}

function* applyTop(execution: Execution, content: Content): Job<Applied> {
  const { context, gas } = execution;
  switch (content.kind) {
    case "reveal": {
      gas.spend(REVEAL_GAS);
      const account = context.account(content.source)!; // validated: the source exists
      context.setAccount(content.source, { ...account, key: content.public_key });
      return { parts: {}, emitted: [] };
    }
    case "transaction":
      return yield* applyCall(execution, {
        sender: content.source,
        destination: content.destination,
        amount: BigInt(content.amount),
        entrypoint: content.parameters?.entrypoint ?? "default",
        argument: { from: "user", value: content.parameters?.value ?? UNIT },
      });
    case "origination":
      return {
        parts: applyOrigination(execution, {
          sender: content.source,
          address: nextContract(execution),
          balance: BigInt(content.balance),
          delegate: content.delegate,
          code: content.script.code,
          storage: { expression: content.script.storage },
        }),
        emitted: [],
      };
    case "delegation":
      setDelegate(execution, content.source, content.delegate);
      return { parts: {}, emitted: [] };
    case "transfer_ticket":
      return yield* transferTicket(execution, content);
    case "smart_rollup_add_messages": {
      for (const message of content.message) {
        gas.spend(MESSAGE_GAS);
        gas.spendBytes(message.length / 2);
        if (message.length / 2 + 1 > MAX_MESSAGE_BYTES)
          throw new MichelsonError(permanent("smart_rollup_inbox_message_encoding"));
      }
      addInboxMessage(context, ...content.message.map(externalMessage));
      return { parts: {}, emitted: [] };
    }
    case "smart_rollup_execute_outbox_message":
      return executeOutbox(execution, content);
  }
}

/** Delegation is recorded and shown; there is no consensus that it could matter for. */
function setDelegate(execution: Execution, source: string, delegate: string | undefined): void {
  const account = execution.context.account(source)!;
  if (delegate !== undefined && delegate !== source) requireDelegate(execution, delegate);
  if (account.delegate === source && delegate === undefined)
    throw new MichelsonError(permanent("delegate.no_deletion", { delegate: source }));
  execution.context.setAccount(source, { ...account, delegate });
}

function* transferTicket(execution: Execution, content: TransferTicket): Job<Applied> {
  execution.gas.spend(CHECK_DATUM * (countNodes(content.ticket_ty) + countNodes(content.ticket_contents)));
  const contentsType = parseType(content.ticket_ty);
  const contents = parseValue(contentsType, content.ticket_contents, dataScope(execution));
  const ticket: TicketValue = {
    ticketer: content.ticket_ticketer,
    contents,
    amount: BigInt(content.ticket_amount),
  };
  if (ticket.amount === 0n) throw new MichelsonError(permanent("forbidden_zero_amount_ticket"));
  const changes = new TicketChanges(execution.gas);
  changes.add(content.source, contentsType, ticket, -ticket.amount);
  changes.add(content.destination, contentsType, ticket, ticket.amount);
  const updates = changes.apply(execution.context);
  const { parts, emitted } = yield* applyCall(execution, {
    sender: content.source,
    destination: content.destination,
    amount: 0n,
    entrypoint: content.entrypoint,
    argument: { from: "script", type: type("ticket", contentsType), value: ticket },
  });
  const { ticket_receipt: further = [], ...rest } = parts;
  return { parts: { ...rest, ...unlessEmpty("ticket_updates", [...updates, ...further]) }, emitted };
}

/** Messages that the rollup sends out: each transaction is a call by the rollup, with tickets it holds. */
function executeOutbox(execution: Execution, content: ExecuteOutboxMessage): Applied {
  const { context, block } = execution;
  if (content.rollup !== block.rollup.address)
    throw new MichelsonError(permanent("smart_rollup_does_not_exist", { rollup: content.rollup }));
  const batch = block.rollup.outboxMessage(block.level, content.cemented_commitment, content.output_proof);
  markExecuted(context, batch.outboxLevel, batch.index);
  const updates: object[] = [];
  const emitted: InternalOperation[] = [];
  for (const transaction of batch.transactions) {
    const { type: argumentType, value } = outboxArgument(execution, transaction);
    const changes = new TicketChanges(execution.gas);
    changes.collect(content.rollup, -1n, argumentType, value);
    changes.collect(transaction.destination, 1n, argumentType, value);
    updates.push(...changes.apply(context));
    const written = unparseValue(argumentType, value, "optimized", execution.gas);
    takeReceipt(execution, written);
    emitted.push({
      kind: "transaction",
      source: content.rollup,
      nonce: execution.counters.nonce++,
      amount: 0n,
      destination: transaction.destination,
      entrypoint: transaction.entrypoint,
      type: argumentType,
      argument: value,
      written,
    });
  }
  return { parts: unlessEmpty("ticket_updates", updates) as Applied["parts"], emitted };
}

function outboxArgument(
  execution: Execution,
  transaction: { destination: string; entrypoint: string; parameters: Parameters<typeof parseValue>[1] },
): { type: ReturnType<typeof parseType>; value: Value } {
  const { destination, entrypoint, parameters } = transaction;
  const found = isImplicit(destination)
    ? undefined
    : entrypointType(execution, destination, entrypoint, UNIT_TYPE);
  if (!found) throw new MichelsonError(permanent("michelson_v1.no_such_entrypoint", { entrypoint }));
  return { type: found, value: parseValue(found, parameters, dataScope(execution, true)) };
}

function* runInternal(
  execution: Execution,
  emitted: readonly InternalOperation[],
  receipts: InternalReceipt[],
): Job<void> {
  // The next one is last: what an operation emits comes before all that waits.
  const waiting = emitted.toReversed();
  for (let operation = waiting.pop(); operation; operation = waiting.pop()) {
    const usedBefore = execution.gas.used;
    try {
      const { parts, emitted: further } = yield* applyInternal(execution, operation);
      const consumed_milligas = (execution.gas.used - usedBefore).toString();
      receipts.push(receiptOf(operation, { status: "applied", ...parts, consumed_milligas }));
      for (const next of further.toReversed()) waiting.push(next);
    } catch (error) {
      const failure = failureOf(error, execution.block.onFault);
      receipts.push(receiptOf(operation, { status: "failed", errors: errorsJson(failure.errors) }));
      for (const skipped of waiting.toReversed()) receipts.push(receiptOf(skipped, { status: "skipped" }));
      throw failure;
    }
  }
}

function* applyInternal(execution: Execution, operation: InternalOperation): Job<Applied> {
  switch (operation.kind) {
    case "transaction":
      execution.gas.spend(MANAGER_GAS);
      return yield* applyCall(execution, {
        sender: operation.source,
        destination: operation.destination,
        amount: operation.amount,
        entrypoint: operation.entrypoint,
        argument: { from: "script", type: operation.type, value: operation.argument },
      });
    case "origination":
      execution.gas.spend(MANAGER_GAS);
      return {
        parts: applyOrigination(execution, {
          sender: operation.source,
          address: operation.address,
          balance: operation.balance,
          delegate: operation.delegate,
          code: operation.code,
          storage: { value: operation.storage },
        }),
        emitted: [],
      };
    case "delegation":
      execution.gas.spend(MANAGER_GAS);
      setDelegate(execution, operation.source, operation.delegate);
      return { parts: {}, emitted: [] };
    case "event":
      execution.gas.spend(EVENT_GAS);
      return { parts: {}, emitted: [] };
  }
}

function receiptOf(operation: InternalOperation, result: Result): InternalReceipt {
  const base = { kind: operation.kind, source: operation.source, nonce: operation.nonce };
  switch (operation.kind) {
    case "transaction": {
      const value = operation.written;
      const isPlain = operation.entrypoint === "default" && "prim" in value && value.prim === "Unit";
      const parameters = isPlain ? {} : { parameters: { entrypoint: operation.entrypoint, value } };
      return {
        ...base,
        amount: operation.amount.toString(),
        destination: operation.destination,
        ...parameters,
        result,
      };
    }
    case "origination": {
      const script = {
        code: operation.code,
        storage: operation.written,
      };
      const delegate = operation.delegate === undefined ? {} : { delegate: operation.delegate };
      return { ...base, balance: operation.balance.toString(), ...delegate, script, result };
    }
    case "delegation":
      return { ...base, ...(operation.delegate !== undefined && { delegate: operation.delegate }), result };
    case "event": {
      return {
        ...base,
        type: plainType(operation.type),
        ...(operation.tag !== undefined && { tag: operation.tag }),
        payload: operation.written,
        result,
      };
    }
  }
}
