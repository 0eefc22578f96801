// Starts the bundled sandboxd as a process: attached to this terminal, or in the background.
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, statSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import type { SandboxClient } from "../daemon/client/sandbox-client.ts";
import { configFolder } from "../daemon/local/config-folder.ts";
import { makeFolder } from "../daemon/local/make-folder.ts";
import { errorInBody, reasonOf, SandboxError } from "../daemon/protocol/errors.ts";
import type { HealthReport } from "../daemon/protocol/sandbox-api.ts";
import { pause } from "../daemon/protocol/wait.ts";
import { interruptible } from "./interruptible.ts";

export interface SandboxProcessOptions {
  readonly distFolder: string;
  readonly env: NodeJS.ProcessEnv;
  readonly configFile: string | undefined;
  readonly logLevel: string | undefined;
}

function command(options: SandboxProcessOptions, ...more: readonly string[]): string[] {
  return [
    join(options.distFolder, "sandboxd.cjs"),
    "run",
    ...(options.configFile === undefined ? [] : [options.configFile]),
    ...(options.logLevel === undefined ? [] : ["--log-level", options.logLevel]),
    ...more,
  ];
}

/** Environment of the daemon: ours, and the switch that makes an editor's binary run it as plain Node. */
function daemonEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { ...env, ELECTRON_RUN_AS_NODE: "1" };
}

const INTERRUPTED = 130;

/**
 * Runs sandboxd in the foreground: its output is ours, and it ends with us, however we end (its stdin is our pipe).
 * @returns its exit code @throws SandboxError SANDBOX_START_FAILED, SANDBOX_KILLED
 */
export function runForeground(options: SandboxProcessOptions, signal: AbortSignal): Promise<number> {
  if (signal.aborted) return Promise.resolve(INTERRUPTED); // while it was looked for a running sandbox
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, command(options, "--lifeline"), {
      stdio: ["pipe", "inherit", "inherit"],
      env: daemonEnvironment(options.env),
    });
    child.once("error", (error) =>
      reject(new SandboxError("SANDBOX_START_FAILED", { reason: error.message }, { cause: error })),
    );
    child.once("exit", (code, killed) => {
      if (killed === null) resolve(code ?? 1);
      // Interrupted before it handled signals; a terminal may have signalled it before us.
      else if (signal.aborted || killed === "SIGINT") resolve(INTERRUPTED);
      else reject(new SandboxError("SANDBOX_KILLED", { how: killed }));
    });
    child.stdin?.on("error", () => undefined); // it has exited: `exit` reports it
    // A terminal sends Ctrl-C to both processes; other senders only to us.
    signal.addEventListener("abort", () => child.kill("SIGTERM"), { once: true });
  });
}

/** Log file of a background sandbox: one per port, so that two sandboxes do not share one. */
function backgroundLogFile(env: NodeJS.ProcessEnv, endpoint: string): string {
  return join(configFolder(env), "run", `sandboxd-${new URL(endpoint).port || "80"}.log`);
}

/** A larger log is emptied at the next start. */
const MAX_LOG_BYTES = 4 * 1024 * 1024;

interface Log {
  readonly file: string;
  readonly descriptor: number;
  /** Offset of this start's lines. */
  readonly from: number;
  /** Why it is not at its usual location. */
  readonly problem?: string;
}

/** Opens the log for another start. Appends, because a simultaneous start may already have written. */
function openLog(usual: string): Log {
  try {
    makeFolder(dirname(usual));
    const size = statSync(usual, { throwIfNoEntry: false })?.size ?? 0;
    if (size > MAX_LOG_BYTES) truncateSync(usual);
    return { file: usual, descriptor: openSync(usual, "a", 0o600), from: size > MAX_LOG_BYTES ? 0 : size };
  } catch (error) {
    const file = join(mkdtempSync(join(tmpdir(), "functez-")), basename(usual));
    return { file, descriptor: openSync(file, "a", 0o600), from: 0, problem: reasonOf(error) };
  }
}

/**
 * Starts sandboxd in the background and waits until it is healthy. If the signal aborts first, it is stopped again.
 * @throws SandboxError that of the daemon; SANDBOX_START_FAILED with its exit code and last log lines; CANCELLED
 */
export async function startBackground(
  options: SandboxProcessOptions,
  client: SandboxClient,
  signal: AbortSignal,
  warn: (text: string) => void,
): Promise<HealthReport> {
  const {
    file: logFile,
    descriptor: log,
    from,
    problem,
  } = openLog(backgroundLogFile(options.env, client.endpoint));
  if (problem !== undefined)
    warn(
      `the folder ${configFolder(options.env)} is not writable (${problem}), so later commands will not recognise the sandbox as yours. Its log is ${logFile}.`,
    );
  const child = spawn(process.execPath, command(options, "--json"), {
    stdio: ["ignore", log, log],
    env: daemonEnvironment(options.env),
    detached: true,
    windowsHide: true,
  });
  closeSync(log);
  child.unref();
  const ended = endOf(child);
  const over = new AbortController();
  try {
    const failed = ended.then(async ({ how, attached }) => {
      // Another start was faster: ours found its sandbox, so wait for that one.
      if (attached) await pause(ATTACHED_MS, over.signal);
      return fail(how, logFile, from);
    });
    const started = Promise.race([untilHealthy(client, over.signal), failed]);
    const report = await interruptible(signal, CANCELLED_START, started);
    // Ours may not have noticed that another start was faster. It would replace that sandbox once it stops.
    if (report.pid !== child.pid) await end(child, ended);
    return report;
  } catch (error) {
    if (signal.aborted) await end(child, ended);
    throw error;
  } finally {
    over.abort();
  }
}

/** Time for the sandbox found by a start to report that it is healthy. */
const ATTACHED_MS = 10_000;

const CANCELLED_START = { what: "Starting the sandbox", next: "It was stopped again." };

/** Whether parts fail shows only when the daemon ends: another start's may recover. Never resolves once the signal aborts. */
async function untilHealthy(client: SandboxClient, over: AbortSignal): Promise<HealthReport> {
  while (!over.aborted) {
    const report = await client.health();
    if (report?.status === "healthy") return report;
    await pause(POLL_MS, over);
  }
  return new Promise(() => {});
}

const POLL_MS = 20;

interface End {
  readonly how: string;
  /** It exited in order, because a sandbox was already running. */
  readonly attached: boolean;
}

/** Stops a background child and waits for its exit. */
async function end(child: ChildProcess, ended: Promise<End>): Promise<void> {
  child.ref(); // keeps this process alive until the child exits
  child.kill("SIGTERM");
  await ended;
}

function endOf(child: ChildProcess): Promise<End> {
  return new Promise((resolve) => {
    child.once("error", (error) => resolve({ how: error.message, attached: false }));
    child.once("exit", (code, signal) =>
      resolve({ how: signal ? `ended by ${signal}` : `exit code ${code}`, attached: code === 0 }),
    );
  });
}

function fail(how: string, logFile: string, from: number): never {
  const lines = readFileSync(logFile).subarray(from).toString("utf8").trimEnd().split("\n");
  for (const line of lines) {
    const failure = errorInBody(line);
    if (failure) throw failure;
  }
  throw new SandboxError("SANDBOX_START_FAILED", {
    reason: `${how}\n${lines.slice(-20).join("\n")}`,
    next: `Its log is ${logFile}.`,
  });
}
