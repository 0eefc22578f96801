// Calls: transfers of tez, arguments and tickets to an implicit account, a contract or the rollup.
import { type Address, isImplicit, isOriginated } from "../../tezos/address.ts";
import { transferMessage } from "../../tezos/inbox-message.ts";
import { encodeMicheline, encodedLength } from "../../tezos/micheline-binary.ts";
import { type Micheline, expressionSize } from "../../tezos/micheline.ts";
import type { Mutez } from "../../tezos/mutez.ts";
import type { Job } from "../job.ts";
import { bigMapDiffJson } from "../michelson/big-map-diff.ts";
import { deserializeCost, serializeCost } from "../michelson/check-costs.ts";
import { findEntrypoint, searchCost, wrapArgument } from "../michelson/entrypoints.ts";
import { inconsistentTypes } from "../michelson/instruction.ts";
import { type InternalOperation, emittedDiffs } from "../michelson/internal-operation.ts";
import { readLiteralPoints } from "../michelson/literal-points.ts";
import {
  MichelsonError,
  type ProtocolErrorFields,
  branch,
  permanent,
  temporary,
  traceErrors,
  traceJobErrors,
} from "../michelson/michelson-error.ts";
import { readValue } from "../michelson/parse-value.ts";
import { runScript } from "../michelson/run-script.ts";
import type { Script } from "../michelson/script.ts";
import { type Type, sameType } from "../michelson/type.ts";
import { unparseWithRests } from "../michelson/unparse-value.ts";
import type { TicketValue, Value } from "../michelson/value.ts";
import { type Account, type Contract, existingAccount } from "../state/context.ts";
import { addInboxMessage, messageCost } from "../state/inbox.ts";
import { type Owed, move } from "./balance.ts";
import { writeBigMaps } from "./big-map-storage.ts";
import { keepInCache, loadContract } from "./contract-costs.ts";
import { type Execution, countInReceipt } from "./execution.ts";
import { extractBigMaps } from "./extract-big-maps.ts";
import { payForCollecting } from "./lazy-storage.ts";
import { dataScope } from "./read-data.ts";
import {
  type AppliedParts,
  type BalanceUpdate,
  type TicketUpdate,
  transferUpdates,
  unlessEmpty,
} from "./receipt.ts";
import { STAKING_ENTRYPOINTS, finalizeUnstake, setDelegateParameters, stake, unstake } from "./staking.ts";
import { writeScriptCost } from "./storage-costs.ts";
import { recordTickets, ticketDiffs } from "./ticket-accounting.ts";
import { TicketScan } from "./ticket-scan.ts";
import { TicketSum, payForTickets, ticketUpdate } from "./ticket-table.ts";
import { RunningWorld } from "./world.ts";

/** Milligas of a transfer to an implicit account. */
const TRANSFER_GAS = 2_000_000;

/** Milligas for serializing the sender and source of a message to the rollup. */
const SENDER_AND_SOURCE_GAS = 140;

/** The argument: an expression from a user, a value from a script. */
export type Argument =
  | { readonly from: "user"; readonly value: Micheline; readonly allowTickets?: boolean }
  | { readonly from: "script"; readonly type: Type; readonly value: Value };

export interface Call {
  readonly sender: Address;
  readonly destination: Address;
  readonly amount: Mutez;
  readonly entrypoint: string;
  readonly argument: Argument;
}

export interface Applied {
  readonly parts: Omit<AppliedParts, "consumed_milligas">;
  readonly emitted: readonly InternalOperation[];
  readonly owed?: Owed;
}

/** Applies one call. @throws MichelsonError when it fails */
export function* applyCall(execution: Execution, call: Call): Job<Applied> {
  if (isImplicit(call.destination)) return callImplicit(execution, call);
  if (isOriginated(call.destination)) return yield* callContract(execution, call);
  return yield* callRollup(execution, call);
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
  if (call.entrypoint !== "default")
    throw new MichelsonError(permanent("michelson_v1.no_such_entrypoint", { entrypoint: call.entrypoint }));
  const ticket = ticketIn(argument);
  if (!ticket) {
    requireUnit(call);
    if (amount === 0n)
      throw new MichelsonError(branch("contract.empty_transaction", { contract: destination }));
  }
  gas.spend(TRANSFER_GAS);
  // A ticket alone creates no account, and yet the protocol charges for one.
  const isNew = !context.account(destination);
  move(context, call.sender, destination, amount);
  const received = ticket && [ticketUpdate(ticket.type, ticket.value, [[destination, ticket.value.amount]])];
  return {
    parts: {
      ...unlessEmpty("balance_updates", transferUpdates(call.sender, destination, amount)),
      ...unlessEmpty("ticket_receipt", received ?? []),
      ...(isNew && { allocated_destination_contract: true as const }),
    },
    emitted: [],
    owed: { bytes: 0n, isNew, order: ["bytes", "moved", "new"] },
  };
}

/** Pseudo-entrypoints of implicit accounts, which only users may call. */
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

/** The ticket that a script sends to an implicit account, if any. */
function ticketIn(argument: Argument): { readonly type: Type; readonly value: TicketValue } | undefined {
  if (argument.from !== "script" || argument.type.prim !== "ticket") return undefined;
  return { type: argument.type.args[0], value: argument.value as TicketValue };
}

/** A user's argument arrives as bytes and costs its deserialization. */
function payForArgument({ gas }: Execution, argument: Argument): void {
  if (argument.from === "user") gas.spend(deserializeCost(encodedLength(argument.value)));
}

const isUnitExpression = (value: Micheline): boolean =>
  "prim" in value && value.prim === "Unit" && !value.args?.length;

/** The error names the sender, not the destination, as in the protocol. */
function requireUnit({ argument, sender }: Call): void {
  const isUnit =
    argument.from === "script" ? argument.type.prim === "unit" : isUnitExpression(argument.value);
  if (!isUnit) throw badParameter(sender);
}

export const badContractParameter = (contract: string): ProtocolErrorFields =>
  permanent("michelson_v1.bad_contract_parameter", { contract });

const badParameter = (contract: string, cause: MichelsonError["errors"] = []): MichelsonError =>
  new MichelsonError(badContractParameter(contract), ...cause);

function* callContract(execution: Execution, call: Call): Job<Applied> {
  const { context, gas } = execution;
  const { destination, amount } = call;
  const account = context.account(destination);
  const contract = account?.contract;
  if (!account || !contract)
    throw new MichelsonError(temporary("contract.non_existing_contract", { contract: destination }));
  payForArgument(execution, call.argument);
  yield* readLiteralPoints(contract.code, gas);
  const script = yield* loadContract(execution, contract);
  const { value, path } = yield* argumentFor(execution, call, script);
  // Rollups have no tez: their calls were checked to transfer none.
  move(context, call.sender, destination, amount);
  const argument = wrapArgument(path, value);
  yield* payForCollecting(script.parameter, argument, gas);
  yield* payForCollecting(script.storage, contract.storage, gas);
  const before = existingAccount(context, destination);
  const frame = {
    gas,
    self: destination,
    sender: call.sender,
    source: execution.payer,
    amount,
    balance: before.balance,
    world: new RunningWorld(execution),
  };
  const result = yield* runScript(script, frame, argument, contract.storage);

  const kept = yield* extractBigMaps(execution, script.storage, result.storage, {
    for: "storage",
    replaces: contract.storage,
  });
  const storage = yield* traceJobErrors(
    () => temporary("michelson_v1.cannot_serialize_storage"),
    unparseWithRests(script.storage, kept.value, "optimized", gas),
  );
  const tickets = yield* ticketDiffs(execution, {
    self: destination,
    script,
    argument,
    before: contract.storage,
    after: kept.value,
    diffs: kept.diffs,
  });
  countInReceipt(execution, storage);
  const storageBytes = encodedLength(storage);
  gas.spend(serializeCost(expressionSize(storage)) + writeScriptCost(storageBytes));
  const diffs = [...emittedDiffs(result.operations), ...kept.diffs];
  const bigMapBytes = contract.bigMapBytes + (yield* writeBigMaps(execution, diffs));
  const ticketBytes = yield* recordTickets(execution, destination, tickets.kept, result.operations);
  const used = script.size + 4 + storageBytes + bigMapBytes;
  const paid = Math.max(contract.paid, used);
  keepInCache(execution, script, kept.value);
  const paidDiff = BigInt(paid - contract.paid) + payForTickets(context, ticketBytes);
  const written: Contract = {
    ...contract,
    storage: kept.value,
    bigMapBytes,
    storageBytes,
    isCached: true,
    used,
    paid,
  };
  context.setAccount(destination, {
    ...existingAccount(context, destination),
    contract: written,
  } satisfies Account);
  return {
    parts: {
      storage,
      ...unlessEmpty("lazy_storage_diff", diffs.map(bigMapDiffJson)),
      ...unlessEmpty("balance_updates", transferUpdates(call.sender, destination, amount)),
      ...ticketField(call, tickets.receipt),
      storage_size: used.toString(),
      ...(paidDiff > 0n && { paid_storage_size_diff: paidDiff.toString() }),
      ...unlessEmpty("address_registry_diff", [...execution.counters.numbered]),
    },
    emitted: result.operations,
    owed: { bytes: paidDiff, isNew: false, order: ["bytes", "moved"] },
  };
}

/** The name of the ticket list differs between receipts of internal and of top-level operations. */
function ticketField(call: Call, updates: readonly TicketUpdate[]): Partial<AppliedParts> {
  return unlessEmpty(call.argument.from === "user" ? "ticket_updates" : "ticket_receipt", updates);
}

function* argumentFor(
  execution: Execution,
  call: Call,
  script: Script,
): Job<{ type: Type; value: Value; path: readonly boolean[] }> {
  const { argument, destination } = call;
  const { gas } = execution;
  traceErrors(
    () => badContractParameter(destination),
    () => gas.spend(searchCost(script.parameter, call.entrypoint)),
  );
  const found = findEntrypoint(script.parameter, script.entrypoints, call.entrypoint);
  if (!found)
    throw badParameter(destination, [
      permanent("michelson_v1.no_such_entrypoint", { entrypoint: call.entrypoint }),
    ]);
  if (argument.from === "script") {
    const isSame = traceErrors(
      () => badContractParameter(destination),
      () => sameType(found.type, argument.type, gas),
    );
    if (!isSame) throw badParameter(destination, inconsistentTypes(found.type, argument.type, 0).errors);
    return { type: found.type, value: argument.value, path: found.path };
  }
  const rights = { allowTickets: argument.allowTickets === true };
  const value = yield* traceJobErrors(
    () => badContractParameter(destination),
    readValue(found.type, argument.value, dataScope(execution, rights)),
  );
  return { type: found.type, value, path: found.path };
}

function* callRollup(execution: Execution, call: Call): Job<Applied> {
  const { context, block, gas } = execution;
  const { argument, destination } = call;
  if (destination !== block.rollup.address)
    throw new MichelsonError(temporary("smart_rollup_does_not_exist", { rollup: destination }));
  if (argument.from === "user")
    throw new MichelsonError(permanent("operations.invalid_transfer_to_smart_rollup_from_implicit_account"));
  if (call.entrypoint !== "default")
    throw new MichelsonError(permanent("michelson_v1.no_such_entrypoint", { entrypoint: call.entrypoint }));
  if (call.amount !== 0n) throw new MichelsonError(permanent("operation.rollup_invalid_transaction_amount"));
  if (!sameType(argument.type, block.rollup.parameter())) throw badParameter(destination);
  const expression = yield* unparseWithRests(argument.type, argument.value, "optimized");
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
  const received = new TicketSum(gas);
  yield* new TicketScan(execution).collectAll(received, 1n, argument.type, argument.value);
  return { parts: unlessEmpty("ticket_receipt", received.receipt(destination)), emitted: [] };
}
