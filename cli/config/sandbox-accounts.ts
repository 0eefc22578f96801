// Accounts that only the running sandbox knows: those of `layer1_node.bootstrap_accounts` in its configuration. Looked
// up when the user's input matches nothing here. Their keys stay with the sandbox, which signs for them.
import type { Layer1Client } from "../../daemon/client/layer1-client.ts";
import type { IncludedOperation, OperationDraft, SendOptions } from "../../daemon/client/layer1-operation.ts";
import { BOOTSTRAP_ACCOUNTS } from "../../daemon/protocol/constants.ts";
import { SandboxError } from "../../daemon/protocol/errors.ts";
import type { AccountRow } from "../../daemon/protocol/sandbox-api.ts";
import type { CliContext } from "../context.ts";
import { interruptible } from "../interruptible.ts";
import { resolveAddress, resolveLayer1Signer, type Signer, unknownBootstrap } from "./account-lookup.ts";
import { resolveNetwork, sandboxClient, runningSandbox } from "./network.ts";
import type { CliConfig } from "./parse-config.ts";

/** A layer 1 account that can send operations. */
export interface Layer1Sender {
  readonly alias: string;
  readonly address: string;
  send(
    layer1: Layer1Client,
    drafts: readonly OperationDraft[],
    options: SendOptions,
  ): Promise<IncludedOperation>;
}

interface Lookup {
  readonly context: CliContext;
  readonly config: CliConfig;
  /** Name of the network given to the command, if any. */
  readonly network: string | undefined;
}

/** The account to send from, by bootstrap label, own alias, configured label or address. @throws SandboxError */
export async function resolveLayer1Sender(lookup: Lookup, text: string): Promise<Layer1Sender> {
  let signer: Signer;
  try {
    signer = resolveLayer1Signer(lookup.config, text);
  } catch (error) {
    const { label, address } = await configuredAccount(lookup, text, error);
    return {
      alias: label,
      address,
      send: (_layer1, drafts, options) => sendBySandbox(lookup.context, label, drafts, options),
    };
  }
  const { alias, key } = signer;
  return {
    alias,
    address: key.publicKey.address,
    send: (layer1, drafts, options) => layer1.sendAll(key, drafts, options),
  };
}

/** Like `resolveAddress`, including the accounts of the sandbox's configuration. @throws SandboxError */
export async function resolveAnyAddress(lookup: Lookup, text: string): Promise<string> {
  try {
    return resolveAddress(lookup.config, text);
  } catch (error) {
    return (await configuredAccount(lookup, text, error)).address;
  }
}

/** @throws the error of the local lookup when the sandbox does not know the account either */
async function configuredAccount(lookup: Lookup, text: string, error: unknown): Promise<AccountRow> {
  if (!(error instanceof SandboxError)) throw error;
  const rows = await sandboxRows(lookup);
  const row = rows?.find(({ label, address }) => label === text || address === text);
  if (row) return row;
  const further = rows?.slice(BOOTSTRAP_ACCOUNTS.length).map(({ label }) => label) ?? [];
  throw error.code === "UNKNOWN_BOOTSTRAP" && further.length > 0 ? unknownBootstrap(text, further) : error;
}

/** Undefined when another network is meant, or no sandbox answers. */
async function sandboxRows({ context, config, network }: Lookup): Promise<AccountRow[] | undefined> {
  try {
    const { isSandbox } = await resolveNetwork(context, config, network, "look");
    return isSandbox ? await sandboxClient(context).accounts() : undefined;
  } catch (error) {
    if (error instanceof SandboxError && !context.signal.aborted) return undefined;
    throw error;
  }
}

async function sendBySandbox(
  context: CliContext,
  from: string,
  drafts: readonly OperationDraft[],
  { onStep }: SendOptions,
): Promise<IncludedOperation> {
  const contents = drafts.map((draft) =>
    draft.kind === "transaction" ? { ...draft, amount: draft.amount.toString() } : draft,
  );
  const included = await interruptible(
    context.signal,
    { what: "Waiting for the operation", next: "It may have been sent: layer 1 will then include it." },
    runningSandbox(context, "change").then(({ client }) => client.sendLayer1({ from, contents })),
  );
  onStep?.("injected", included.hash);
  onStep?.("included", `level ${included.level}`);
  return { ...included, fee: BigInt(included.fee) };
}
