// The one thing the CLI needs of a sandboxd configuration file: where the daemon will listen.
import { DEFAULT_PORTS, LOOPBACK } from "../../daemon/protocol/constants.ts";
import { endpointUrl } from "../../daemon/protocol/endpoint.ts";
import { readLocatedJson } from "../../daemon/protocol/located-json.ts";

/**
 * Base URL of the daemon that a file configures; undefined when the file does not say (default port).
 * Checking the file is the daemon's work. @throws SandboxError CONFIG_UNREADABLE, CONFIG_INVALID
 */
export function sandboxdEndpointOf(file: string): string | undefined {
  const { value } = readLocatedJson(file, { invalid: "CONFIG_INVALID" });
  const { server_port: port, server_host: host } = (value ?? {}) as {
    server_port?: unknown;
    server_host?: unknown;
  };
  if (typeof port !== "number" && typeof host !== "string") return undefined;
  const reachable = typeof host !== "string" || host === "0.0.0.0" || host === "::" ? LOOPBACK : host;
  return endpointUrl({ host: reachable, port: typeof port === "number" ? port : DEFAULT_PORTS.sandboxd });
}
