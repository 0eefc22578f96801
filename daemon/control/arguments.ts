// The command line of sandboxd.
import { parseArgs } from "node:util";
import type { FixedPorts } from "../config/overrides.ts";
import { LISTEN_ADDRESS_EXPECTED, listenAddress } from "../protocol/endpoint.ts";
import { reasonOf, SandboxError } from "../protocol/errors.ts";
import { LOG_LEVELS, type LogLevel } from "../protocol/log-level.ts";
import { LIFELINE_GRACE_MS } from "../supervisor/lifeline.ts";

export type SandboxdCommand =
  | { readonly kind: "help" }
  | { readonly kind: "version" }
  /** Shows the effective configuration of a file, and starts nothing. */
  | { readonly kind: "config"; readonly configFile: string | undefined }
  | {
      readonly kind: "run";
      readonly configFile: string | undefined;
      readonly lifeline: boolean;
      /** Milliseconds that the daemon outlives its last lifeline. */
      readonly graceMs: number;
      /** Use free ports for all servers, whatever the configuration says. */
      readonly freePorts: boolean;
      /** Run smart functions like the real runtime, whatever the configuration says. */
      readonly strict: boolean;
      /** Bind address of every server, overriding the configuration. */
      readonly bind: string | undefined;
      /** Ports of sandboxd, layer1_node and runtime_node, overriding the configuration. */
      readonly ports: FixedPorts | undefined;
      /** Host name by which clients reach the servers. */
      readonly publicHost: string | undefined;
      /** One JSON line on stdout instead of the banner and the table. */
      readonly json: boolean;
      readonly logLevel: LogLevel | undefined;
      readonly logFile: string | undefined;
    };

export const SANDBOXD_HELP = `sandboxd: the daemon of the functez sandbox.

Usage:
  sandboxd run [config.json] [options]   start the sandbox and stay in the foreground
  sandboxd config [config.json]          check a configuration and print it as /config/ would, in JSON
  sandboxd --version
  sandboxd --help

Options of run:
  --lifeline           exit when the program that started it exits (stdin closes)
  --grace SECONDS      how long to outlive the last lifeline (default: ${LIFELINE_GRACE_MS / 1000})
  --free-ports         use free ports instead of the configured ones (shown in /config/)
  --strict             run smart functions like the real runtime (runtime_node.strict)
  --bind ADDRESS       bind every server to it, overriding the configuration (0.0.0.0 in a container)
  --ports S,L,R        ports of sandboxd, layer1_node and runtime_node, overriding the configuration
  --public-host NAME   host name by which clients reach the servers: shown in /config/, and allowed
  --json               print one JSON line instead of the banner and the table: when ready, or the error
  --log-level LEVEL    error, warn, info or debug (default: info)
  --log-file FILE      append the log to a file (default: standard error)

Without a configuration file every key has its default: docs/configuration.md lists them.
Stop it with Ctrl-C, SIGTERM, or PUT /shutdown.
`;

const LEVELS: readonly string[] = LOG_LEVELS;

/** Parses the arguments after the program name. @throws SandboxError BAD_OPTION */
export function parseSandboxdArguments(args: readonly string[]): SandboxdCommand {
  const { values, positionals } = parse(args);
  if (values.help || (args.length === 0 && !values.version)) return { kind: "help" };
  if (values.version) return { kind: "version" };
  const [command, configFile, ...rest] = positionals;
  if (command !== "run" && command !== "config")
    throw bad("the command", command ?? "(none)", "run or config");
  if (rest.length > 0) throw bad(command, rest.join(" "), "at most one configuration file");
  if (command === "config") return { kind: "config", configFile };
  return {
    kind: "run",
    configFile,
    lifeline: values.lifeline ?? false,
    graceMs: graceOf(values.grace),
    freePorts: values["free-ports"] ?? false,
    strict: values.strict ?? false,
    bind: values.bind === undefined ? undefined : addressOf("--bind", values.bind),
    ports: values.ports === undefined ? undefined : portsOf(values.ports),
    publicHost: values["public-host"],
    json: values.json ?? false,
    logLevel: levelOf(values["log-level"]),
    logFile: values["log-file"],
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        help: { type: "boolean", short: "h" },
        version: { type: "boolean", short: "V" },
        lifeline: { type: "boolean" },
        grace: { type: "string" },
        json: { type: "boolean" },
        "free-ports": { type: "boolean" },
        strict: { type: "boolean" },
        bind: { type: "string" },
        ports: { type: "string" },
        "public-host": { type: "string" },
        "log-level": { type: "string" },
        "log-file": { type: "string" },
      },
    });
  } catch (error) {
    throw bad("the command line", reasonOf(error), "the options that `sandboxd --help` shows");
  }
}

function portsOf(text: string): FixedPorts {
  const [server, layer1, runtime, ...rest] = text
    .split(",")
    .map((part) => (/^\d{1,5}$/.test(part) ? Number(part) : -1));
  const isPort = (port: number | undefined): port is number =>
    port !== undefined && port >= 0 && port <= 65535;
  if (!isPort(server) || !isPort(layer1) || !isPort(runtime) || rest.length > 0) {
    throw bad("--ports", text, "three port numbers, for example 54321,18730,8933");
  }
  return { server, layer1, runtime };
}

function bad(option: string, found: string, expected: string): SandboxError {
  return new SandboxError("BAD_OPTION", { option, found, expected });
}

/** @throws SandboxError BAD_OPTION */
export function levelOf(text: string | undefined): LogLevel | undefined {
  if (text !== undefined && !LEVELS.includes(text)) throw bad("--log-level", text, LEVELS.join(", "));
  return text as LogLevel | undefined;
}

/** @throws SandboxError BAD_OPTION */
export function addressOf(option: string, text: string): string {
  const address = listenAddress(text);
  if (address === undefined) throw bad(option, text, LISTEN_ADDRESS_EXPECTED);
  return address;
}

function graceOf(text: string | undefined): number {
  if (text === undefined) return LIFELINE_GRACE_MS;
  if (!/^\d{1,4}$/.test(text)) throw bad("--grace", text, "whole seconds, at most 9999");
  return Number(text) * 1000;
}
