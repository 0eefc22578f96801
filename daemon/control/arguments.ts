// The command line of sandboxd.
import { parseArgs } from "node:util";
import { reasonOf, SandboxError } from "../protocol/errors.ts";
import type { LogLevel } from "./log.ts";

export type SandboxdCommand =
  | { readonly kind: "help" }
  | { readonly kind: "version" }
  | {
      readonly kind: "run";
      readonly configFile: string | undefined;
      readonly lifeline: boolean;
      /** Every port is a free one, whatever the configuration says. */
      readonly freePorts: boolean;
      /** One JSON line on stdout instead of banner and table. */
      readonly json: boolean;
      readonly logLevel: LogLevel | undefined;
      readonly logFile: string | undefined;
    };

export const SANDBOXD_HELP = `sandboxd: the daemon of the functez sandbox.

Usage:
  sandboxd run [config.json] [options]   start the sandbox and stay in the foreground
  sandboxd --version
  sandboxd --help

Options of run:
  --lifeline           end when the program that started it is gone (stdin closes)
  --free-ports         take free ports in place of the configured ones (shown in /config/)
  --json               print one JSON line when ready, in place of banner and table
  --log-level LEVEL    error, warn, info or debug (default: info)
  --log-file FILE      append the log to a file (default: standard error)

Without a configuration file every key has its default: docs/configuration.md lists them.
Stop it with Ctrl-C, SIGTERM, or PUT /shutdown.
`;

const LEVELS: readonly string[] = ["error", "warn", "info", "debug"] satisfies LogLevel[];

/** Parses the arguments after the program name. @throws SandboxError BAD_OPTION */
export function parseSandboxdArguments(args: readonly string[]): SandboxdCommand {
  const { values, positionals } = parse(args);
  if (values.help || (args.length === 0 && !values.version)) return { kind: "help" };
  if (values.version) return { kind: "version" };
  const [command, configFile, ...rest] = positionals;
  if (command !== "run") throw bad("the command", command ?? "(none)", "run");
  if (rest.length > 0) throw bad("run", rest.join(" "), "at most one configuration file");
  const level = values["log-level"];
  if (level !== undefined && !LEVELS.includes(level)) throw bad("--log-level", level, LEVELS.join(", "));
  return {
    kind: "run",
    configFile,
    lifeline: values.lifeline ?? false,
    freePorts: values["free-ports"] ?? false,
    json: values.json ?? false,
    logLevel: level as LogLevel | undefined,
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
        json: { type: "boolean" },
        "free-ports": { type: "boolean" },
        "log-level": { type: "string" },
        "log-file": { type: "string" },
      },
    });
  } catch (error) {
    throw bad("the command line", reasonOf(error), "the options that `sandboxd --help` shows");
  }
}

function bad(option: string, found: string, expected: string): SandboxError {
  return new SandboxError("BAD_OPTION", { option, found, expected });
}
