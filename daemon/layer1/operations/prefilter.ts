// Checks of a node's mempool before validation.
import type { Operation } from "../../tezos/content.ts";
import { permanent, temporary } from "../michelson/michelson-error.ts";
import { OperationRefused } from "./operation-refused.ts";

/** Sums of operations: those that wait are compared with each other at every block. */
const sums = new WeakMap<Operation, { readonly gas: bigint; readonly fee: bigint }>();

function sumsOf(operation: Operation): { readonly gas: bigint; readonly fee: bigint } {
  const known = sums.get(operation);
  if (known) return known;
  let [gas, fee] = [0n, 0n];
  for (const content of operation.contents) {
    gas += BigInt(content.gas_limit);
    fee += BigInt(content.fee);
  }
  sums.set(operation, { gas, fee });
  return { gas, fee };
}

/** Sum of the gas limits of all contents. */
export const gasOf = (operation: Operation): bigint => sumsOf(operation).gas;

const feeOf = (operation: Operation): bigint => sumsOf(operation).fee;

/** Below zero when the first pays more for a unit of gas, as bakers order operations. */
export function compareFees(one: Operation, other: Operation): number {
  const difference = feeOf(other) * gasOf(one) - feeOf(one) * gasOf(other);
  return difference > 0n ? 1 : difference < 0n ? -1 : 0;
}

/** Enforces the mempool's minimum fee: 100 mutez, 0.1 per unit of gas, 1 per byte. */
export function checkFees(operation: Operation, size: number): void {
  const needed = 100n + (gasOf(operation) + 9n) / 10n + BigInt(size);
  if (feeOf(operation) < needed)
    throw new OperationRefused([
      permanent("prefilter.fees_too_low", { needed_fee_in_mutez: needed.toString() }),
    ]);
}

/** The refusal because of another pending operation of the same source, which would have to be outbid. */
export function conflict(pending: Operation, hash: string): OperationRefused {
  const fee = feeOf(pending);
  return new OperationRefused(
    [
      temporary("prevalidation.operation_conflict", {
        new_hash: hash,
        needed_fee_in_mutez: ((fee * 21n) / 20n + 1n).toString(),
      }),
    ],
    true,
  );
}
