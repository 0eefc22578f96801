// What an error says by its entry in the table of errors: that of the command line or of a client, or the one that ended
// the daemon.
import { type ErrorCode, SandboxError } from "../../daemon/protocol/errors.ts";
import { DaemonStartError } from "./daemon-process.ts";

/** Data of errors that have none, or are not ours. */
const NO_DATA = {};

const isOurs = (error: unknown): error is DaemonStartError | SandboxError =>
  error instanceof DaemonStartError || error instanceof SandboxError;

/** Stable code of an error of ours. */
export const codeOf = (error: unknown): ErrorCode | undefined => (isOurs(error) ? error.code : undefined);

/** What an error of ours says, by the fields of its entry in the table of errors. */
export const dataOf = (error: unknown): Readonly<Record<string, unknown>> =>
  isOurs(error) ? { ...error.data } : NO_DATA;
