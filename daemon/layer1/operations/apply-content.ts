// One content of an operation with everything it sets off: internal operations run depth first, in the order
// in which scripts emit them.
import { type Address, bytesOfAddress, isImplicit, signatureBytes } from "../../tezos/address.ts";
import { checkBlsProof } from "../../tezos/check-signature.ts";
import type {
  Content,
  ExecuteOutboxMessage,
  IncreasePaidStorage,
  RegisterGlobalConstant,
  Reveal,
  TransferTicket,
} from "../../tezos/content.ts";
import { toHex } from "../../tezos/hex.ts";
import { externalMessage } from "../../tezos/inbox-message.ts";
import { encodeMicheline } from "../../tezos/micheline-binary.ts";
import { NO_TEZ, mutezOf } from "../../tezos/mutez.ts";
import { MAX_MESSAGE_BYTES, MAX_MUTEZ } from "../../tezos/parameters.ts";
import type { Job } from "../job.ts";
import { deserializeCost } from "../michelson/check-costs.ts";
import type { InternalOperation } from "../michelson/internal-operation.ts";
import { MichelsonError, branch, permanent, temporary } from "../michelson/michelson-error.ts";
import { readValue } from "../michelson/parse-value.ts";
import { TYPE_RULES, parseType, type } from "../michelson/type.ts";
import { unparseValue } from "../michelson/unparse-value.ts";
import type { TicketValue, Value } from "../michelson/value.ts";
import { markExecuted } from "../state/executed.ts";
import { addInboxMessage, externalMessageCost, messageCost } from "../state/inbox.ts";
import { applyKeyUpdate } from "./apply-key-update.ts";
import { applyOrigination } from "./apply-origination.ts";
import { type Applied, applyCall } from "./apply-transaction.ts";
import { type Owed, burnStorage, payStorage, settle } from "./balance.ts";
import { setDelegate } from "./delegates.ts";
import { type Execution, nextContract, takeReceipt } from "./execution.ts";
import { registerConstant } from "./global-constants.ts";
import { dataScope, entrypointType } from "./read-data.ts";
import {
  type AppliedParts,
  type InternalReceipt,
  type Result,
  type TicketUpdate,
  errorsJson,
  unlessEmpty,
} from "./receipt.ts";
import { originateRollup } from "./rollup-registry.ts";
import { BLS_CURVE, BLS_KEY_BYTES, signedCost } from "./signature-cost.ts";
import { requestUnstake } from "./staking.ts";
import { TicketsSent, giveTicket, payForTickets, ticketId, ticketUpdate } from "./ticket-table.ts";
import { failureOf } from "./unexpected-failure.ts";

/** Milligas of any manager operation before it does anything. */
export const MANAGER_GAS = 100_000;

const UNIT = { prim: "Unit" } as const;

export interface ContentOutcome {
  readonly isApplied: boolean;
  readonly result: Result;
  readonly internal: readonly InternalReceipt[];
}

/** What is done and not paid for yet. */
interface Done<P> {
  receipt: P;
  readonly owed: Owed | undefined;
}

/** Applies a content to the state of the execution; on failure the caller drops that state. */
export function* applyContent(execution: Execution, content: Content): Job<ContentOutcome> {
  const { gas } = execution;
  const internal: Done<InternalReceipt>[] = [];
  let top: Done<AppliedParts> | undefined;
  let isSettling = false;
  try {
    gas.spend(MANAGER_GAS + execution.signatureGas);
    const { parts, emitted, owed } = yield* applyTop(execution, content);
    top = { receipt: { ...parts, consumed_milligas: gas.used.toString() }, owed };
    yield* runInternal(execution, emitted, internal);
    isSettling = true;
    top.receipt = settle(execution, top.receipt, top.owed);
    const settled = internal.map(({ receipt, owed: debt }) => {
      const { result } = receipt;
      return result.status === "applied" ? { ...receipt, result: settle(execution, result, debt) } : receipt;
    });
    return { isApplied: true, result: { status: "applied", ...top.receipt }, internal: settled };
  } catch (error) {
    const errors = errorsJson(failureOf(error, execution.block.onFault).errors, execution.block.protocol);
    const backtracked = internal.map(({ receipt }): InternalReceipt =>
      receipt.result.status === "applied"
        ? { ...receipt, result: { ...receipt.result, status: "backtracked" } }
        : receipt,
    );
    if (!top) return { isApplied: false, result: { status: "failed", errors }, internal: backtracked };
    // Where an internal operation failed, its receipt has the errors.
    const causes = isSettling ? { errors } : {};
    return {
      isApplied: false,
      result: { status: "backtracked", ...causes, ...top.receipt },
      internal: backtracked,
    };
  }
}

function* applyTop(execution: Execution, content: Content): Job<Applied> {
  const { context, gas } = execution;
  switch (content.kind) {
    case "reveal":
      reveal(execution, content);
      return { parts: {}, emitted: [] };
    case "transaction":
      return yield* applyCall(execution, {
        sender: content.source,
        destination: content.destination,
        amount: mutezOf(content.amount),
        entrypoint: content.parameters?.entrypoint ?? "default",
        argument: { from: "user", value: content.parameters?.value ?? UNIT },
      });
    case "origination":
      return yield* applyOrigination(execution, {
        sender: content.source,
        address: nextContract(execution),
        balance: mutezOf(content.balance),
        delegate: content.delegate,
        code: content.script.code,
        storage: { expression: content.script.storage },
      });
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
      return yield* executeOutbox(execution, content);
  }
}

/** An account that changes its delegate asks its stake back from the one before. */
function applyDelegation(
  execution: Execution,
  source: Address,
  delegate: Address | undefined,
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

/** @throws MichelsonError when the account is gone, its key is known, or the proof of a tz4 key is wrong */
function reveal({ context, gas }: Execution, { source, public_key, proof }: Reveal): void {
  const account = context.account(source);
  if (!account) throw new MichelsonError(branch("implicit.empty_implicit_contract", { implicit: source }));
  if (proof !== undefined) {
    gas.spend(signedCost(BLS_CURVE, BLS_KEY_BYTES));
    const bytes = signatureBytes(proof);
    if (!bytes || !checkBlsProof(public_key, bytes))
      throw new MichelsonError(
        permanent("validate.operation.incorrect_bls_proof", { kind: "manager_pk", public_key, proof }),
      );
  }
  if (account.key !== undefined)
    throw new MichelsonError(branch("contract.previously_revealed_key", { contract: source }));
  context.setAccount(source, { ...account, key: public_key });
}

/** A ticket for a contract is the argument of an internal operation. */
function* transferTicket(execution: Execution, content: TransferTicket): Job<Applied> {
  const { context, gas } = execution;
  const { source, destination, entrypoint } = content;
  if (isImplicit(destination) && entrypoint !== "default")
    throw new MichelsonError(permanent("michelson_v1.no_such_entrypoint", { entrypoint }));
  for (const expression of [content.ticket_ty, content.ticket_contents])
    gas.spend(deserializeCost(encodeMicheline(expression).length));
  const t = parseType(content.ticket_ty, { rules: TYPE_RULES.comparable, gas });
  const contents = yield* readValue(t, content.ticket_contents, dataScope(execution));
  const amount = BigInt(content.ticket_amount);
  if (amount === 0n) throw new MichelsonError(permanent("michelson_v1.forbidden_zero_amount_ticket"));
  const ticket: TicketValue = { ticketer: content.ticket_ticketer, contents, amount };
  const id = ticketId(ticket.ticketer, t, contents, gas);
  const growth = giveTicket(context, source, destination, [id, { ticket, type: t }], amount);
  const bytes = payForTickets(context, growth);
  const moved: [Address, bigint][] = [[source, -amount]];
  if (isImplicit(destination)) moved.push([destination, amount]);
  const argumentType = type("ticket", t);
  const written = unparseValue(argumentType, ticket, "optimized", gas);
  return {
    parts: {
      ticket_updates: [ticketUpdate(t, ticket, moved)],
      ...(bytes > 0n && { paid_storage_size_diff: bytes.toString() }),
    },
    emitted: isImplicit(destination)
      ? []
      : [
          {
            kind: "transaction",
            source,
            nonce: execution.counters.nonce++,
            amount: NO_TEZ,
            destination,
            entrypoint,
            type: argumentType,
            argument: ticket,
            written,
            diff: [],
          },
        ],
    owed: { bytes, isNew: false, order: ["moved", "bytes"] },
  };
}

/** Messages that the rollup sends out: each transaction is a call by the rollup, with tickets it holds. */
function* executeOutbox(execution: Execution, content: ExecuteOutboxMessage): Job<Applied> {
  const { context, block } = execution;
  if (content.rollup !== block.rollup.address)
    throw new MichelsonError(permanent("smart_rollup_does_not_exist", { rollup: content.rollup }));
  const batch = block.rollup.outboxMessage(block.level, content.cemented_commitment, content.output_proof);
  markExecuted(context, batch.outboxLevel, batch.index);
  const emitted: InternalOperation[] = [];
  const sent = new TicketsSent(execution.gas);
  for (const transaction of batch.transactions) {
    const { type: argumentType, value } = yield* outboxArgument(execution, transaction);
    sent.collect(transaction.destination, argumentType, value);
    const written = unparseValue(argumentType, value, "optimized", execution.gas);
    takeReceipt(execution, written);
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
      diff: [],
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

function* runInternal(
  execution: Execution,
  emitted: readonly InternalOperation[],
  receipts: Done<InternalReceipt>[],
): Job<void> {
  const tell = (operation: InternalOperation, result: Result, owed?: Owed): void =>
    void receipts.push({ receipt: receiptOf(operation, result), owed });
  // The next one is last: what an operation emits comes before all that waits.
  const waiting = emitted.toReversed();
  for (let operation = waiting.pop(); operation; operation = waiting.pop()) {
    const usedBefore = execution.gas.used;
    try {
      const { parts, emitted: further, owed } = yield* applyInternal(execution, operation);
      const consumed_milligas = (execution.gas.used - usedBefore).toString();
      tell(operation, { status: "applied", ...parts, consumed_milligas }, owed);
      for (const next of further.toReversed()) waiting.push(next);
    } catch (error) {
      const failure = failureOf(error, execution.block.onFault);
      tell(operation, { status: "failed", errors: errorsJson(failure.errors, execution.block.protocol) });
      for (const skipped of waiting.toReversed()) tell(skipped, { status: "skipped" });
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
      return yield* applyOrigination(execution, {
        sender: operation.source,
        address: operation.address,
        balance: operation.balance,
        delegate: operation.delegate,
        code: operation.code,
        storage: { value: operation.storage },
      });
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
