// Stands in for the oracle where an external program plays it: requests wait for an operation that answers them.
import { type CallResponse, textResponse } from "../call/http-message.ts";
import type { Oracle } from "./oracle.ts";

/** @param timeoutMs time until a request is answered 408 */
export function createExternalOracle(timeoutMs: number): Oracle {
  const stopped = new AbortController();
  return {
    ask: (_request, { signal }) =>
      new Promise<CallResponse>((resolve) => {
        const timer = setTimeout(end, timeoutMs);
        function end(): void {
          clearTimeout(timer);
          signal.removeEventListener("abort", end);
          stopped.signal.removeEventListener("abort", end);
          resolve(textResponse(408, "Request Timeout", "Oracle request timed out"));
        }
        signal.addEventListener("abort", end);
        stopped.signal.addEventListener("abort", end);
      }),
    stop: () => stopped.abort(),
  };
}
