// From a network name to its endpoints. `dev` is the sandbox: its endpoints come from the running daemon.
import {
  createSandboxClient,
  type PartEndpoints,
  type SandboxClient,
} from "../../daemon/client/sandbox-client.ts";
import { DEFAULT_PORTS, LOOPBACK, SANDBOX_NETWORK } from "../../daemon/protocol/constants.ts";
import { findAdminSecret } from "../../daemon/protocol/admin-secret.ts";
import { SandboxError } from "../../daemon/protocol/errors.ts";
import type { CliContext } from "../context.ts";
import type { CliConfig } from "./config-file.ts";

export interface Network extends PartEndpoints {
  readonly name: string;
  /** True for the local sandbox. */
  readonly isSandbox: boolean;
}

/** Environment variable with sandboxd's base URL, for sandboxes on other ports (`functez exec` sets it). */
export const SANDBOX_URL_VARIABLE = "FUNCTEZ_SANDBOX_URL";

/** What a client needs of the command: where to look for the sandbox, and when to stop asking. */
type ClientContext = Pick<CliContext, "env" | "signal">;

/** Client of the sandbox that commands without a network mean. */
export function sandboxClient(context: ClientContext): SandboxClient {
  const endpoint = context.env[SANDBOX_URL_VARIABLE] || `http://${LOOPBACK}:${DEFAULT_PORTS.sandboxd}`;
  return clientAt(endpoint, context);
}

/** Client of the sandbox at a base URL; it rules the sandbox where this user is the owner. */
export function clientAt(endpoint: string, { env, signal }: ClientContext): SandboxClient {
  return createSandboxClient(endpoint, { signal, adminSecret: () => findAdminSecret(endpoint, env) });
}

/**
 * The network of `-n`, else the default network, else the sandbox.
 * @throws SandboxError UNKNOWN_NETWORK, SANDBOX_NOT_RUNNING, CANCELLED
 */
export async function resolveNetwork(
  context: ClientContext,
  config: CliConfig,
  name: string | undefined,
): Promise<Network> {
  const wanted = name ?? config.default_network ?? SANDBOX_NETWORK;
  if (wanted.toLowerCase() === SANDBOX_NETWORK) {
    const client = sandboxClient(context);
    if (!(await client.health()))
      throw new SandboxError("SANDBOX_NOT_RUNNING", { endpoint: client.endpoint });
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
