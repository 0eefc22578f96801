// Common to all deposits over a bridge: reports the progress of the layer 1 operation, and waits for the runtime's
// credit.
import type { SendOptions } from "../../daemon/client/layer1-operation.ts";
import { SandboxError } from "../../daemon/protocol/errors.ts";
import { pollUntil } from "../interruptible.ts";

const CREDIT_TIMEOUT_MS = 30_000;
const CREDIT_POLL_MS = 20;

/** Reports the steps of a layer 1 operation. */
export function reportSteps(step: { update(text: string): void }): NonNullable<SendOptions["onStep"]> {
  return (stage, detail) => {
    if (stage === "simulated") step.update("Injecting the operation");
    if (stage === "injected") step.update(`Operation ${detail.slice(0, 12)}…: waiting for its block`);
  };
}

/**
 * Polls until the runtime has credited the deposit.
 * @param operation hash of the deposit's operation on layer 1
 * @throws SandboxError CANCELLED, DEPOSIT_TIMEOUT, and the errors of `read`
 */
export function untilCredited<Credit>(
  operation: string,
  signal: AbortSignal,
  read: () => Promise<Credit | undefined>,
): Promise<Credit> {
  return pollUntil(
    {
      signal,
      what: "Waiting for the credit",
      next: "The deposit is on layer 1; the runtime will credit it.",
      limitMs: CREDIT_TIMEOUT_MS,
      pollMs: CREDIT_POLL_MS,
      late: () => new SandboxError("DEPOSIT_TIMEOUT", { operation, seconds: CREDIT_TIMEOUT_MS / 1000 }),
    },
    read,
  );
}
