// Starts the bundled sandboxd as a child of the editor. Its stdin is our pipe: the daemon notices when the extension
// host exits, however it died.
import type { ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { type DaemonReady, readyOf } from "../../daemon/client/start-line.ts";
import { type ErrorCode, SandboxError } from "../../daemon/protocol/errors.ts";
import { readableLogLine } from "../../daemon/text/log-line.ts";
import { spawnScript } from "./child-environment.ts";

/** Exit of a daemon that nobody stopped. */
export interface DaemonEnd {
  readonly code: number | null;
  readonly signal: string | null;
  readonly lastLines: readonly string[];
}

export class DaemonStartError extends Error {
  readonly end: DaemonEnd;
  /** Stable code of the error that ended it; INSTALLATION_DAMAGED when the program could not run at all. */
  readonly code: ErrorCode | undefined;
  readonly data: Readonly<Record<string, unknown>>;
  /** @param error what the daemon itself says, if it does */
  constructor(end: DaemonEnd, error?: SandboxError) {
    const damaged = error ? undefined : end.lastLines.find((line) => DAMAGED.test(line));
    const known = damaged ? new SandboxError("INSTALLATION_DAMAGED", { reason: damaged.trim() }) : error;
    const how = end.signal ? `was ended by ${end.signal}` : `exited with code ${end.code}`;
    super(
      error
        ? `${error.message} ${error.next}`
        : (known?.message ?? `sandboxd ${how}. ${telling(end.lastLines)}`.trim()),
    );
    this.code = known?.code;
    this.data = { ...known?.data };
    this.name = "DaemonStartError";
    this.end = end;
  }
}

/** The last lines that may say why it ended: no log lines of normal work. */
const telling = (lines: readonly string[]): string =>
  lines
    .filter((line) => !/^\d\d:\d\d:\d\d\.\d{3} (INFO|DEBUG) /.test(line))
    .slice(-3)
    .join("\n");

/** Messages of Node or the system when a bundled file is missing or not readable or executable. */
const DAMAGED = /Cannot find (module|package) |\b(EACCES|ENOENT|EPERM): /;

export interface DaemonProcess {
  readonly ready: DaemonReady;
  readonly ended: Promise<DaemonEnd>;
  /** Detaches: the daemon exits one grace period later, unless another client holds it. */
  release(): void;
}

const LINES_KEPT = 20;

/** @throws DaemonStartError when it ends before it is ready */
export async function startDaemon(options: {
  readonly script: string;
  readonly configFile: string;
  readonly graceSeconds: number;
  readonly onLog: (line: string) => void;
}): Promise<DaemonProcess> {
  const child = spawnScript(options.script, [
    "run",
    options.configFile,
    "--lifeline",
    "--grace",
    String(options.graceSeconds),
    "--json",
  ]);
  const lines: string[] = [];
  createInterface({ input: child.stderr! }).on("line", (line) => {
    lines.push(readableLogLine(line));
    if (lines.length > LINES_KEPT) lines.shift();
    options.onLog(line);
  });
  child.stdin?.on("error", () => undefined); // it has exited: `ended` reports it
  const ended = endOf(child, lines);
  const line = await Promise.race([
    new Promise<string>((resolve) => createInterface({ input: child.stdout! }).once("line", resolve)),
    ended.then((end) => {
      throw new DaemonStartError(end);
    }),
  ]);
  const ready = await readyUnlessEnded(line, ended);
  return { ready, ended, release: () => void child.stdin?.end() };
}

async function readyUnlessEnded(line: string, ended: Promise<DaemonEnd>): Promise<DaemonReady> {
  try {
    return readyOf(line);
  } catch (error) {
    throw error instanceof SandboxError ? new DaemonStartError(await ended, error) : error;
  }
}

function endOf(child: ChildProcess, lastLines: readonly string[]): Promise<DaemonEnd> {
  return new Promise((resolve) => {
    child.once("error", (error) => resolve({ code: null, signal: null, lastLines: [error.message] }));
    child.once("close", (code, signal) => resolve({ code, signal, lastLines: [...lastLines] }));
  });
}
