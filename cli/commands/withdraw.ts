// `functez bridge withdraw`: moves tez from the runtime back to layer 1.
import { createLayer1Client } from "../../daemon/client/layer1-client.ts";
import { createRuntimeClient, type RunReceipt } from "../../daemon/client/runtime-client.ts";
import { SandboxError } from "../../daemon/protocol/errors.ts";
import { formatTez, parseTez } from "../../daemon/protocol/tez.ts";
import { currentUser } from "../config/account-lookup.ts";
import { resolveNetwork } from "../config/network.ts";
import { resolveAnyAddress } from "../config/sandbox-accounts.ts";
import type { CliContext } from "../context.ts";
import { sendOperation } from "../send-operation.ts";

export interface WithdrawOptions {
  readonly to: string;
  readonly amount: string;
  readonly network?: string;
  /** false: return once the runtime has queued the withdrawal. */
  readonly wait: boolean;
}

/** The host function takes hardly any gas; the Jstz CLI sends the same limit. */
const WITHDRAW_GAS_LIMIT = 10n;
const ARRIVAL_TIMEOUT_MS = 60_000;
const ARRIVAL_POLL_MS = 50;

export async function withdraw(context: CliContext, options: WithdrawOptions): Promise<void> {
  const { terminal } = context;
  const amount = parseTez(options.amount);
  const config = await context.config.read();
  const user = currentUser(config);
  const receiver = await resolveAnyAddress({ context, config, network: options.network }, options.to);
  const network = await resolveNetwork(config, options.network, context.env);
  const runtime = createRuntimeClient(network.runtime);
  const layer1 = createLayer1Client(network.layer1);
  const balance = await runtime.balance(user.key.publicKey.address);
  if (balance < amount) {
    const [has, needed] = [formatTez(balance), formatTez(amount)];
    throw new SandboxError("INSUFFICIENT_BALANCE", { account: user.alias, balance: has, needed });
  }
  const before = await layer1.balance(receiver);
  const step = terminal.step("Sending the withdrawal");
  try {
    const content = {
      _type: "RunFunction",
      uri: "jstz://jstz/withdraw",
      method: "POST",
      headers: { "content-type": "application/json" },
      body: Buffer.from(`{"amount":${amount},"receiver":"${receiver}"}`).toString("base64"),
      gasLimit: WITHDRAW_GAS_LIMIT,
    } as const;
    const { hash, receipt } = await sendOperation(runtime, user.key, content, context.signal);
    requireSuccess(receipt.result);
    let after: bigint | undefined;
    if (options.wait) {
      step.update("Waiting for layer 1 to execute it");
      after = await awaitArrival(() => layer1.balance(receiver), before + amount, context.signal);
    }
    step.done(`Operation ${hash}`);
    terminal.print(`Withdrew ${formatTez(amount)} XTZ from ${user.alias} to ${options.to}`);
    if (after !== undefined) terminal.note(`  ${options.to}: ${formatTez(after)} tez on layer 1`);
    terminal.data({ operation: hash, amount: amount.toString(), receiver, arrived: after !== undefined });
  } catch (error) {
    step.abandon();
    throw error;
  }
}

function requireSuccess(result: { readonly _type: string; readonly inner: unknown }): void {
  const what = "The withdrawal";
  if (result._type === "Failed") throw new SandboxError("OPERATION_FAILED", { what, reason: result.inner });
  const { statusCode, body } = result.inner as RunReceipt;
  if (statusCode < 300) return;
  const text = Buffer.from(body ?? "", "base64").toString("utf8");
  throw new SandboxError("OPERATION_FAILED", { what, reason: text || `status ${statusCode}` });
}

/** Resolves with the balance once it has reached what is expected. @throws SandboxError */
async function awaitArrival(
  read: () => Promise<bigint>,
  expected: bigint,
  signal: AbortSignal,
): Promise<bigint> {
  const end = performance.now() + ARRIVAL_TIMEOUT_MS;
  for (;;) {
    const balance = await read();
    if (balance >= expected) return balance;
    if (signal.aborted)
      throw new SandboxError("CANCELLED", {
        what: "Waiting for layer 1",
        next: "The withdrawal is queued; layer 1 executes it by itself.",
      });
    if (performance.now() > end) {
      throw new SandboxError("OPERATION_FAILED", {
        what: "Waiting for the withdrawal",
        reason: `layer 1 has not executed it after ${ARRIVAL_TIMEOUT_MS / 1000} s`,
        next: "It is queued: layer 1 executes it when its commitment is cemented. Use --no-wait not to wait.",
      });
    }
    await new Promise((resolve) => setTimeout(resolve, ARRIVAL_POLL_MS));
  }
}
