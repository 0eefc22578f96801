// Which operations the view shows.
import { hasFailed } from "../../daemon/protocol/operation-outcome.ts";
import type { OperationRecord } from "./operation-history.ts";

export type OperationFilter =
  | { readonly kind: "all" | "failed" | "calls" | "deploys" | "deposits" }
  /** Of or to an account or function. */
  | { readonly kind: "address"; readonly address: string };

export function matches(record: OperationRecord, filter: OperationFilter): boolean {
  switch (filter.kind) {
    case "all":
      return true;
    case "failed":
      return hasFailed(record.data);
    case "calls":
      return record.kind === "operation" && record.data.operation === "RunFunction";
    case "deploys":
      return record.kind === "operation" && record.data.operation === "DeployFunction";
    case "deposits":
      return record.kind === "deposit";
    case "address":
      return addressesOf(record).includes(filter.address);
  }
}

/** The accounts and functions of an operation: who sent it, and to whom. */
export function addressesOf(record: OperationRecord): string[] {
  if (record.kind === "deposit") return [record.data.receiver];
  const { sender, target } = record.data;
  return target === null || target === sender ? [sender] : [sender, target];
}
