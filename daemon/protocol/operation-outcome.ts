// What became of an operation and of the calls in it.
import type { CallTrace, FinishedOperation } from "./call-trace.ts";

/** Whether an operation failed: it was rejected, threw, or returned an error status. */
export const hasFailed = ({
  success,
  statusCode,
}: Partial<Pick<FinishedOperation, "statusCode">> & Pick<FinishedOperation, "success">): boolean =>
  !success || (statusCode ?? 200) >= 400;

/** The call that failed first, innermost: a call that fails because of it has its error too. */
export function failedCall(root: CallTrace): CallTrace | undefined {
  for (const child of root.calls) {
    const found = failedCall(child);
    if (found) return found;
  }
  return root.error ? root : undefined;
}

/** Gas of a call with that of all that it called. */
export const gasOfCall = (call: CallTrace): number =>
  call.calls.reduce((sum, inner) => sum + gasOfCall(inner), call.gas);
