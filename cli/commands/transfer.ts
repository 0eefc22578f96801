// `functez transfer`: moves tez between accounts of the runtime.
import { SandboxError } from "../../daemon/protocol/errors.ts";
import { isSmartFunctionAddress } from "../../daemon/protocol/runtime-address.ts";
import { formatTez } from "../../daemon/protocol/tez-text.ts";
import { parseTez } from "../../daemon/protocol/tez.ts";
import { currentUser } from "../config/account-lookup.ts";
import { openRuntime } from "../config/network.ts";
import { resolveAnyAddress } from "../config/sandbox-accounts.ts";
import type { CliContext } from "../context.ts";
import { sendOperation, sendTarget } from "../send-operation.ts";
import { gasLimitOf, showResponse } from "./run.ts";

export interface TransferOptions {
  readonly gasLimit: string;
  readonly include?: boolean;
  /** Alias of the account that signs; by default the one in use. */
  readonly account?: string;
  readonly network?: string;
  readonly yesPublicKey?: boolean;
}

export async function transfer(
  context: CliContext,
  amountText: string,
  receiver: string,
  options: TransferOptions,
): Promise<void> {
  const amount = parseTez(amountText);
  const config = await context.config.read();
  const user = currentUser(config, options.account);
  const address = await resolveAnyAddress({ context, config, network: options.network }, receiver);
  const opened = await openRuntime(context, config, options.network, "change");
  const { runtime } = opened;
  const balance = await runtime.balance(user.key.publicKey.address);
  if (balance < amount) {
    throw new SandboxError("INSUFFICIENT_BALANCE", {
      account: user.alias,
      balance: formatTez(balance),
      needed: formatTez(amount),
    });
  }
  const content = {
    _type: "RunFunction",
    // A function takes tez without running its code at this path; a user has no code.
    uri: `jstz://${address}${isSmartFunctionAddress(address) ? "/-/noop" : "/"}`,
    method: "POST",
    headers: { "x-jstz-transfer": amount.toString() },
    body: null,
    gasLimit: gasLimitOf(options.gasLimit),
  } as const;
  const target = sendTarget(opened, context, options);
  const { hash, receipt } = await sendOperation(target, user.key, content);
  if (receipt.result._type === "Failed") {
    throw new SandboxError("OPERATION_FAILED", {
      what: `The transfer of ${formatTez(amount)} XTZ to ${receiver}`,
      reason: receipt.result.inner,
    });
  }
  if (options.include) showResponse(context, receipt.result.inner, true);
  context.terminal.print(`Transferred ${formatTez(amount)} XTZ to ${receiver}`);
  context.terminal.data({ operation: hash, amount: amount.toString(), receiver: address });
}
