// `functez bridge withdraw`: moves tez from the runtime back to layer 1.
import { createLayer1Client } from "../../daemon/client/layer1-client.ts";
import { SandboxError } from "../../daemon/protocol/errors.ts";
import { formatTez } from "../../daemon/protocol/tez-text.ts";
import { parseTez } from "../../daemon/protocol/tez.ts";
import { currentUser } from "../config/account-lookup.ts";
import { openRuntime } from "../config/network.ts";
import { resolveAnyAddress } from "../config/sandbox-accounts.ts";
import type { CliContext } from "../context.ts";
import { sendWithdrawal, untilArrived } from "./bridge-withdrawal.ts";

export interface WithdrawOptions {
  readonly to: string;
  readonly amount: string;
  /** Alias of the account that signs; by default the one in use. */
  readonly account?: string;
  readonly network?: string;
  readonly yesPublicKey?: boolean;
  /** false: return once the runtime has queued the withdrawal. */
  readonly wait: boolean;
}

export async function withdraw(context: CliContext, options: WithdrawOptions): Promise<void> {
  const { terminal, signal } = context;
  const amount = parseTez(options.amount);
  const config = await context.config.read();
  const user = currentUser(config, options.account);
  const receiver = await resolveAnyAddress({ context, config, network: options.network }, options.to);
  const { network, runtime } = await openRuntime(context, config, options.network, "change");
  const layer1 = createLayer1Client(network.layer1, signal);
  const balance = await runtime.balance(user.key.publicKey.address);
  if (balance < amount) {
    const [has, needed] = [formatTez(balance), formatTez(amount)];
    throw new SandboxError("INSUFFICIENT_BALANCE", { account: user.alias, balance: has, needed });
  }
  const before = await layer1.balance(receiver);
  await terminal.withStep("Sending the withdrawal", async (step) => {
    const body = `{"amount":${amount},"receiver":"${receiver}"}`;
    const hash = await sendWithdrawal(context, {
      user,
      network,
      host: "withdraw",
      body,
      yesPublicKey: options.yesPublicKey,
    });
    let after: bigint | undefined;
    if (options.wait) {
      step.update("Waiting for layer 1 to execute it");
      after = await untilArrived(signal, before + amount, () => layer1.balance(receiver));
    }
    step.done(`Operation ${hash}`);
    terminal.print(`Withdrew ${formatTez(amount)} XTZ from ${user.alias} to ${options.to}`);
    if (after !== undefined) terminal.note(`  ${options.to}: ${formatTez(after)} tez on layer 1`);
    terminal.data({
      operation: hash,
      amount: amount.toString(),
      receiver,
      arrived: after !== undefined,
      ...(after === undefined ? {} : { layer1Balance: after.toString() }),
    });
  });
}
