// The configuration as `/config/` shows it: real ports, no secret keys, and the three sections that the Jstz
// CLI reads, so that it works against this daemon.
import { BRIDGE_ADDRESS, EXCHANGER_ADDRESS, ROLLUP_ADDRESS } from "../protocol/constants.ts";
import { parsePublicKey, parseSecretKey } from "../protocol/keys.ts";
import type { BootstrapAccountConfig, SandboxConfig } from "../config/schema.ts";

export interface RealEndpoints {
  readonly serverPort: number;
  readonly layer1: string;
  readonly runtime: string;
}

export function publicConfig(config: SandboxConfig, real: RealEndpoints): Record<string, unknown> {
  const layer1 = {
    ...config.layer1_node,
    rpc_endpoint: withoutScheme(real.layer1),
    bootstrap_accounts: config.layer1_node.bootstrap_accounts.map(publicAccount),
    bridge_address: BRIDGE_ADDRESS,
    exchanger_address: EXCHANGER_ADDRESS,
    rollup_address: ROLLUP_ADDRESS,
  };
  return {
    ...config,
    server_port: real.serverPort,
    layer1_node: layer1,
    runtime_node: { ...config.runtime_node, endpoint: withoutScheme(real.runtime) },
    octez_node: { rpc_endpoint: real.layer1 },
    octez_client: { base_dir: "", octez_node_endpoint: real.layer1 },
    jstz_node: { endpoint: real.runtime, mode: "sequencer" },
  };
}

function publicAccount({ label, key, balance }: BootstrapAccountConfig): BootstrapAccountConfig {
  return { label, key: (parsePublicKey(key) ?? parseSecretKey(key).publicKey).text, balance };
}

function withoutScheme(url: string): string {
  return url.replace(/^http:\/\//, "");
}
