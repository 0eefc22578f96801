// Operations from before this window attached, or from a gap in its events: the runtime keeps the latest.
import type { RuntimeClient } from "../../daemon/client/runtime-client.ts";
import type { DepositEvent, OperationEvent } from "../../daemon/protocol/runtime-event.ts";

/** A finished operation or deposit, with the fields of the runtime's stream. */
export type OperationRecord = { readonly at: Date } & (
  | { readonly kind: "operation"; readonly data: OperationEvent }
  | { readonly kind: "deposit"; readonly data: DepositEvent }
);

/** The latest operations and deposits, newest first; empty for a node without such lists. @throws SandboxError */
export async function recentOperations(
  runtime: Pick<RuntimeClient, "operations" | "deposits">,
  limit: number,
): Promise<OperationRecord[]> {
  const [finished = [], deposits = []] = await Promise.all([runtime.operations(limit), runtime.deposits()]);
  const calls = finished
    .filter(({ operation }) => !operation.endsWith("Deposit"))
    .map(({ at, deployed: _deployed, ...data }) => ({ kind: "operation", at: new Date(at), data }) as const);
  const credits = deposits.map(({ at, receipt, level, index, hash, receiver, amount }) => {
    const success = receipt.result._type === "Success";
    const data = { level, index, hash, receiver, amount, success };
    return { kind: "deposit", at: new Date(at), data } as const;
  });
  return newestFirst([...calls, ...credits]).slice(0, limit);
}

/** Merges both lists, newest first, each operation once: entries seen live win. */
export function mergeOperations(
  seen: readonly OperationRecord[],
  kept: readonly OperationRecord[],
  limit: number,
): OperationRecord[] {
  const further = kept.filter((old) => !seen.some((live) => isSame(live, old)));
  return newestFirst([...seen, ...further]).slice(0, limit);
}

/** Whether both are the same run: an operation sent again has the same hash, and fails where the first succeeded. */
export function isSame(one: OperationRecord, other: OperationRecord): boolean {
  return (
    one.data.hash === other.data.hash && one.kind === other.kind && one.data.success === other.data.success
  );
}

function newestFirst(records: readonly OperationRecord[]): OperationRecord[] {
  return [...records].sort((a, b) => b.at.getTime() - a.at.getTime());
}
