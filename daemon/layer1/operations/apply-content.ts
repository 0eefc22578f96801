// One content of an operation with everything it sets off: internal operations run depth first, in the order
// in which scripts emit them.
import { bytesOfAddress, isImplicit } from "../../tezos/address.ts";
import { toHex } from "../../tezos/hex.ts";
import type { Job } from "../job.ts";
import { deserializeCost } from "../michelson/check-costs.ts";
import type { InternalOperation } from "../michelson/internal-operation.ts";
import { encodeMicheline } from "../../tezos/micheline-binary.ts";
import { MichelsonError, permanent, temporary } from "../michelson/michelson-error.ts";
import { parseValue } from "../michelson/parse-value.ts";
import { TYPE_RULES, parseType, type } from "../michelson/type.ts";
import { unparseValue } from "../michelson/unparse-value.ts";
import type { TicketValue, Value } from "../michelson/value.ts";
import { addInboxMessage, externalMessageCost, messageCost } from "../state/inbox.ts";
import { externalMessage } from "../../tezos/inbox-message.ts";
import { MAX_MESSAGE_BYTES, MAX_MUTEZ } from "../../tezos/parameters.ts";
import { markExecuted } from "../state/executed.ts";
import { applyOrigination } from "./apply-origination.ts";
import { type Applied, applyCall } from "./apply-transaction.ts";
import type {
  Content,
  ExecuteOutboxMessage,
  IncreasePaidStorage,
  RegisterGlobalConstant,
  TransferTicket,
} from "../../tezos/content.ts";
import { type Execution, nextContract, takeReceipt } from "./execution.ts";
import { type AppliedParts, type InternalReceipt, type Result, errorsJson, unlessEmpty } from "./receipt.ts";
import { TicketChanges } from "./ticket-table.ts";
import { applyKeyUpdate } from "./apply-key-update.ts";
import { burnStorage, payStorage } from "./balance.ts";
import { setDelegate } from "./delegates.ts";
import { registerConstant } from "./global-constants.ts";
import { originateRollup } from "./rollup-registry.ts";
import { requestUnstake } from "./staking.ts";
import { failureOf } from "./unexpected-failure.ts";
import { BLS_CURVE, BLS_KEY_BYTES, signedCost } from "./signature-cost.ts";
import { dataScope, entrypointType } from "./read-data.ts";

/** Milligas of any manager operation before it does anything. */
export const MANAGER_GAS = 100_000;

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
    gas.spend(MANAGER_GAS + execution.signatureGas);
    const { parts, emitted } = yield* applyTop(execution, content);
    top = { ...parts, consumed_milligas: gas.used.toString() };
    yield* runInternal(execution, emitted, internal);
    return { isApplied: true, result: { status: "applied", ...top }, internal };
  } catch (error) {
    const errors = errorsJson(failureOf(error, execution.block.onFault).errors, execution.block.protocol);
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
      if (content.proof !== undefined) gas.spend(signedCost(BLS_CURVE, BLS_KEY_BYTES));
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
      return { parts: applyDelegation(execution, content.source, content.delegate), emitted: [] };
    case "register_global_constant":
      return { parts: registerGlobalConstant(execution, content), emitted: [] };
    case "set_deposits_limit":
      throw new MichelsonError(temporary("operation.set_deposits_limit_when_automated_staking_off"));
    case "increase_paid_storage":
      return { parts: increasePaidStorage(execution, content), emitted: [] };
    case "update_consensus_key":
    case "update_companion_key":
      return { parts: applyKeyUpdate(execution, content), emitted: [] };
    case "smart_rollup_originate":
      return { parts: originateRollup(execution, content), emitted: [] };
    case "dal_publish_commitment":
      throw new MichelsonError(permanent("operation.dal_disabled")); // refused before, as the chain's constants say
    case "transfer_ticket":
      return yield* transferTicket(execution, content);
    case "smart_rollup_add_messages": {
      for (const [ahead, message] of content.message.entries()) {
        const bytes = message.length / 2;
        gas.spend(externalMessageCost(bytes) + messageCost(context, bytes + 1, ahead));
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

/** An account that changes its delegate asks its stake back from the one before. */
function applyDelegation(
  execution: Execution,
  source: string,
  delegate: string | undefined,
): Applied["parts"] {
  const before = execution.context.account(source)?.delegate;
  const isStaker = isImplicit(source) && before !== undefined && before !== source;
  const updates = isStaker ? requestUnstake(execution, source, MAX_MUTEZ) : [];
  setDelegate(execution.context, source, delegate);
  return unlessEmpty("balance_updates", updates);
}

function registerGlobalConstant(execution: Execution, { value }: RegisterGlobalConstant): Applied["parts"] {
  const { context, gas } = execution;
  gas.spend(deserializeCost(encodeMicheline(value).length));
  const { hash, size } = registerConstant(context, gas, value);
  const burned = payStorage(execution, BigInt(size));
  return {
    ...unlessEmpty("balance_updates", burned),
    storage_size: size.toString(),
    global_address: hash,
  };
}

/** Pays for storage that a contract has yet to use; anybody may. */
function increasePaidStorage(execution: Execution, content: IncreasePaidStorage): Applied["parts"] {
  const { context } = execution;
  const { destination } = content;
  const account = context.account(destination);
  if (!account?.contract) {
    const missing_key = ["contracts", "index", toHex(bytesOfAddress(destination)), "paid_bytes"];
    throw new MichelsonError(permanent("context.storage_error", { missing_key, function: "get" }));
  }
  const amount = BigInt(content.amount);
  if (amount <= 0n) throw new MichelsonError(temporary("contract.negative_storage_input"));
  const burned = burnStorage(execution, amount);
  const { contract } = account;
  context.setAccount(destination, {
    ...account,
    contract: { ...contract, paid: contract.paid + Number(amount) },
  });
  return unlessEmpty("balance_updates", burned);
}

function* transferTicket(execution: Execution, content: TransferTicket): Job<Applied> {
  for (const expression of [content.ticket_ty, content.ticket_contents])
    execution.gas.spend(deserializeCost(encodeMicheline(expression).length));
  const contentsType = parseType(content.ticket_ty, {
    rules: TYPE_RULES.comparable,
    gas: execution.gas,
  });
  const contents = parseValue(contentsType, content.ticket_contents, dataScope(execution));
  const ticket: TicketValue = {
    ticketer: content.ticket_ticketer,
    contents,
    amount: BigInt(content.ticket_amount),
  };
  if (ticket.amount === 0n) throw new MichelsonError(permanent("michelson_v1.forbidden_zero_amount_ticket"));
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
      diff: [],
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
    : entrypointType(execution, destination, entrypoint, execution.gas);
  if (!found) throw new MichelsonError(permanent("michelson_v1.no_such_entrypoint", { entrypoint }));
  return { type: found, value: parseValue(found, parameters, dataScope(execution, { allowTickets: true })) };
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
      receipts.push(
        receiptOf(operation, {
          status: "failed",
          errors: errorsJson(failure.errors, execution.block.protocol),
        }),
      );
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
      return { parts: applyDelegation(execution, operation.source, operation.delegate), emitted: [] };
    case "event":
      execution.gas.spend(MANAGER_GAS);
      return { parts: {}, emitted: [] };
  }
}

const receiptOf = (operation: InternalOperation, result: Result): InternalReceipt => ({
  ...operationJson(operation),
  result,
});

/** An operation that a script emitted, as RPCs show it. */
export function operationJson(operation: InternalOperation): {
  readonly kind: string;
  readonly source: string;
  readonly nonce: number;
} {
  const base = { kind: operation.kind, source: operation.source, nonce: operation.nonce };
  switch (operation.kind) {
    case "transaction": {
      const value = operation.written;
      const isPlain = operation.entrypoint === "default" && "prim" in value && value.prim === "Unit";
      const parameters = isPlain ? {} : { parameters: { entrypoint: operation.entrypoint, value } };
      return {
        ...base,
        ...{ amount: operation.amount.toString(), destination: operation.destination },
        ...parameters,
      };
    }
    case "origination": {
      const script = { code: operation.code, storage: operation.written };
      const delegate = operation.delegate === undefined ? {} : { delegate: operation.delegate };
      return { ...base, ...{ balance: operation.balance.toString(), ...delegate, script } };
    }
    case "delegation":
      return { ...base, ...(operation.delegate !== undefined && { delegate: operation.delegate }) };
    case "event":
      return {
        ...base,
        ...{
          type: operation.type,
          ...(operation.tag !== undefined && { tag: operation.tag }),
          payload: operation.written,
        },
      };
  }
}
