// The only fact that the CLI needs from a sandboxd configuration file: where the daemon will listen.
import { readAt, readLocatedJson } from "../../daemon/local/located-json.ts";
import { DEFAULT_PORTS, LOOPBACK } from "../../daemon/protocol/constants.ts";
import { endpointUrl, reachableHost } from "../../daemon/protocol/endpoint.ts";
import { integerField, isObject, optionalField } from "../../daemon/tezos/json-fields.ts";

/** 0: any free port. */
const ANY_PORT = { least: 0, most: 65_535 };

/**
 * Base URL of the daemon that a file configures; undefined when the file does not set it (default port). The daemon
 * checks the rest of the file. @throws SandboxError CONFIG_UNREADABLE, CONFIG_INVALID
 */
export function sandboxdEndpointOf(file: string): string | undefined {
  const json = readLocatedJson(file, { invalid: "CONFIG_INVALID" });
  const { server_port, server_host: host } = isObject(json.value) ? json.value : {};
  if (server_port === undefined && host === undefined) return undefined;
  const port = readAt(json, ["server_port"], { invalid: "CONFIG_INVALID" }, (value, at) =>
    optionalField(value, (given) => integerField(given, at, ANY_PORT)),
  );
  const reachable = typeof host === "string" ? reachableHost(host) : LOOPBACK;
  return endpointUrl({ host: reachable, port: port ?? DEFAULT_PORTS.sandboxd });
}
