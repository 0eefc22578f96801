// The configuration shown by `/config/`: real ports, no secret keys, and the three sections that the Jstz CLI reads, so
// that it works against this daemon.
import type { BootstrapAccountConfig, SandboxConfig } from "../config/schema.ts";
import { BRIDGE_ADDRESS, EXCHANGER_ADDRESS, ROLLUP_ADDRESS } from "../protocol/constants.ts";
import type { PartName } from "../protocol/part-name.ts";
import { parseSecretKey } from "../protocol/secret-key.ts";
import { parsePublicKey } from "../tezos/keys.ts";

export interface RealEndpoints {
  readonly serverPort: number;
  readonly layer1: string;
  readonly runtime: string;
  /** Of the indexer's own port, when it has one. */
  readonly indexer?: string | undefined;
}

export function publicConfig(config: SandboxConfig, real: RealEndpoints): Record<string, unknown> {
  const layer1Url = publicEndpoint(config, "layer1_node", real.layer1);
  const runtimeUrl = publicEndpoint(config, "runtime_node", real.runtime);
  const layer1 = {
    ...config.layer1_node,
    rpc_endpoint: withoutScheme(layer1Url),
    bootstrap_accounts: config.layer1_node.bootstrap_accounts.map(publicAccount),
    bridge_address: BRIDGE_ADDRESS,
    exchanger_address: EXCHANGER_ADDRESS,
    rollup_address: ROLLUP_ADDRESS,
  };
  const shown: Record<string, unknown> = { ...config };
  delete shown["admin_secret"];
  return {
    ...shown,
    server_port: real.serverPort,
    layer1_node: layer1,
    runtime_node: { ...config.runtime_node, endpoint: withoutScheme(runtimeUrl) },
    indexer: {
      ...config.indexer,
      ...(real.indexer !== undefined && { endpoint: withoutScheme(onPublicHost(config, real.indexer)) }),
    },
    octez_node: { rpc_endpoint: layer1Url },
    octez_client: { base_dir: "", octez_node_endpoint: layer1Url },
    jstz_node: { endpoint: runtimeUrl, mode: "sequencer" },
  };
}

function publicAccount({ label, key, balance }: BootstrapAccountConfig): BootstrapAccountConfig {
  return { label, key: (parsePublicKey(key) ?? parseSecretKey(key).publicKey).text, balance };
}

/** Where clients reach a part: its port on the public host, unless the part runs elsewhere. @param url its own endpoint */
export function publicEndpoint(config: SandboxConfig, part: PartName, url: string): string {
  return config[part].skipped ? url : onPublicHost(config, url);
}

function onPublicHost({ public_host: host }: SandboxConfig, url: string): string {
  return host === "" ? url : `http://${host}:${new URL(url).port || "80"}`;
}

function withoutScheme(url: string): string {
  return url.replace(/^http:\/\//, "");
}
