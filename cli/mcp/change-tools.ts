// The tools that change the sandbox: each runs the command of the same name in this process.
import type { SandboxClient } from "../../daemon/client/sandbox-client.ts";
import { sourceInFolders } from "../../daemon/local/source-in-folders.ts";
import { DEFAULT_GAS_LIMIT, SANDBOX_NETWORK } from "../../daemon/protocol/constants.ts";
import { optional, pick, textOf, type ToolCall, type ToolRun } from "./tool-call.ts";

/** Tools act on the sandbox only, whatever the user's default network is. */
const network = SANDBOX_NETWORK;

/** The result data of the command. */
const resultOf = ({ context }: ToolCall) => context.terminal.result() as Record<string, unknown>;

export const CHANGE_TOOLS = {
  functez_start: async (call) => {
    const { startSandbox } = await import("../commands/sandbox.ts");
    await startSandbox(call.context, {
      detach: true,
      ...(call.config !== undefined && { config: call.config }),
    });
    return pick(resultOf(call), ["running", "endpoints", "accounts"]);
  },
  functez_stop: async (call) => {
    const { stopSandbox } = await import("../commands/sandbox.ts");
    await stopSandbox(call.context, { yes: true });
    return pick(resultOf(call), ["running", "stopped"]);
  },
  functez_create_account: async (call) => {
    const { createAccount } = await import("../commands/account.ts");
    await createAccount(call.context, textOf(call, "alias"), { passphrase: "" });
    return pick(resultOf(call), ["alias", "address", "loggedIn"]);
  },
  functez_deposit: async (call) => {
    const { deposit } = await import("../commands/deposit.ts");
    const [from, to, amount] = [textOf(call, "from"), textOf(call, "to"), textOf(call, "amount")];
    await deposit(call.context, { from, to, amount, network, wait: true });
    return resultOf(call);
  },
  functez_deploy: async (call) => {
    const { deploy } = await import("../commands/deploy.ts");
    const folders = await call.folders();
    const file = await sourceInFolders(textOf(call, "file"), folders);
    await deploy(call.context, file, {
      ...{ name: textOf(call, "alias"), force: true, network },
      within: folders, // code that a model writes into them must not run on this machine either
    });
    return resultOf(call);
  },
  functez_call: async (call) => {
    const { run } = await import("../commands/run.ts");
    const method = textOf(call, "method") || "GET";
    const { body } = optional(call, "body");
    await run(call.context, textOf(call, "url"), {
      method,
      network,
      gasLimit: String(DEFAULT_GAS_LIMIT),
      ...(body !== undefined && { dataRaw: body }), // never the name of a file
      ...optional(call, "account"),
      ...optional(call, "amount"),
    });
    return resultOf(call);
  },
  functez_snapshot: async (call) => {
    const { takeSnapshot } = await import("../commands/snapshots.ts");
    const { name } = optional(call, "name");
    await withSandbox(call, (client) => takeSnapshot(call.context, client, name, {}));
    return resultOf(call);
  },
  functez_restore: async (call) => {
    const { restoreSnapshot } = await import("../commands/snapshots.ts");
    const { name } = optional(call, "name");
    await withSandbox(call, (client) => restoreSnapshot(call.context, client, name));
    return resultOf(call);
  },
} satisfies Readonly<Record<string, ToolRun>>;

async function withSandbox(
  { context }: ToolCall,
  work: (client: SandboxClient) => Promise<void>,
): Promise<void> {
  const commands = await import("../commands/sandbox.ts");
  await commands.withSandbox(context, {}, work);
}
