// `functez deploy`: bundles, signs and deploys a smart function.
import { SandboxError } from "../../daemon/protocol/errors.ts";
import type { DeployReceipt, ReceiptResult } from "../../daemon/protocol/runtime-receipt.ts";
import { parseTezOrZero } from "../../daemon/protocol/tez.ts";
import { sizeText } from "../../daemon/text/byte-size.ts";
import { loadFunction } from "../bundle-function.ts";
import { currentUser } from "../config/account-lookup.ts";
import { openRuntime } from "../config/network.ts";
import { noticeForeignSecret, requireNoOwnKey } from "../config/own-keys.ts";
import type { CliContext } from "../context.ts";
import { sendOperation, sendTarget } from "../send-operation.ts";
import { shelveSource } from "../shelve-source.ts";
import { requireFreeAlias } from "./account.ts";

export interface DeployOptions {
  readonly name?: string;
  readonly balance?: string;
  readonly force?: boolean;
  /** Alias of the account that signs; by default the one in use. */
  readonly account?: string;
  readonly network?: string;
  /** false: deploy to a network that is not the sandbox whatever `functez check` finds. */
  readonly check?: boolean;
  readonly yesPublicKey?: boolean;
  /** Folders that the source and its imports must lie in; no bundler of the project runs then. */
  readonly within?: readonly string[];
  /** Called with the source files of the code, as soon as they are known. */
  readonly onInputs?: (files: readonly string[]) => void;
}

export async function deploy(
  context: CliContext,
  source: string | undefined,
  options: DeployOptions,
): Promise<void> {
  const { terminal } = context;
  const accountCredit = parseTezOrZero(options.balance ?? "0");
  const config = await context.config.read();
  const user = currentUser(config, options.account);
  if (options.name !== undefined) {
    const existing = Object.hasOwn(config.accounts, options.name) ? config.accounts[options.name] : undefined;
    // A deploy may move the alias of a function to its newer version, but never overwrites an account with a key.
    requireFreeAlias(
      config,
      options.name,
      options.force === true && existing !== undefined && !("User" in existing),
    );
  }
  const opened = await openRuntime(context, config, options.network, "change");
  const { network } = opened;
  await terminal.withStep("Building", async (step) => {
    const isChecked = !network.isSandbox && options.check !== false;
    const given = source ?? (await pipedCode(context));
    const { isSandbox } = network;
    const loaded = await loadFunction(given, process.cwd(), {
      withMap: isChecked || isSandbox,
      withTexts: isSandbox,
      within: options.within,
    });
    const { code, bundled } = loaded;
    const named = loaded.file ?? "The code";
    await requireNoOwnKey(context, named, code);
    noticeForeignSecret(context, named, code, options.within !== undefined);
    options.onInputs?.(loaded.inputs);
    for (const { name, chain } of loaded.absent)
      terminal.note(
        `Using the module ${name} would fail: smart functions do not have it (${chain.join(" → ")}).`,
      );
    if (isChecked)
      (await import("../check/before-deploy.ts")).checkBeforeDeploy(context, loaded, network.name);
    const size = sizeText(Buffer.byteLength(code));
    step.update(`Deploying ${size}`);
    const content = { _type: "DeployFunction", functionCode: code, accountCredit } as const;
    const target = sendTarget(opened, context, options);
    const { hash, receipt } = await sendOperation(target, user.key, content);
    const address = addressOf(receipt.result);
    if (isSandbox) await shelveSource(context, address, loaded);
    if (options.name !== undefined) {
      const name = options.name;
      await context.config.update((before) => ({
        ...before,
        accounts: { ...before.accounts, [name]: { SmartFunction: { address } } },
      }));
    }
    step.done(`${bundled ? "Bundled and deployed" : "Deployed"} ${size}`);
    terminal.print(`Smart function deployed by ${user.alias} at address: ${address}`);
    terminal.print(`Run with \`functez run jstz://${options.name ?? address}/ --network ${network.name}\``);
    terminal.data({
      address,
      alias: options.name ?? null,
      operation: hash,
      bytes: Buffer.byteLength(code),
      bundled,
    });
  });
}

async function pipedCode(context: CliContext): Promise<string> {
  const { readPiped } = await import("../render/prompt.ts");
  const code = (await readPiped(context)).toString("utf8");
  if (code.trim() !== "") return code;
  throw new SandboxError("INPUT_NEEDED", {
    what: "The smart function",
    option: "a file, as code, or pipe it in",
  });
}

function addressOf(result: ReceiptResult<DeployReceipt>): string {
  if (result._type === "Failed") throw new SandboxError("DEPLOY_FAILED", { reason: result.inner });
  return result.inner.address;
}
