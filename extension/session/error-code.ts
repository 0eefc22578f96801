import { CliError } from "./cli.ts";
import { DaemonStartError } from "./daemon-process.ts";

/** Stable code of an error of the daemon or the command line. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof DaemonStartError || error instanceof CliError ? error.code : undefined;
}
