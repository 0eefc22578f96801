// Starts the bundled sandboxd as a child of the editor. Its stdin is our pipe: the daemon notices when the extension
// host exits, however it died.
import type { ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { type ErrorCode, SandboxError } from "../../daemon/protocol/errors.ts";
import { readableLogLine } from "../../daemon/text/log-line.ts";
import { spawnScript } from "./child-environment.ts";

/** The daemon's output when it is ready. */
export interface DaemonReady {
  readonly sandboxd: string;
  readonly layer1: string;
  readonly runtime: string;
  readonly pid: number;
  readonly version: string;
  /** True: another daemon is already running; the one we started has exited. */
  readonly attached: boolean;
}

/** Exit of a daemon that nobody stopped. */
export interface DaemonEnd {
  readonly code: number | null;
  readonly signal: string | null;
  readonly lastLines: readonly string[];
}

export class DaemonStartError extends Error {
  readonly end: DaemonEnd;
  /** Stable code of the error that ended it; INSTALLATION_DAMAGED when the program could not run at all. */
  readonly code: string | undefined;
  constructor(end: DaemonEnd) {
    const error = end.lastLines.find((line) => line.startsWith("ERROR "));
    const how = end.signal ? `was ended by ${end.signal}` : `exited with code ${end.code}`;
    const [, code, text] = /^ERROR ([A-Z][A-Z_0-9]+): (.*)/s.exec(error ?? "") ?? [];
    const damaged = error === undefined ? end.lastLines.find((line) => DAMAGED.test(line)) : undefined;
    super(
      text ??
        (damaged
          ? new SandboxError("INSTALLATION_DAMAGED", { reason: damaged.trim() }).message
          : [`sandboxd ${how}.`, error ? error.slice("ERROR ".length) : telling(end.lastLines)]
              .join(" ")
              .trim()),
    );
    this.code = code ?? (damaged ? ("INSTALLATION_DAMAGED" satisfies ErrorCode) : undefined);
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
  const ready = await Promise.race([
    new Promise<DaemonReady>((resolve) =>
      createInterface({ input: child.stdout! }).once("line", (line) =>
        resolve(JSON.parse(line) as DaemonReady),
      ),
    ),
    ended.then((end) => {
      throw new DaemonStartError(end);
    }),
  ]);
  return { ready, ended, release: () => void child.stdin?.end() };
}

function endOf(child: ChildProcess, lastLines: readonly string[]): Promise<DaemonEnd> {
  return new Promise((resolve) => {
    child.once("error", (error) =>
      resolve({ code: null, signal: null, lastLines: [`ERROR ${error.message}`] }),
    );
    child.once("close", (code, signal) => resolve({ code, signal, lastLines: [...lastLines] }));
  });
}
