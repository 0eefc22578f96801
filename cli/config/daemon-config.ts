// The one thing the CLI needs of a sandboxd configuration file: where the daemon will listen.
import { readLocatedJson } from "../../daemon/local/located-json.ts";
import { DEFAULT_PORTS, LOOPBACK } from "../../daemon/protocol/constants.ts";
import { endpointUrl } from "../../daemon/protocol/endpoint.ts";
import { SandboxError } from "../../daemon/protocol/errors.ts";

/**
 * Base URL of the daemon that a file configures; undefined when the file does not say (default port).
 * Checking the rest of the file is the daemon's work. @throws SandboxError CONFIG_UNREADABLE, CONFIG_INVALID
 */
export function sandboxdEndpointOf(file: string): string | undefined {
  const json = readLocatedJson(file, { invalid: "CONFIG_INVALID" });
  const { server_port: port, server_host: host } = (json.value ?? {}) as Record<string, unknown>;
  if (port === undefined && host === undefined) return undefined;
  if (
    port !== undefined &&
    (typeof port !== "number" || !Number.isInteger(port) || port < 0 || port > 65535)
  ) {
    throw new SandboxError("CONFIG_INVALID", {
      file,
      ...json.locate(["server_port"]),
      key: "server_port",
      found: JSON.stringify(port),
      expected: "a whole number from 0 to 65535",
    });
  }
  const reachable = typeof host !== "string" || host === "0.0.0.0" || host === "::" ? LOOPBACK : host;
  return endpointUrl({ host: reachable, port: port ?? DEFAULT_PORTS.sandboxd });
}
