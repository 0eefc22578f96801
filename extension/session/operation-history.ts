// Operations that ran before this window looked, or while its events were broken off: the runtime keeps the latest.
import type { RuntimeClient } from "../../daemon/client/runtime-client.ts";

/** A finished operation or deposit, with the fields that the runtime's stream tells of it. */
export interface OperationRecord {
  readonly kind: "operation" | "deposit";
  readonly hash: string;
  readonly at: Date;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The latest operations and deposits, newest first; none where a node keeps no such lists. @throws SandboxError */
export async function recentOperations(
  runtime: Pick<RuntimeClient, "operations" | "deposits">,
  limit: number,
): Promise<OperationRecord[]> {
  const [finished = [], deposits = []] = await Promise.all([runtime.operations(limit), runtime.deposits()]);
  const calls = finished
    .filter(({ operation }) => !operation.endsWith("Deposit"))
    .map((operation) => record("operation", operation, { ...operation }));
  const credits = deposits.map(({ receipt, ...deposit }) =>
    record("deposit", deposit, { ...deposit, success: receipt.result._type === "Success" }),
  );
  return newestFirst([...calls, ...credits]).slice(0, limit);
}

/** Both lists as one, newest first, each operation once: what was seen as it happened stays. */
export function mergeOperations(
  seen: readonly OperationRecord[],
  kept: readonly OperationRecord[],
  limit: number,
): OperationRecord[] {
  const further = kept.filter((old) => !seen.some((live) => isSame(live, old)));
  return newestFirst([...seen, ...further]).slice(0, limit);
}

/** The same run of an operation: one that is sent again has the same hash, and fails where the first succeeded. */
export function isSame(one: OperationRecord, other: OperationRecord): boolean {
  return one.hash === other.hash && one.kind === other.kind && one.data["success"] === other.data["success"];
}

function record(
  kind: OperationRecord["kind"],
  { hash, at }: { readonly hash: string; readonly at: string },
  data: OperationRecord["data"],
): OperationRecord {
  return { kind, hash, at: new Date(at), data };
}

function newestFirst(records: readonly OperationRecord[]): OperationRecord[] {
  return [...records].sort((a, b) => b.at.getTime() - a.at.getTime());
}
