// Common to all withdrawals over a bridge: calls a host function of the runtime, and waits for layer 1 to pay.
import { createRuntimeClient } from "../../daemon/client/runtime-client.ts";
import { SandboxError } from "../../daemon/protocol/errors.ts";
import type { ReceiptResult, RunReceipt } from "../../daemon/protocol/runtime-receipt.ts";
import type { Signer } from "../config/account-lookup.ts";
import type { Network } from "../config/network.ts";
import type { CliContext } from "../context.ts";
import { pollUntil } from "../interruptible.ts";
import { sendOperation, sendTarget } from "../send-operation.ts";

/** The host functions use hardly any gas; the Jstz CLI sends the same limit. */
const WITHDRAW_GAS_LIMIT = 10n;
const ARRIVAL_TIMEOUT_MS = 60_000;
const ARRIVAL_POLL_MS = 50;

export interface Withdrawal {
  readonly user: Signer;
  readonly network: Network;
  readonly yesPublicKey?: boolean | undefined;
  /** Name of the host function. */
  readonly host: "withdraw" | "fa-withdraw";
  /** JSON text, so that amounts are exact. */
  readonly body: string;
  /** What to do when the runtime rejects the withdrawal, if known. */
  readonly advice?: string | undefined;
}

/** Sends a withdrawal; resolves with the hash of its operation once the runtime has queued it. @throws SandboxError */
export async function sendWithdrawal(
  context: CliContext,
  { user, network, host, body, advice, yesPublicKey }: Withdrawal,
): Promise<string> {
  const content = {
    _type: "RunFunction",
    uri: `jstz://jstz/${host}`,
    method: "POST",
    headers: { "content-type": "application/json" },
    body: Buffer.from(body).toString("base64"),
    gasLimit: WITHDRAW_GAS_LIMIT,
  } as const;
  const runtime = createRuntimeClient(network.runtime);
  const target = sendTarget({ network, runtime }, context, { yesPublicKey });
  const { hash, receipt } = await sendOperation(target, user.key, content);
  const reason = failureOf(receipt.result);
  if (reason === undefined) return hash;
  throw new SandboxError("OPERATION_FAILED", {
    what: "The withdrawal",
    reason,
    ...(advice === undefined ? {} : { next: advice }),
  });
}

function failureOf(result: ReceiptResult<RunReceipt>): string | undefined {
  if (result._type === "Failed") return result.inner;
  const { statusCode, body } = result.inner;
  if (statusCode < 300) return undefined;
  const text = Buffer.from(body ?? "", "base64").toString("utf8");
  try {
    return (JSON.parse(text) as { message?: string }).message ?? text;
  } catch {
    return text || `status ${statusCode}`; // a plain sentence
  }
}

/** Resolves with the balance on layer 1 once it has reached the expected one. @throws SandboxError */
export function untilArrived(
  signal: AbortSignal,
  expected: bigint,
  read: () => Promise<bigint>,
): Promise<bigint> {
  return pollUntil(
    {
      signal,
      what: "Waiting for layer 1",
      next: "The withdrawal is queued; layer 1 will execute it.",
      limitMs: ARRIVAL_TIMEOUT_MS,
      pollMs: ARRIVAL_POLL_MS,
      late: () =>
        new SandboxError("OPERATION_FAILED", {
          what: "Waiting for the withdrawal",
          reason: `layer 1 has not executed it after ${ARRIVAL_TIMEOUT_MS / 1000} s`,
          next: "It is queued: layer 1 executes it when its commitment is cemented. Use --no-wait to return without waiting.",
        }),
    },
    async () => {
      const balance = await read();
      return balance >= expected ? balance : undefined;
    },
  );
}
