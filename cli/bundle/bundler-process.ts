// Runs builds in the bundler's process and ends it when they take too long or too much memory, whatever the reason: a file
// without an end that no check has found, code that multiplies when it is folded, names that match a whole disk.
import type { ChildProcess, spawn } from "node:child_process";
import { readdirSync, readlinkSync } from "node:fs";
import { createRequire } from "node:module";
import type { BuildOptions, BuildResult } from "esbuild";
import { afterRunning } from "../../daemon/protocol/running-timer.ts";
import type { Esbuild } from "./load-esbuild.ts";
import { residentBytes } from "./resident-bytes.ts";

export interface BuildLimits {
  readonly milliseconds: number;
  /** Resident memory of the bundler's process, in bytes. */
  readonly memory: number;
  /** What it may send back, in bytes. */
  readonly output: number;
}

/** The largest libraries need 5 s and 300 MB; 20 MiB of plain functions need 1.7 GB. */
export const BUILD_LIMITS: BuildLimits = {
  milliseconds: 60_000,
  memory: 2 * 1024 ** 3,
  output: 256 * 1024 ** 2,
};

export interface BuildBounds {
  readonly limits?: BuildLimits;
  /** Ends a build whose sources are refused: the bundler would go through all others first. */
  readonly refusal?: AbortSignal;
}

/** The message completes the sentence "Building … was stopped: ". */
export class BuildStopped extends Error {
  override readonly name = "BuildStopped";
}

interface BundlerProcess {
  readonly child: ChildProcess;
  readonly closed: Promise<void>;
  /** Why we have ended it. */
  stopped?: string;
  received: number;
  /** The beginning of what it says when it crashes: thousands of lines for the programmer of the bundler. */
  complaint: string;
}

/** Each bundler keeps its process for the next build. */
const processes = new WeakMap<Esbuild, BundlerProcess>();

/**
 * @throws BuildStopped when the build exceeds a limit or the bundler crashes; the next build then has a new process
 * @throws BuildFailure of esbuild, for errors in the sources
 */
export async function buildWithin(
  esbuild: Esbuild,
  options: BuildOptions,
  { limits = BUILD_LIMITS, refusal }: BuildBounds = {},
): Promise<BuildResult> {
  const { started, result } = capturingProcess(() => esbuild.build(options));
  if (started) processes.set(esbuild, observe(started));
  const bundler = processes.get(esbuild);
  if (!bundler) return result; // started by somebody else in this process, who may need it
  bundler.received = 0;
  const unwatch = watch(bundler, limits);
  const refuse = (): void => void bundler.child.kill("SIGKILL");
  refusal?.addEventListener("abort", refuse);
  try {
    const built = await result;
    if (bundler.received > limits.output) throw new BuildStopped(outputReason(limits));
    return built;
  } catch (error) {
    if (error instanceof BuildStopped) throw error;
    if ((error as { readonly errors?: unknown }).errors !== undefined) throw error;
    bundler.child.kill("SIGKILL");
    await bundler.closed;
    throw new BuildStopped(bundler.stopped ?? crashReason(bundler.complaint), { cause: error });
  } finally {
    unwatch();
    refusal?.removeEventListener("abort", refuse);
    // Also when it had sent its result before it was killed.
    if (bundler.child.killed) {
      processes.delete(esbuild);
      await end(esbuild, bundler);
    }
  }
}

/** The process that is started in a call. The bundler's interface does not show it. */
function capturingProcess<T>(call: () => T): {
  readonly started: ChildProcess | undefined;
  readonly result: T;
} {
  const module = createRequire(import.meta.url)("node:child_process") as { spawn: typeof spawn };
  const original = module.spawn;
  let started: ChildProcess | undefined;
  module.spawn = ((command: string, args: readonly string[], options: object) => {
    // Its standard error is ours to read: a crash must not fill the user's terminal.
    started = original(command, args, { ...options, stdio: ["pipe", "pipe", "pipe"] });
    return started;
  }) as typeof spawn;
  try {
    const result = call();
    return { started, result };
  } finally {
    module.spawn = original;
  }
}

const MAX_COMPLAINT = 16 * 1024;

function observe(child: ChildProcess): BundlerProcess {
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const bundler: BundlerProcess = { child, closed, received: 0, complaint: "" };
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    if (bundler.complaint.length < MAX_COMPLAINT) bundler.complaint += text;
  });
  child.stdout?.on("data", ({ length }: Buffer) => (bundler.received += length));
  // Like the other pipes of the idle process it keeps nobody alive.
  (child.stderr as { unref?(): void } | null)?.unref?.();
  return bundler;
}

const WATCH_MS = 25;

/** @returns what ends the watch */
function watch(bundler: BundlerProcess, limits: BuildLimits): () => void {
  const { child } = bundler;
  const stop = (reason: string): void => {
    bundler.stopped ??= `${reason}${openFiles(child.pid)}`;
    child.kill("SIGKILL");
  };
  const late = afterRunning(limits.milliseconds, () =>
    stop(`the bundler has not finished within ${limits.milliseconds / 1000} s`),
  );
  let measuring = false;
  const timer = setInterval(() => {
    if (bundler.received > limits.output) return stop(`the result has more than ${inMib(limits.output)} MiB`);
    if (measuring || child.pid === undefined) return;
    measuring = true;
    void residentBytes(child.pid).then((bytes) => {
      measuring = false;
      if (bytes !== undefined && bytes > limits.memory)
        stop(`the bundler has used more than ${inMib(limits.memory)} MiB of memory`);
    });
  }, WATCH_MS);
  return () => {
    late.cancel();
    clearInterval(timer);
  };
}

const outputReason = ({ output }: BuildLimits): string => `the result has more than ${inMib(output)} MiB`;

const inMib = (bytes: number): number => Math.round(bytes / 1024 ** 2);

/** Which files the process has open: one of them is often the reason. Linux only. */
function openFiles(pid: number | undefined): string {
  try {
    const folder = `/proc/${pid}/fd`;
    const files = readdirSync(folder).flatMap((name) => {
      const file = readlinkSync(`${folder}/${name}`);
      return Number(name) > 2 && file.startsWith("/") ? [file] : [];
    });
    return files.length === 0 ? "" : `, while it was reading ${[...new Set(files)].slice(0, 3).join(", ")}`;
  } catch {
    return "";
  }
}

/** A killed process does not start again by itself: the module has to forget it. */
async function end(esbuild: Esbuild, { child, closed }: BundlerProcess): Promise<void> {
  child.kill("SIGKILL");
  await closed;
  await esbuild.stop?.();
}

function crashReason(complaint: string): string {
  if (/stack overflow|Maximum call stack/i.test(complaint))
    return "the bundler has run out of stack: the code nests too deeply";
  if (/out of memory|cannot allocate memory/i.test(complaint)) return "the bundler has run out of memory";
  const [line] = /^.*\b(?:fatal error|panic|Error): .*$/m.exec(complaint) ?? [];
  return `the bundler has ended unexpectedly${line === undefined ? "" : `: ${line.trim().slice(0, 200)}`}`;
}
