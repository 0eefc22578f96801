import { CliError } from "./cli.ts";
import { DaemonStartError } from "./daemon-process.ts";

/** Data of errors that have none, or are not ours. */
const NO_DATA = {};

const isOurs = (error: unknown): error is DaemonStartError | CliError =>
  error instanceof DaemonStartError || error instanceof CliError;

/** Stable code of an error of the daemon or the command line. */
export const codeOf = (error: unknown): string | undefined => (isOurs(error) ? error.code : undefined);

/** What an error of the daemon or the command line says, by the fields of its entry in the table of errors. */
export const dataOf = (error: unknown): Readonly<Record<string, unknown>> =>
  isOurs(error) ? error.data : NO_DATA;
