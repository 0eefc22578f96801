// The line of JSON that `sandboxd run --json` prints first: where the sandbox is, or why there is none.
import { errorInBody } from "../protocol/errors.ts";

/** The daemon's output when it is ready. */
export interface DaemonReady {
  readonly sandboxd: string;
  readonly layer1: string;
  readonly runtime: string;
  readonly pid: number;
  readonly version: string;
  /** True: another daemon is already running; the one that was started has exited. */
  readonly attached: boolean;
}

/** @throws SandboxError why the daemon did not start */
export function readyOf(line: string): DaemonReady {
  const failure = errorInBody(line);
  if (failure) throw failure;
  return JSON.parse(line) as DaemonReady;
}
