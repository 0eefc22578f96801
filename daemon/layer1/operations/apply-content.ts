// Applies one content of an operation and everything it causes.
import { bytesOfAddress, signatureBytes } from "../../tezos/address.ts";
import { checkBlsProof } from "../../tezos/check-signature.ts";
import type { Content, IncreasePaidStorage, RegisterGlobalConstant, Reveal } from "../../tezos/content.ts";
import { toHex } from "../../tezos/hex.ts";
import { externalMessage } from "../../tezos/inbox-message.ts";
import { encodedLength } from "../../tezos/micheline-binary.ts";
import { mutezOf } from "../../tezos/mutez.ts";
import { MAX_MESSAGE_BYTES } from "../../tezos/parameters.ts";
import type { Job } from "../job.ts";
import { deserializeCost } from "../michelson/check-costs.ts";
import { MichelsonError, branch, permanent, temporary } from "../michelson/michelson-error.ts";
import { addInboxMessage, externalMessageCost, messageCost } from "../state/inbox.ts";
import { applyDelegation } from "./apply-delegation.ts";
import { type Done, runInternal } from "./apply-internal.ts";
import { applyKeyUpdate } from "./apply-key-update.ts";
import { applyOrigination } from "./apply-origination.ts";
import { type Applied, applyCall } from "./apply-transaction.ts";
import { burnStorage, payStorage, settle } from "./balance.ts";
import { executeOutbox } from "./execute-outbox.ts";
import { type Execution, MANAGER_GAS, nextContract } from "./execution.ts";
import { registerConstant } from "./global-constants.ts";
import { type AppliedParts, type InternalReceipt, type Result, errorsJson, unlessEmpty } from "./receipt.ts";
import { originateRollup } from "./rollup-registry.ts";
import { BLS_CURVE, BLS_KEY_BYTES, signedCost } from "./signature-cost.ts";
import { transferTicket } from "./transfer-ticket.ts";
import { failureOf } from "./unexpected-failure.ts";

const UNIT = { prim: "Unit" } as const;

export interface ContentOutcome {
  readonly isApplied: boolean;
  readonly result: Result;
  readonly internal: readonly InternalReceipt[];
}

/** Applies a content to the state of the execution; on failure the caller discards that state. */
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
    // When an internal operation fails, the errors are in its receipt.
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
      throw new MichelsonError(permanent("operation.dal_disabled")); // validation refuses it already, by the chain's constants
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

function registerGlobalConstant(execution: Execution, { value }: RegisterGlobalConstant): Applied["parts"] {
  const { context, gas } = execution;
  gas.spend(deserializeCost(encodedLength(value)));
  const { hash, size } = registerConstant(context, gas, value);
  const burned = payStorage(execution, BigInt(size));
  return {
    ...unlessEmpty("balance_updates", burned),
    storage_size: size.toString(),
    global_address: hash,
  };
}

/** Pays in advance for a contract's storage; anyone may. */
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

/** @throws MichelsonError when the account does not exist, its key is revealed, or the proof of a tz4 key is wrong */
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
