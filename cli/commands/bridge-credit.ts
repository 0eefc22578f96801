// What every deposit over a bridge does: says where its layer 1 operation is, and waits for the runtime's credit.
import type { SendOptions } from "../../daemon/client/layer1-operation.ts";
import { SandboxError } from "../../daemon/protocol/errors.ts";
import { lookUntil } from "../interruptible.ts";

const CREDIT_TIMEOUT_MS = 30_000;
const CREDIT_POLL_MS = 20;

/** Tells the steps of an operation on layer 1. */
export function tellSteps(step: { update(text: string): void }): NonNullable<SendOptions["onStep"]> {
  return (stage, detail) => {
    if (stage === "simulated") step.update("Injecting the operation");
    if (stage === "injected") step.update(`Operation ${detail.slice(0, 12)}…: waiting for its block`);
  };
}

/**
 * Looks until there is something to see.
 * @param operation hash of the deposit's operation on layer 1
 * @throws SandboxError CANCELLED, DEPOSIT_TIMEOUT, and what `look` throws
 */
export function untilCredited<Credit>(
  operation: string,
  signal: AbortSignal,
  look: () => Promise<Credit | undefined>,
): Promise<Credit> {
  return lookUntil(
    {
      signal,
      what: "Waiting for the credit",
      next: "The deposit is on layer 1; the runtime credits it by itself.",
      limitMs: CREDIT_TIMEOUT_MS,
      pollMs: CREDIT_POLL_MS,
      late: () => new SandboxError("DEPOSIT_TIMEOUT", { operation, seconds: CREDIT_TIMEOUT_MS / 1000 }),
    },
    look,
  );
}
