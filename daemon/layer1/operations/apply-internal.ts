// Applies the operations that scripts emit: depth first, in the order of emission.
import type { Job } from "../job.ts";
import type { InternalOperation } from "../michelson/internal-operation.ts";
import { MichelsonError, permanent } from "../michelson/michelson-error.ts";
import { applyDelegation } from "./apply-delegation.ts";
import { applyOrigination } from "./apply-origination.ts";
import { type Applied, applyCall } from "./apply-transaction.ts";
import { type Owed } from "./balance.ts";
import { type Execution, MANAGER_GAS } from "./execution.ts";
import { type InternalReceipt, type Result, errorsJson } from "./receipt.ts";
import { failureOf } from "./unexpected-failure.ts";

/** An applied operation whose storage is not paid for yet. */
export interface Done<P> {
  receipt: P;
  readonly owed: Owed | undefined;
}

/**
 * Applies the operations emitted by a content, and those that they emit in turn.
 * @param receipts gets one receipt each, even when one fails
 * @throws MichelsonError of the failed one
 */
export function* runInternal(
  execution: Execution,
  emitted: readonly InternalOperation[],
  receipts: Done<InternalReceipt>[],
): Job<void> {
  const record = (operation: InternalOperation, result: Result, owed?: Owed): void =>
    void receipts.push({ receipt: receiptOf(operation, result), owed });
  // The stack's top is next: operations emitted by one run before all those that wait.
  const waiting = emitted.toReversed();
  for (let operation = waiting.pop(); operation; operation = waiting.pop()) {
    const usedBefore = execution.gas.used;
    try {
      requireFirst(execution, operation);
      const { parts, emitted: further, owed } = yield* applyInternal(execution, operation);
      const consumed_milligas = (execution.gas.used - usedBefore).toString();
      record(operation, { status: "applied", ...parts, consumed_milligas }, owed);
      for (const next of further.toReversed()) waiting.push(next);
    } catch (error) {
      const failure = failureOf(error, execution.block.onFault);
      record(operation, { status: "failed", errors: errorsJson(failure.errors, execution.block.protocol) });
      for (const skipped of waiting.toReversed()) record(skipped, { status: "skipped" });
      throw failure;
    }
  }
}

/** Source: Octez, `apply.ml`, `Internal_operation_replay`. @throws MichelsonError internal_operation_replay */
function requireFirst({ counters: { appliedNonces } }: Execution, operation: InternalOperation): void {
  if (appliedNonces.has(operation.nonce))
    throw new MichelsonError(
      permanent("internal_operation_replay", { internal_operation: operationJson(operation) }),
    );
  appliedNonces.add(operation.nonce);
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

/** JSON of an internal operation, as in RPCs. */
export function operationJson(operation: InternalOperation): {
  readonly kind: string;
  readonly source: string;
  readonly nonce: number;
} {
  const { kind, source, nonce } = operation;
  const base = { kind, source, nonce };
  switch (operation.kind) {
    case "transaction": {
      const value = operation.written;
      const isPlain = operation.entrypoint === "default" && "prim" in value && value.prim === "Unit";
      const { destination, entrypoint } = operation;
      const amount = operation.amount.toString();
      const sent = { kind, source, nonce, amount, destination };
      const called = { kind, source, nonce, amount, destination, parameters: { entrypoint, value } };
      return isPlain ? sent : called;
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
