// Inspects receipts in tests.
import type { DevelopmentAccount } from "../../protocol/constants.ts";
import type { Metadata, Result } from "../operations/receipt.ts";
import { type Draft, type DrivenChain, errorIds } from "./driven-chain.ts";

/** The result of an operation that must have been applied. @throws Error with its errors otherwise */
export function requireApplied(result: Result): Extract<Result, { status: "applied" | "backtracked" }> {
  if (result.status === "applied") return result;
  throw new Error(`not applied: ${JSON.stringify(result)}`);
}

/** The result of the last content of an operation. @throws Error when it was not applied */
export const appliedResult = (metadata: readonly Metadata[]): ReturnType<typeof requireApplied> =>
  requireApplied(metadata.at(-1)!.operation_result);

/** Error ids of an account's failed operation, without the protocol's prefix. */
export async function failure(
  driven: DrivenChain,
  draft: Draft,
  account?: DevelopmentAccount,
): Promise<readonly string[]> {
  const metadata = await driven.apply(draft, account);
  return errorIds(metadata.at(-1)!.operation_result);
}

/** Balance updates of a result. */
export const updates = (result: object): readonly object[] =>
  (result as { balance_updates?: readonly object[] }).balance_updates ?? [];
