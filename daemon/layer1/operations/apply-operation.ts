// Applies a whole operation: fees and counters first, then its contents, all or nothing.
import type { Content, Contents } from "../../tezos/content.ts";
import { mutezOf } from "../../tezos/mutez.ts";
import { unsignedLength } from "../../tezos/operation-codec.ts";
import type { Job } from "../job.ts";
import { GasMeter } from "../michelson/gas.ts";
import { writeContext, existingAccount } from "../state/context.ts";
import { Layer, type StateReader } from "../state/store.ts";
import { applyContent } from "./apply-content.ts";
import { debit } from "./balance.ts";
import { type BlockFrame, newCounters } from "./execution.ts";
import { type Metadata, type Result, feeUpdates, unlessEmpty } from "./receipt.ts";
import { operationSignatureCost } from "./signature-cost.ts";

export interface AppliedContent {
  readonly content: Content;
  readonly metadata: Metadata;
}

export interface AppliedOperation {
  readonly contents: readonly AppliedContent[];
  /** The changes, on top of the state it was applied to. */
  readonly layer: Layer;
  /** Whether the result may depend on the time. */
  readonly readsTime: boolean;
  /** Bytes of expressions in its receipts, with those that were there before. */
  readonly receiptBytes: number;
}

/**
 * Applies a validated operation on top of a state, which stays unchanged.
 * @param receiptBytes of the operations before it whose receipts go into the same answer
 * @throws BlsNeeded when a script checks a signature whose library is not loaded
 */
export function* applyOperation(
  below: StateReader,
  contents: Contents,
  operationHash: Uint8Array,
  block: BlockFrame,
  receiptBytes = 0,
): Job<AppliedOperation> {
  const charged = new Layer(below);
  chargeFees(charged, contents);
  const effects = new Layer(charged);
  const counters = { ...newCounters(), receiptBytes };
  const applied: AppliedContent[] = [];
  const signatureGas = operationSignatureCost(contents[0].source, unsignedLength(contents));
  let failed = false;
  for (const content of contents) {
    const fees = unlessEmpty("balance_updates", feeUpdates(content.source, mutezOf(content.fee)));
    if (failed) {
      applied.push({ content, metadata: { ...fees, operation_result: { status: "skipped" } } });
      continue;
    }
    const outcome = yield* applyContent(
      {
        context: writeContext(effects),
        block,
        operationHash,
        payer: content.source,
        gas: new GasMeter(Number(content.gas_limit) * 1000),
        signatureGas: content === contents[0] ? signatureGas : 0,
        counters,
        storageLeft: { bytes: BigInt(content.storage_limit) },
      },
      content,
    );
    failed = !outcome.isApplied;
    applied.push({
      content,
      metadata: {
        ...fees,
        operation_result: outcome.result,
        ...unlessEmpty("internal_operation_results", outcome.internal),
      },
    });
  }
  if (!failed) {
    const context = writeContext(effects);
    for (let made = counters.temporaryBigMaps; made > 0; made--) context.forgetBigMap(BigInt(-made));
    effects.mergeInto(charged);
  }
  return {
    contents: failed ? applied.map(backtrack) : applied,
    layer: charged,
    readsTime: counters.readsTime,
    receiptBytes: counters.receiptBytes,
  };
}

/** Charges all fees first. An account emptied by its last fee is removed before anything is applied. */
function chargeFees(layer: Layer, contents: readonly Content[]): void {
  const context = writeContext(layer);
  for (const { source, fee, counter } of contents) {
    const account = existingAccount(context, source); // validated: it can pay all fees
    context.setAccount(source, { ...account, counter: BigInt(counter) });
    context.setGlobalCounter(context.globalCounter() + 1n);
    debit(context, source, mutezOf(fee));
  }
}

/** Marks contents applied before the failure, and their internal operations, as backtracked. */
function backtrack({ content, metadata }: AppliedContent): AppliedContent {
  const undo = (result: Result): Result =>
    result.status === "applied" ? { ...result, status: "backtracked" } : result;
  return {
    content,
    metadata: {
      ...metadata,
      operation_result: undo(metadata.operation_result),
      ...(metadata.internal_operation_results && {
        internal_operation_results: metadata.internal_operation_results.map((internal) => ({
          ...internal,
          result: undo(internal.result),
        })),
      }),
    },
  };
}
