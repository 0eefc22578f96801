// Looking at receipts in tests.
import type { Result } from "../operations/receipt.ts";

/** The result of an operation that must have been applied. @throws Error with its errors when it was not */
export function unlessApplied(result: Result): Extract<Result, { status: "applied" | "backtracked" }> {
  if (result.status === "applied") return result;
  throw new Error(`not applied: ${JSON.stringify(result)}`);
}
