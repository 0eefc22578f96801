// A whole operation: fees and counters first, then its contents, all or nothing.
import { writeContext } from "../chain/context.ts";
import { Layer } from "../chain/store.ts";
import { GasMeter } from "../michelson/gas.ts";
import { applyContent } from "./apply-content.ts";
import type { Content } from "./content.ts";
import type { BlockFrame, OperationCounters } from "./execution.ts";
import { type Metadata, type Result, feeUpdates, unlessEmpty } from "./receipt.ts";

export interface AppliedContent {
  readonly content: Content;
  readonly metadata: Metadata;
}

/**
 * Applies a validated operation to the state of a block under way.
 * @throws CurvesNeeded when a script checks a signature of a kind that is not loaded yet; nothing was written then
 */
export function applyOperation(
  target: Layer,
  contents: readonly Content[],
  operationHash: Uint8Array,
  block: BlockFrame,
): readonly AppliedContent[] {
  const charged = new Layer(target);
  chargeFees(charged, contents);
  const effects = new Layer(charged);
  const counters: OperationCounters = { nonce: 0, originations: 0 };
  const applied: AppliedContent[] = [];
  let failed = false;
  for (const content of contents) {
    const fees = unlessEmpty("balance_updates", feeUpdates(content.source, BigInt(content.fee)));
    if (failed) {
      applied.push({ content, metadata: { ...fees, operation_result: { status: "skipped" } } });
      continue;
    }
    const outcome = applyContent(
      {
        context: writeContext(effects),
        block,
        operationHash,
        payer: content.source,
        gas: new GasMeter(Number(content.gas_limit) * 1000),
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
  if (!failed) effects.mergeInto(charged);
  charged.mergeInto(target);
  return failed ? applied.map(backtrack) : applied;
}

function chargeFees(layer: Layer, contents: readonly Content[]): void {
  const context = writeContext(layer);
  for (const { source, fee, counter } of contents) {
    const account = context.account(source)!; // validated: the source exists
    context.setAccount(source, {
      ...account,
      balance: account.balance - BigInt(fee),
      counter: BigInt(counter),
    });
    context.setGlobalCounter(context.globalCounter() + 1n);
  }
}

/** What was applied before the failure is undone, internal operations too. */
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
