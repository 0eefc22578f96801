// Resolves a network name to its endpoints. `dev` is the sandbox: its endpoints come from the running daemon.
import { createRuntimeClient, type RuntimeClient } from "../../daemon/client/runtime-client.ts";
import {
  createSandboxClient,
  type PartEndpoints,
  type SandboxClient,
} from "../../daemon/client/sandbox-client.ts";
import { findAdminSecret } from "../../daemon/local/kept-secrets.ts";
import { SANDBOX_NETWORK } from "../../daemon/protocol/constants.ts";
import { SandboxError } from "../../daemon/protocol/errors.ts";
import type { HealthReport } from "../../daemon/protocol/sandbox-api.ts";
import type { CliContext } from "../context.ts";
import { knownFrom, locateSandbox, SANDBOX_URL_VARIABLE } from "./locate-sandbox.ts";
import type { CliConfig } from "./parse-config.ts";

export interface Network extends PartEndpoints {
  readonly name: string;
  /** True for the local sandbox. */
  readonly isSandbox: boolean;
}

/** What a client needs from the command: where to find the sandbox, and the signal to abort. */
type ClientContext = Pick<CliContext, "env" | "signal">;

/** Whether a command only reads, or changes something: changes are made only in the user's own sandbox. */
export type Intent = "look" | "change";

/** Client of the sandbox that commands without a network use. */
export function sandboxClient(context: ClientContext): SandboxClient {
  return clientAt(locateSandbox(context.env).endpoint, context);
}

/**
 * Client of the running sandbox that a command means, with its health. Notes whose it is when that is unclear. @throws
 * SandboxError SANDBOX_NOT_RUNNING, SANDBOX_FOREIGN, CANCELLED
 */
export async function runningSandbox(
  context: ClientContext & Pick<CliContext, "terminal">,
  intent: Intent,
): Promise<{ readonly client: SandboxClient; readonly health: HealthReport }> {
  const { endpoint, others } = locateSandbox(context.env);
  const client = clientAt(endpoint, context);
  const health = await client.health();
  if (!health) throw new SandboxError("SANDBOX_NOT_RUNNING", { endpoint: client.endpoint });
  if (!(await isOwn(client, context.env))) refuseForeign(client, health, intent, context);
  if (others.length > 0)
    context.terminal.note(
      `Several sandboxes are running; this is the one at ${client.endpoint}. ${SANDBOX_URL_VARIABLE} selects another: ${others.join(", ")}.`,
    );
  return { client, health };
}

/** Whether a sandbox that answers is this user's, or the named one. */
export async function isOwn(client: SandboxClient, env: NodeJS.ProcessEnv): Promise<boolean> {
  const from = knownFrom(client.endpoint, env);
  // Another sandbox may have taken the place of our container.
  return from === "container" ? client.isOwner() : from !== undefined;
}

function refuseForeign(
  { endpoint }: SandboxClient,
  { pid }: HealthReport,
  intent: Intent,
  { terminal }: Pick<CliContext, "terminal">,
): void {
  if (intent === "change")
    throw new SandboxError("SANDBOX_FOREIGN", { endpoint, pid, what: "nothing was changed" });
  terminal.note(
    `The sandbox at ${endpoint} was started by another user, or with another configuration folder (process ${pid}).`,
  );
}

/** Client of the sandbox at a base URL, with admin rights if this user is the owner. */
export function clientAt(endpoint: string, { env, signal }: ClientContext): SandboxClient {
  return createSandboxClient(endpoint, { signal, adminSecret: () => findAdminSecret(endpoint, env) });
}

/**
 * The network of `-n`, otherwise the default network, otherwise the sandbox.
 * @throws SandboxError UNKNOWN_NETWORK, SANDBOX_NOT_RUNNING, SANDBOX_FOREIGN, CANCELLED
 */
export async function resolveNetwork(
  context: ClientContext & Pick<CliContext, "terminal">,
  config: CliConfig,
  name: string | undefined,
  intent: Intent,
): Promise<Network> {
  const wanted = name ?? config.default_network ?? SANDBOX_NETWORK;
  if (wanted.toLowerCase() === SANDBOX_NETWORK) {
    const { client } = await runningSandbox(context, intent);
    return { name: SANDBOX_NETWORK, isSandbox: true, ...(await client.endpoints()) };
  }
  const entry = Object.hasOwn(config.networks, wanted) ? config.networks[wanted] : undefined;
  if (!entry) {
    const known = [SANDBOX_NETWORK, ...Object.keys(config.networks)].join(", ");
    throw new SandboxError("UNKNOWN_NETWORK", { found: wanted, known });
  }
  return {
    name: wanted,
    isSandbox: false,
    layer1: entry.octez_node_rpc_endpoint,
    runtime: entry.jstz_node_endpoint,
  };
}

/** The network of `-n`, and a client of its runtime that ends with the command. @throws SandboxError as {@link resolveNetwork} */
export async function openRuntime(
  context: ClientContext & Pick<CliContext, "terminal">,
  config: CliConfig,
  name: string | undefined,
  intent: Intent,
): Promise<{ readonly network: Network; readonly runtime: RuntimeClient }> {
  const network = await resolveNetwork(context, config, name, intent);
  return { network, runtime: createRuntimeClient(network.runtime, context.signal) };
}
