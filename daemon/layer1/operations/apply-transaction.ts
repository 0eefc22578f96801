// Calls: tez, arguments and tickets to an implicit account, a contract or the rollup.
import { isImplicit, isOriginated } from "../../tezos/address.ts";
import { findEntrypoint, searchCost, wrapArgument } from "../michelson/entrypoints.ts";
import type { InternalOperation } from "../michelson/internal-operation.ts";
import type { Job } from "../job.ts";
import { deserializeCost, serializeCost } from "../michelson/check-costs.ts";
import { inconsistentTypes } from "../michelson/instruction.ts";
import { type Micheline, expressionSize } from "../../tezos/micheline.ts";
import { encodeMicheline } from "../../tezos/micheline-binary.ts";
import { MichelsonError, branch, permanent, temporary } from "../michelson/michelson-error.ts";
import { parseValue } from "../michelson/parse-value.ts";
import { runScript } from "../michelson/run-script.ts";
import type { Script } from "../michelson/script.ts";
import { type Type, sameType, typeSize } from "../michelson/type.ts";
import { unparseValue } from "../michelson/unparse-value.ts";
import type { TicketValue, Value } from "../michelson/value.ts";
import type { GasMeter } from "../michelson/gas.ts";
import type { Account, Contract } from "../state/context.ts";
import { addInboxMessage, messageCost } from "../state/inbox.ts";
import { transferMessage } from "../../tezos/inbox-message.ts";
import { ORIGINATION_SIZE } from "../../tezos/parameters.ts";
import { credit, debit, payStorage } from "./balance.ts";
import { keepBigMaps } from "./big-map-storage.ts";
import { keepInCache, loadContract } from "./contract-costs.ts";
import { type Execution, takeReceipt } from "./execution.ts";
import { collectCost } from "./lazy-storage.ts";
import {
  type AppliedParts,
  type BalanceUpdate,
  type TicketUpdate,
  transferUpdates,
  unlessEmpty,
} from "./receipt.ts";
import { STAKING_ENTRYPOINTS, finalizeUnstake, setDelegateParameters, stake, unstake } from "./staking.ts";
import { TicketChanges } from "./ticket-table.ts";
import { dataScope } from "./read-data.ts";
import { writeScriptCost } from "./storage-costs.ts";
import { worldOf } from "./world.ts";

/** Milligas of a transfer to an implicit account. */
const TRANSFER_GAS = 2_000_000;

/** Milligas of writing down who sends a message to the rollup. */
const SENDER_AND_SOURCE_GAS = 140;

/** The argument: still an expression when a user gave it, a value when a script did. */
export type Argument =
  | { readonly from: "user"; readonly value: Micheline; readonly allowTickets?: boolean }
  | { readonly from: "script"; readonly type: Type; readonly value: Value };

export interface Call {
  readonly sender: string;
  readonly destination: string;
  readonly amount: bigint;
  readonly entrypoint: string;
  readonly argument: Argument;
}

export interface Applied {
  readonly parts: Omit<AppliedParts, "consumed_milligas">;
  readonly emitted: readonly InternalOperation[];
}

/** Carries out one call. @throws MichelsonError when it fails */
export function* applyCall(execution: Execution, call: Call): Job<Applied> {
  if (isImplicit(call.destination)) return callImplicit(execution, call);
  if (isOriginated(call.destination)) return yield* callContract(execution, call);
  return callRollup(execution, call);
}

function callImplicit(execution: Execution, call: Call): Applied {
  const { context, gas } = execution;
  const { argument, destination, amount } = call;
  payForArgument(execution, argument);
  if (argument.from === "user" && STAKING_ENTRYPOINTS.includes(call.entrypoint))
    return {
      parts: unlessEmpty("balance_updates", applyStaking(execution, call, argument.value)),
      emitted: [],
    };
  const isTicket = argument.from === "script" && argument.type.prim === "ticket";
  if (call.entrypoint !== "default")
    throw new MichelsonError(permanent("michelson_v1.no_such_entrypoint", { entrypoint: call.entrypoint }));
  if (!isTicket) {
    if (amount === 0n)
      throw new MichelsonError(branch("contract.empty_transaction", { contract: destination }));
    requireUnit(call);
  }
  gas.spend(TRANSFER_GAS);
  debit(context, call.sender, amount);
  const isNew = credit(context, destination, amount);
  const burned = isNew ? payStorage(execution, ORIGINATION_SIZE) : [];
  return {
    parts: {
      ...unlessEmpty("balance_updates", [...burned, ...transferUpdates(call.sender, destination, amount)]),
      ...(isNew && { allocated_destination_contract: true as const }),
    },
    emitted: [],
  };
}

/** Entrypoints of implicit accounts that users alone may call. */
function applyStaking(execution: Execution, call: Call, value: Micheline): readonly BalanceUpdate[] {
  if (call.entrypoint === "set_delegate_parameters") {
    setDelegateParameters(execution, call, value);
    return [];
  }
  if (!isUnitExpression(value)) throw badParameter(call.sender);
  switch (call.entrypoint) {
    case "stake":
      return stake(execution, call);
    case "unstake":
      return unstake(execution, call);
    default:
      return finalizeUnstake(execution, call);
  }
}

/** An argument that a user gives comes as bytes. */
function payForArgument({ gas }: Execution, argument: Argument): void {
  if (argument.from === "user") gas.spend(deserializeCost(encodeMicheline(argument.value).length));
}

const isUnitExpression = (value: Micheline): boolean =>
  "prim" in value && value.prim === "Unit" && !value.args?.length;

function requireUnit({ argument, destination }: Call): void {
  const isUnit =
    argument.from === "script" ? argument.type.prim === "unit" : isUnitExpression(argument.value);
  if (!isUnit) throw badParameter(destination);
}

const badParameter = (contract: string, cause: MichelsonError["errors"] = []): MichelsonError =>
  new MichelsonError(permanent("michelson_v1.bad_contract_parameter", { contract }), ...cause);

function* callContract(execution: Execution, call: Call): Job<Applied> {
  const { context, gas } = execution;
  const { destination, amount } = call;
  const account = context.account(destination);
  const contract = account?.contract;
  if (!account || !contract)
    throw new MichelsonError(temporary("contract.non_existing_contract", { contract: destination }));
  payForArgument(execution, call.argument);
  const script = loadContract(execution, contract);
  const { value, path } = argumentFor(execution, call, script);
  debit(context, call.sender, amount);
  credit(context, destination, amount);
  const argument = wrapArgument(path, value);
  gas.spend(collectCost(script.parameter, argument) + collectCost(script.storage, contract.storage));
  const before = context.account(destination)!;
  const frame = {
    gas,
    self: destination,
    sender: call.sender,
    source: execution.payer,
    amount,
    balance: before.balance,
    world: worldOf(execution),
  };
  const result = yield* runScript(script, frame, argument, contract.storage);

  const kept = keepBigMaps(execution, script.storage, contract.storage, result.storage);
  const storage = unparseValue(script.storage, kept.storage, "optimized", gas);
  const ticketUpdates = accountForTickets(
    execution,
    destination,
    script,
    argument,
    contract.storage,
    result.storage,
    result.operations,
  );
  takeReceipt(execution, storage);
  const storageBytes = encodeMicheline(storage).length;
  gas.spend(serializeCost(expressionSize(storage)) + writeScriptCost(storageBytes));
  const bigMapBytes = contract.bigMapBytes + kept.bytes;
  const used = script.size + 4 + storageBytes + bigMapBytes;
  const paid = Math.max(contract.paid, used);
  keepInCache(execution, script, kept.storage);
  const burned = payStorage(execution, BigInt(paid - contract.paid));
  const written: Contract = {
    ...contract,
    storage: kept.storage,
    bigMapBytes,
    storageBytes,
    isCached: true,
    used,
    paid,
  };
  context.setAccount(destination, { ...context.account(destination)!, contract: written } satisfies Account);
  const updates: BalanceUpdate[] = [...transferUpdates(call.sender, destination, amount), ...burned];
  return {
    parts: {
      storage,
      ...unlessEmpty("lazy_storage_diff", kept.diff),
      ...unlessEmpty("balance_updates", updates),
      ...ticketField(call, ticketUpdates),
      storage_size: used.toString(),
      ...(paid > contract.paid && { paid_storage_size_diff: (paid - contract.paid).toString() }),
      ...unlessEmpty("address_registry_diff", [...execution.counters.numbered]),
    },
    emitted: result.operations,
  };
}

/** Receipts of internal operations name the list otherwise than those of top-level ones. */
function ticketField(call: Call, updates: readonly TicketUpdate[]): Partial<AppliedParts> {
  return unlessEmpty(call.argument.from === "user" ? "ticket_updates" : "ticket_receipt", updates);
}

function argumentFor(
  execution: Execution,
  call: Call,
  script: Script,
): { type: Type; value: Value; path: readonly boolean[] } {
  const { argument, destination } = call;
  const { gas } = execution;
  gas.spend(searchCost(script.parameter, call.entrypoint));
  const found = findEntrypoint(script.parameter, script.entrypoints, call.entrypoint);
  if (!found)
    throw badParameter(destination, [
      permanent("michelson_v1.no_such_entrypoint", { entrypoint: call.entrypoint }),
    ]);
  if (argument.from === "script") {
    if (!sameType(found.type, argument.type, gas))
      throw badParameter(destination, inconsistentTypes(found.type, argument.type, 0).errors);
    return { type: found.type, value: argument.value, path: found.path };
  }
  try {
    return {
      type: found.type,
      value: parseValue(
        found.type,
        argument.value,
        dataScope(execution, { allowTickets: argument.allowTickets === true }),
      ),
      path: found.path,
    };
  } catch (error) {
    if (error instanceof MichelsonError && !error.errors.some(({ id }) => id === "gas_exhausted.operation"))
      throw badParameter(destination, error.errors);
    throw error;
  }
}

/** Whether values of a type can hold tickets. */
const lookForTicketsCost = (t: Type): number => 10 + 6 * typeSize(t);

/** The maps of tickets that a call is accounted for with, nine walks, when all are empty. */
const EMPTY_TICKET_MAPS = 9 * 50;

/** Tickets that a transaction takes along. To an implicit account it is one, or nothing to look for. */
function collectSent(
  changes: TicketChanges,
  sent: Extract<InternalOperation, { kind: "transaction" }>,
  gas: GasMeter,
): void {
  const { destination, type, argument } = sent;
  if (isImplicit(destination)) {
    if (type.prim !== "ticket") return;
    const ticket = argument as TicketValue;
    changes.add(destination, type.args[0]!, ticket, ticket.amount);
    return;
  }
  gas.spend(lookForTicketsCost(type));
  changes.collect(destination, 1n, type, argument);
}

function accountForTickets(
  execution: Execution,
  self: string,
  script: Script,
  argument: Value,
  before: Value,
  after: Value,
  operations: readonly InternalOperation[],
): readonly TicketUpdate[] {
  const { gas } = execution;
  for (const t of [script.parameter, script.storage]) gas.spend(lookForTicketsCost(t));
  gas.spend(EMPTY_TICKET_MAPS);
  const changes = new TicketChanges(gas);
  changes.collect(self, 1n, script.storage, after, execution.context);
  changes.collect(self, -1n, script.storage, before);
  changes.collect(self, -1n, script.parameter, argument);
  for (const operation of operations) {
    if (operation.kind === "transaction") collectSent(changes, operation, gas);
    if (operation.kind === "origination") {
      gas.spend(lookForTicketsCost(operation.storageType));
      changes.collect(operation.address, 1n, operation.storageType, operation.storage);
    }
  }
  return changes.apply(execution.context);
}

function callRollup(execution: Execution, call: Call): Applied {
  const { context, block, gas } = execution;
  const { argument, destination } = call;
  if (destination !== block.rollup.address)
    throw new MichelsonError(temporary("smart_rollup_does_not_exist", { rollup: destination }));
  if (argument.from === "user")
    throw new MichelsonError(permanent("operations.invalid_transfer_to_sc_rollup"));
  if (call.entrypoint !== "default")
    throw new MichelsonError(permanent("michelson_v1.no_such_entrypoint", { entrypoint: call.entrypoint }));
  if (call.amount !== 0n) throw new MichelsonError(permanent("rollup_invalid_transaction_amount"));
  if (!sameType(argument.type, block.rollup.parameter())) throw badParameter(destination);
  const expression = unparseValue(argument.type, argument.value, "optimized");
  const payload = encodeMicheline(expression);
  const message = transferMessage({
    payload,
    sender: call.sender,
    source: execution.payer,
    rollup: destination,
  });
  gas.spend(serializeCost(expressionSize(expression)) + SENDER_AND_SOURCE_GAS);
  gas.spend(messageCost(context, message.length / 2));
  addInboxMessage(context, message);
  return { parts: {}, emitted: [] };
}
