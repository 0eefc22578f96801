// `functez bridge fa-deploy`: originates the layer 1 contracts that bring a token to the runtime.
import { createLayer1Client, type Layer1Client } from "../../daemon/client/layer1-client.ts";
import type { IncludedOperation } from "../../daemon/client/layer1-operation.ts";
import { createRuntimeClient } from "../../daemon/client/runtime-client.ts";
import { SandboxError } from "../../daemon/protocol/errors.ts";
import {
  FA2_TOKEN,
  fa2TokenStorage,
  FA_BRIDGE,
  FA_TICKETER,
  faBridgeStorage,
  type FaToken,
  faTicketerStorage,
} from "../../daemon/protocol/fa-bridge-scripts.ts";
import { formatTez } from "../../daemon/protocol/tez-text.ts";
import { resolveSmartFunction } from "../config/account-lookup.ts";
import { resolveNetwork } from "../config/network.ts";
import type { CliConfig } from "../config/parse-config.ts";
import { requirePrivateKey } from "../config/public-keys.ts";
import { type Layer1Sender, resolveLayer1Sender } from "../config/sandbox-accounts.ts";
import type { CliContext } from "../context.ts";
import { naturalOf, originationOf, resolveContract, tokenKind } from "../fa-bridge.ts";
import type { Step } from "../render/terminal.ts";

export interface FaDeployOptions {
  readonly source: string;
  readonly ticketId: string;
  readonly ticketContent?: string;
  readonly totalTicketSupply: string;
  readonly tezosFaToken?: string;
  readonly tokenId?: string;
  readonly jstzFaToken?: string;
  readonly force?: boolean;
  readonly network?: string;
  readonly yesPublicKey?: boolean;
}

/** Alias of the token that is created when none is given. */
const NEW_TOKEN = "fa-token";

export async function faDeploy(context: CliContext, options: FaDeployOptions): Promise<void> {
  const { terminal } = context;
  const ticket = {
    id: naturalOf("--ticket-id", options.ticketId),
    content: options.ticketContent === undefined ? undefined : hexOf(options.ticketContent),
    totalSupply: naturalOf("--total-ticket-supply", options.totalTicketSupply),
  };
  const tokenId = options.tokenId === undefined ? undefined : naturalOf("--token-id", options.tokenId);
  const config = await context.config.read();
  const sender = await resolveLayer1Sender({ context, config, network: options.network }, options.source);
  const proxy =
    options.jstzFaToken === undefined ? undefined : resolveSmartFunction(config, options.jstzFaToken);
  const given =
    options.tezosFaToken === undefined ? undefined : resolveContract(config, options.tezosFaToken);
  const name = options.tezosFaToken ?? NEW_TOKEN;
  const names = [...(given === undefined ? [name] : []), `${name}-ticketer`, `${name}-bridge`];
  if (!options.force) requireFree(config, names);
  const network = await resolveNetwork(context, config, options.network, "change");
  requirePrivateKey(sender.address, { ...network, yesPublicKey: options.yesPublicKey });
  const layer1 = createLayer1Client(network.layer1, context.signal);
  if (proxy !== undefined) await requireFunction(network.runtime, options.jstzFaToken!, proxy);
  const originated: string[] = [];
  const bringOver = async (step: Step) => {
    const deployment = { context, layer1, sender, step, originated };
    const token: FaToken =
      given === undefined
        ? await newToken(deployment, tokenId ?? 0n, ticket.totalSupply)
        : await givenToken(layer1, given, tokenId);
    step.update("Deploying the ticketer");
    const ticketer = await originate(deployment, FA_TICKETER, faTicketerStorage(token, ticket));
    step.update("Deploying the bridge");
    const bridge = await originate(deployment, FA_BRIDGE, faBridgeStorage(token, ticketer.address, proxy));
    const addresses = [...(given === undefined ? [token.address] : []), ticketer.address, bridge.address];
    const aliases = Object.fromEntries(names.map((alias, i) => [alias, addresses[i]!]));
    await context.config.update((before) => ({
      ...before,
      layer1_contracts: { ...before.layer1_contracts, ...aliases },
    }));
    const fee = ticketer.included.fee + bridge.included.fee;
    step.done(`Deployed at level ${bridge.included.level}, fees ${formatTez(fee)} tez`);
    return { token, ticketer, bridge, aliases };
  };
  const { token, ticketer, bridge, aliases } = await terminal
    .withStep("Reading the token", bringOver)
    .catch((error: unknown) => {
      if (originated.length > 0)
        terminal.note(`Deployed before the failure, without aliases: ${originated.join(", ")}`);
      throw error;
    });
  if (given === undefined) terminal.print(`FA token (alias: ${name}) deployed at address ${token.address}`);
  terminal.print(`FA Ticketer (alias: ${name}-ticketer) deployed at address ${ticketer.address}`);
  terminal.print(`FA bridge (alias: ${name}-bridge) deployed at address ${bridge.address}`);
  terminal.note(
    `Deposit with \`functez bridge fa-deposit --bridge ${name}-bridge --from ${options.source} --to <account> --amount <n>\``,
  );
  terminal.data({
    token: token.address,
    tokenId: token.id?.toString() ?? null,
    ticketer: ticketer.address,
    bridge: bridge.address,
    proxy: proxy ?? null,
    aliases,
  });
}

interface Deployment {
  readonly context: CliContext;
  readonly layer1: Layer1Client;
  readonly sender: Layer1Sender;
  readonly step: Step;
  /** Addresses of the contracts deployed so far. */
  readonly originated: string[];
}

async function originate(
  { context, layer1, sender, originated }: Deployment,
  script: string,
  storage: string,
): Promise<{ readonly address: string; readonly included: IncludedOperation }> {
  const included = await sender.send(layer1, [originationOf(script, storage)], {
    signal: context.signal,
  });
  const address = included.contracts[0]!;
  originated.push(address);
  return { address, included };
}

async function newToken(deployment: Deployment, id: bigint, supply: bigint): Promise<FaToken> {
  deployment.step.update("Deploying a token");
  const storage = fa2TokenStorage(deployment.sender.address, id, supply);
  return { address: (await originate(deployment, FA2_TOKEN, storage)).address, id };
}

/** Without an id the token must be FA1.2, with an id FA2: a bridge for the wrong kind would never work. */
async function givenToken(layer1: Layer1Client, address: string, id: bigint | undefined): Promise<FaToken> {
  const kind = await tokenKind(layer1, address);
  if ((kind === "FA2") === (id !== undefined)) return id === undefined ? { address } : { address, id };
  throw new SandboxError("BAD_OPTION", {
    option: "--token-id",
    found: id === undefined ? "nothing" : id.toString(),
    expected: kind === "FA2" ? `the id of the token: ${address} is of the kind FA2` : "nothing for FA1.2",
  });
}

/** @throws SandboxError ALIAS_EXISTS */
function requireFree(config: CliConfig, names: readonly string[]): void {
  const taken = names.find((name) => Object.hasOwn(config.layer1_contracts ?? {}, name));
  if (taken !== undefined) throw new SandboxError("ALIAS_EXISTS", { found: taken });
}

/** @throws SandboxError BAD_ADDRESS: tickets for a missing proxy would go to the receivers */
async function requireFunction(runtime: string, found: string, address: string): Promise<void> {
  if ((await createRuntimeClient(runtime).account(address)) !== undefined) return;
  throw new SandboxError("BAD_ADDRESS", {
    found,
    expected: "a smart function",
    reason: "the runtime has none at this address",
    next: "Deploy it first: `functez deploy <file> --name <alias>`.",
  });
}

const hexOf = (text: string): string => Buffer.from(text, "utf8").toString("hex");
