// Common to all deposits over a bridge: who takes part, the progress of the layer 1 operation, the wait for the
// runtime's credit, and the report.
import { createLayer1Client } from "../../daemon/client/layer1-client.ts";
import type { IncludedOperation, SendOptions } from "../../daemon/client/layer1-operation.ts";
import type { RuntimeClient } from "../../daemon/client/runtime-client.ts";
import { SandboxError } from "../../daemon/protocol/errors.ts";
import { formatTez } from "../../daemon/protocol/tez-text.ts";
import { openRuntime } from "../config/network.ts";
import { requirePrivateKey } from "../config/public-keys.ts";
import { resolveAnyAddress, resolveLayer1Sender } from "../config/sandbox-accounts.ts";
import type { CliContext } from "../context.ts";
import { pollUntil } from "../interruptible.ts";
import { heldNote } from "../send-operation.ts";

export interface BridgeOptions {
  readonly from: string;
  readonly to: string;
  readonly network?: string;
  readonly yesPublicKey?: boolean;
  /** false: return once the operation is included on layer 1. */
  readonly wait: boolean;
}

/** Both ends of a deposit. @throws SandboxError */
export async function openDeposit(context: CliContext, options: BridgeOptions) {
  const config = await context.config.read();
  const lookup = { context, config, network: options.network };
  const sender = await resolveLayer1Sender(lookup, options.from);
  const receiver = await resolveAnyAddress(lookup, options.to);
  const { network, runtime } = await openRuntime(context, config, options.network, "change");
  requirePrivateKey(sender.address, { ...network, yesPublicKey: options.yesPublicKey });
  return { config, sender, receiver, runtime, layer1: createLayer1Client(network.layer1, context.signal) };
}

/** The line that says how the deposit went through on layer 1. */
export const inclusionText = ({ hash, level, fee }: IncludedOperation): string =>
  `Layer 1 operation ${hash}, level ${level}, fee ${formatTez(fee)} tez`;

/** The data that every deposit reports. */
export const depositAsJson = ({ hash, level, fee }: IncludedOperation, amount: bigint, receiver: string) => ({
  operation: hash,
  level,
  fee: fee.toString(),
  amount: amount.toString(),
  receiver,
});

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
  {
    runtime,
    context: { signal, terminal },
  }: {
    readonly runtime: Pick<RuntimeClient, "held">;
    readonly context: Pick<CliContext, "signal" | "terminal">;
  },
  read: () => Promise<Credit | undefined>,
): Promise<Credit> {
  return pollUntil(
    {
      signal,
      what: "Waiting for the credit",
      next: "The deposit is on layer 1; the runtime will credit it.",
      limitMs: CREDIT_TIMEOUT_MS,
      pollMs: CREDIT_POLL_MS,
      async isExcused() {
        const held = await runtime.held().catch(() => undefined);
        if (held !== undefined) terminal.note(heldNote(operation, held));
        return held !== undefined;
      },
      late: () => new SandboxError("DEPOSIT_TIMEOUT", { operation, seconds: CREDIT_TIMEOUT_MS / 1000 }),
    },
    read,
  );
}
