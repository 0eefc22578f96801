// Changes to a configuration from sandboxd's command line: addresses and ports. The rest stays, so that an argument
// never replaces more than it names.
import { endpointOf, endpointUrl } from "../protocol/endpoint.ts";
import type { SandboxConfig } from "./schema.ts";

/** Ports of the three servers; 0: any free port. */
export interface FixedPorts {
  readonly server: number;
  readonly layer1: number;
  readonly runtime: number;
}

export interface Overrides {
  /** Use free ports for all servers. */
  readonly freePorts?: boolean;
  /** `runtime_node.strict` */
  readonly strict?: boolean | undefined;
  /** Address that every server binds to. */
  readonly bind?: string | undefined;
  readonly ports?: FixedPorts | undefined;
  /** Host name by which clients reach the servers. */
  readonly publicHost?: string | undefined;
}

/** The configuration with the overrides. Parts that run elsewhere keep their endpoints. */
export function withOverrides(config: SandboxConfig, overrides: Overrides): SandboxConfig {
  const ports = overrides.freePorts ? { server: 0, layer1: 0, runtime: 0 } : overrides.ports;
  const move = (text: string, port: number | undefined): string => {
    const endpoint = endpointOf(text);
    const url = endpointUrl({ host: overrides.bind ?? endpoint.host, port: port ?? endpoint.port });
    return url.slice("http://".length);
  };
  const { layer1_node: layer1, runtime_node: runtime, indexer } = config;
  const publicHost = overrides.publicHost ?? config.public_host;
  return {
    ...config,
    server_host: overrides.bind ?? config.server_host,
    server_port: ports?.server ?? config.server_port,
    public_host: publicHost,
    allowed_hosts:
      publicHost === "" ? config.allowed_hosts : [...config.allowed_hosts, publicHost.toLowerCase()],
    layer1_node: layer1.skipped
      ? layer1
      : { ...layer1, rpc_endpoint: move(layer1.rpc_endpoint, ports?.layer1) },
    runtime_node: runtime.skipped
      ? runtime
      : {
          ...runtime,
          endpoint: move(runtime.endpoint, ports?.runtime),
          strict: overrides.strict || runtime.strict,
        },
    indexer:
      indexer.endpoint === ""
        ? indexer
        : { ...indexer, endpoint: move(indexer.endpoint, overrides.freePorts ? 0 : undefined) },
  };
}
