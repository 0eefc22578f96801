// The ports of a sandbox in a container, the same numbers inside and outside: so the endpoints in `/config/` are valid
// on both sides.
import { createServer } from "node:net";
import { type LocatedJson, readAt, readLocatedJson } from "../../daemon/local/located-json.ts";
import { DEFAULT_PORTS, LOOPBACK } from "../../daemon/protocol/constants.ts";
import { parseEndpoint } from "../../daemon/protocol/endpoint.ts";
import { SandboxError } from "../../daemon/protocol/errors.ts";
import { type Fields, integerField, isObject } from "../../daemon/tezos/json-fields.ts";

export interface PublishedPorts {
  readonly server: number;
  /** undefined for a part that runs elsewhere */
  readonly layer1: number | undefined;
  readonly runtime: number | undefined;
}

const PARTS = [
  {
    part: "layer1",
    sections: ["layer1_node", "octez_node"],
    key: "rpc_endpoint",
    port: DEFAULT_PORTS.layer1_node,
  },
  {
    part: "runtime",
    sections: ["runtime_node", "jstz_node"],
    key: "endpoint",
    port: DEFAULT_PORTS.runtime_node,
  },
] as const;

/**
 * Ports of a configuration file, or the usual ones; 0: any free port. The daemon in the container checks the rest of
 * the file; settings that cannot work in a container are rejected here.
 * @throws SandboxError CONFIG_UNREADABLE, CONFIG_INVALID
 */
export function wantedPorts(file: string | undefined): PublishedPorts {
  if (file === undefined) {
    return {
      server: DEFAULT_PORTS.sandboxd,
      layer1: DEFAULT_PORTS.layer1_node,
      runtime: DEFAULT_PORTS.runtime_node,
    };
  }
  const json = readLocatedJson(file, { invalid: "CONFIG_INVALID" });
  const config = isObject(json.value) ? json.value : {};
  const server = readAt(json, ["server_port"], { invalid: "CONFIG_INVALID" }, (port, at) =>
    integerField(port ?? DEFAULT_PORTS.sandboxd, at, { least: 0, most: 65_535 }),
  );
  const [layer1, runtime] = PARTS.map((part) => portOfPart(json, config, part));
  return { server, layer1, runtime };
}

/** The owner's secret chosen by a configuration file; undefined if it is generated at the start. */
export function chosenAdminSecret(file: string | undefined): string | undefined {
  if (file === undefined) return undefined;
  const { value } = readLocatedJson(file, { invalid: "CONFIG_INVALID" });
  const secret = isObject(value) ? value["admin_secret"] : undefined;
  return typeof secret === "string" && secret !== "" ? secret : undefined;
}

function portOfPart(
  json: LocatedJson,
  config: Fields,
  { sections, key, port }: (typeof PARTS)[number],
): number | undefined {
  for (const section of sections) {
    const settings = config[section];
    if (!isObject(settings)) continue;
    const endpoint = settings[key];
    const parsed = typeof endpoint === "string" ? parseEndpoint(endpoint) : undefined;
    if (endpoint !== undefined && !parsed) {
      throw invalid(json, [section, key], endpoint, "<host>:<port>, for example 127.0.0.1:18730");
    }
    if (Array.isArray(settings["command"]) && settings["command"].length > 0) {
      throw invalid(
        json,
        [section, "command"],
        settings["command"],
        "nothing: the program is not in the image",
      );
    }
    if (settings["skipped"] === true) {
      if (!parsed || /^(localhost|127\..*|::1)$/.test(parsed.host)) {
        throw invalid(
          json,
          [section, parsed ? key : "skipped"],
          endpoint ?? true,
          "an address that can be reached from inside a container",
        );
      }
      return undefined;
    }
    if (parsed) return parsed.port;
  }
  return port;
}

function invalid(json: LocatedJson, path: readonly string[], found: unknown, expected: string): SandboxError {
  return new SandboxError("CONFIG_INVALID", {
    file: json.file,
    ...json.locate(path),
    key: path.join("."),
    found: JSON.stringify(found),
    expected,
  });
}

/** Replaces each 0 by a free port: free on this machine, which is all that can be known. */
export async function withFreePorts({ server, layer1, runtime }: PublishedPorts): Promise<PublishedPorts> {
  const free = await freePorts([server, layer1, runtime].filter((port) => port === 0).length);
  const fill = <P extends number | undefined>(port: P) => (port === 0 ? free.pop()! : port);
  return { server: fill(server), layer1: fill(layer1), runtime: fill(runtime) };
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  await Promise.all(servers.map((server) => new Promise<void>((done) => server.listen(0, LOOPBACK, done))));
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
  return ports;
}

/** The published ports, except those of parts that run elsewhere. */
export function portList({ server, layer1, runtime }: PublishedPorts): number[] {
  return [server, layer1, runtime].filter((port) => port !== undefined);
}
