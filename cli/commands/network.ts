// `functez network …`: endpoints of networks other than the sandbox.
import { SANDBOX_NETWORK } from "../../daemon/protocol/constants.ts";
import { SandboxError } from "../../daemon/protocol/errors.ts";
import { textTable } from "../../daemon/text/text-table.ts";
import { sandboxClient } from "../config/network.ts";
import type { CliConfig, NetworkEntry } from "../config/parse-config.ts";
import type { CliContext } from "../context.ts";

export interface EndpointOptions {
  readonly octezNodeRpcEndpoint?: string;
  readonly jstzNodeEndpoint?: string;
}

const NAME_WIDTH = 20;
const ENDPOINT_WIDTH = 25;

export async function listNetworks(context: CliContext): Promise<void> {
  const { networks } = await context.config.read();
  const sandbox = await sandboxClient(context)
    .endpoints()
    .catch(() => undefined); // it need not be running
  const rows = Object.entries(networks).map(([name, entry]) => [
    cut(name, NAME_WIDTH),
    cut(entry.octez_node_rpc_endpoint, ENDPOINT_WIDTH),
    cut(entry.jstz_node_endpoint, ENDPOINT_WIDTH),
  ]);
  const titles = ["Name", "Octez RPC endpoint", "Jstz node endpoint"];
  if (!sandbox) context.terminal.note(`${SANDBOX_NETWORK} is the local sandbox, which is not running.`);
  context.terminal.print(
    textTable(titles, [[SANDBOX_NETWORK, sandbox?.layer1 ?? "-", sandbox?.runtime ?? "-"], ...rows]),
  );
  context.terminal.data({
    networks: [
      {
        name: SANDBOX_NETWORK,
        octezNodeRpcEndpoint: sandbox?.layer1 ?? null,
        jstzNodeEndpoint: sandbox?.runtime ?? null,
      },
      ...Object.entries(networks).map(([name, entry]) => ({
        name,
        octezNodeRpcEndpoint: entry.octez_node_rpc_endpoint,
        jstzNodeEndpoint: entry.jstz_node_endpoint,
      })),
    ],
  });
}

function cut(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, width - 3)}...`;
}

export async function addNetwork(
  context: CliContext,
  name: string,
  options: Required<EndpointOptions> & { readonly force?: boolean },
): Promise<void> {
  requireOwnName(name);
  const entry: NetworkEntry = {
    octez_node_rpc_endpoint: requireUrl("--octez-node-rpc-endpoint", options.octezNodeRpcEndpoint),
    jstz_node_endpoint: requireUrl("--jstz-node-endpoint", options.jstzNodeEndpoint),
  };
  await context.config.update((config) => {
    if (Object.hasOwn(config.networks, name) && !options.force)
      throw new SandboxError("NETWORK_EXISTS", { found: name });
    return { ...config, networks: { ...config.networks, [name]: entry } };
  });
  context.terminal.print(`Added network '${name}'.`);
  context.terminal.data({ added: name });
}

export async function updateNetwork(
  context: CliContext,
  name: string,
  options: EndpointOptions,
): Promise<void> {
  requireOwnName(name);
  const { octezNodeRpcEndpoint, jstzNodeEndpoint } = options;
  if (octezNodeRpcEndpoint === undefined && jstzNodeEndpoint === undefined) {
    throw new SandboxError("INPUT_NEEDED", {
      what: "A new endpoint",
      option: "--octez-node-rpc-endpoint or --jstz-node-endpoint",
    });
  }
  await context.config.update((config) => {
    const before = requireNetwork(config, name);
    const entry = {
      octez_node_rpc_endpoint:
        octezNodeRpcEndpoint === undefined
          ? before.octez_node_rpc_endpoint
          : requireUrl("--octez-node-rpc-endpoint", octezNodeRpcEndpoint),
      jstz_node_endpoint:
        jstzNodeEndpoint === undefined
          ? before.jstz_node_endpoint
          : requireUrl("--jstz-node-endpoint", jstzNodeEndpoint),
    };
    return { ...config, networks: { ...config.networks, [name]: entry } };
  });
  context.terminal.print(`Updated network '${name}'.`);
  context.terminal.data({ updated: name });
}

export async function deleteNetwork(context: CliContext, name: string): Promise<void> {
  requireOwnName(name);
  await context.config.update(({ default_network, ...config }) => {
    requireNetwork(config, name);
    const networks = Object.fromEntries(Object.entries(config.networks).filter(([other]) => other !== name));
    return {
      ...config,
      networks,
      ...(default_network && default_network !== name ? { default_network } : {}),
    };
  });
  context.terminal.print(`Deleted network '${name}'.`);
  context.terminal.data({ deleted: name });
}

export async function getDefaultNetwork(context: CliContext): Promise<void> {
  const name = (await context.config.read()).default_network;
  context.terminal.print(name ?? "Default network is not set.");
  if (name === undefined) context.terminal.note(`Commands without --network use ${SANDBOX_NETWORK}.`);
  context.terminal.data({ default: name ?? null });
}

export async function setDefaultNetwork(context: CliContext, name: string): Promise<void> {
  await context.config.update((config) => {
    if (name.toLowerCase() !== SANDBOX_NETWORK) requireNetwork(config, name);
    return { ...config, default_network: name };
  });
  context.terminal.print(`Using network '${name}' as the default network.`);
  context.terminal.data({ default: name });
}

function requireOwnName(name: string): void {
  if (name.toLowerCase() === SANDBOX_NETWORK) throw new SandboxError("NETWORK_RESERVED");
}

function requireNetwork(config: Pick<CliConfig, "networks">, name: string): NetworkEntry {
  const entry = Object.hasOwn(config.networks, name) ? config.networks[name] : undefined;
  if (entry) return entry;
  const known = [SANDBOX_NETWORK, ...Object.keys(config.networks)].join(", ");
  throw new SandboxError("UNKNOWN_NETWORK", { found: name, known });
}

function requireUrl(option: string, text: string): string {
  if (/^https?:\/\/[^\s/]/.test(text) && URL.canParse(text)) return text.replace(/\/$/, "");
  throw new SandboxError("BAD_OPTION", { option, found: text, expected: "an http(s) URL" });
}
