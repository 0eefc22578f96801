// Runs the built command line, each time with the test's own configuration folder.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";

/** The build under test. */
export const DIST = process.env["FUNCTEZ_DIST"] ?? resolve(import.meta.dirname, "../../dist");
export const ROOT = resolve(import.meta.dirname, "../..");

export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly input?: string;
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

export interface BuiltCli {
  readonly configHome: string;
  readonly env: NodeJS.ProcessEnv;
  functez(args: readonly string[], options?: RunOptions): Promise<CommandResult>;
  /** Starts a process whose output can be awaited; `dispose` ends it. */
  start(
    script: keyof typeof SCRIPTS,
    args: readonly string[],
    options?: { stdin?: "pipe" | "ignore" },
  ): RunningProcess;
  dispose(): Promise<void>;
}

export interface RunningProcess {
  readonly child: ChildProcess;
  readonly output: () => string;
  /** Resolves with the first line (of stdout or stderr) that matches; rejects when the process ends first. */
  line(pattern: RegExp): Promise<string>;
  readonly ended: Promise<number | null>;
}

const SCRIPTS = {
  functez: "functez.mjs",
  sandboxd: "sandboxd.cjs",
  "layer1-node": "layer1-node.mjs",
  "runtime-node": "runtime-node.mjs",
} as const;

/** What the sandboxes of all tests share: compiling it takes a quarter of a start's processor time. */
const COMPILED = join(ROOT, ".cache", "test-code");

const startsSandbox = (args: readonly string[]): boolean => args.includes("sandbox") || args.includes("exec");

/** A configuration with a folder for compiled code keeps that one. */
function shareCompiledCode(configHome: string): void {
  const link = join(configHome, "functez", "code-cache");
  if (existsSync(link)) return;
  for (const folder of [COMPILED, dirname(link)]) mkdirSync(folder, { recursive: true, mode: 0o700 });
  symlinkSync(COMPILED, link, "junction");
}

/** A command line with its own, empty configuration. */
export function builtCli(extra: NodeJS.ProcessEnv = {}): BuiltCli {
  const configHome = mkdtempSync(join(tmpdir(), "functez-test-"));
  const env: NodeJS.ProcessEnv = { ...process.env, XDG_CONFIG_HOME: configHome, NO_COLOR: "1", ...extra };
  const running = new Set<RunningProcess>();

  return {
    configHome,
    env,
    functez: (args, options = {}) =>
      new Promise((done) => {
        if (startsSandbox(args)) shareCompiledCode(configHome);
        const child = spawn(process.execPath, [join(DIST, "functez.mjs"), ...args], {
          cwd: options.cwd ?? ROOT,
          env: { ...env, ...options.env },
          stdio: [options.input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
        });
        let stdout = "";
        let stderr = "";
        child.stdout?.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
        child.stderr?.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
        child.once("close", (code) => done({ code: code ?? -1, stdout, stderr }));
        if (options.input !== undefined) child.stdin?.end(options.input);
      }),

    start(script, args, options = {}) {
      if (script === "sandboxd" || startsSandbox(args)) shareCompiledCode(configHome);
      const child = spawn(process.execPath, [join(DIST, SCRIPTS[script]), ...args], {
        cwd: ROOT,
        env,
        stdio: [options.stdin ?? "ignore", "pipe", "pipe"],
      });
      const process_ = watch(child);
      running.add(process_);
      void process_.ended.then(() => running.delete(process_));
      return process_;
    },

    async dispose() {
      for (const { child, ended } of running) {
        child.kill("SIGKILL");
        await ended;
      }
      rmSync(configHome, { recursive: true, force: true });
    },
  };
}

function watch(child: ChildProcess): RunningProcess {
  const lines: string[] = [];
  const waiting = new Set<(line: string) => void>();
  for (const stream of [child.stdout, child.stderr]) {
    if (!stream) continue;
    createInterface({ input: stream }).on("line", (line) => {
      lines.push(line);
      for (const take of waiting) take(line);
    });
  }
  const ended = new Promise<number | null>((resolve_) => child.once("close", (code) => resolve_(code)));
  return {
    child,
    ended,
    output: () => lines.join("\n"),
    line(pattern) {
      const known = lines.find((line) => pattern.test(line));
      if (known !== undefined) return Promise.resolve(known);
      return new Promise((resolve_, reject) => {
        const take = (line: string) => {
          if (!pattern.test(line)) return;
          waiting.delete(take);
          resolve_(line);
        };
        waiting.add(take);
        void ended.then((code) =>
          reject(
            new Error(`ended with ${code} before a line matched ${pattern}; output:\n${lines.join("\n")}`),
          ),
        );
      });
    },
  };
}

/** Output of `sandboxd run --json` when it is ready. */
export interface ReadyLine {
  readonly ready: true;
  readonly attached: boolean;
  readonly pid: number;
  readonly sandboxd: string;
  readonly layer1: string;
  readonly runtime: string;
}

/** A sandbox on free ports, with or without its own configuration, and a command line that uses it. */
export async function startedSandbox(config?: object): Promise<{
  readonly cli: BuiltCli;
  readonly process: RunningProcess;
  readonly ready: ReadyLine;
}> {
  const cli = builtCli();
  const file = join(cli.configHome, "sandbox.json");
  if (config) writeFileSync(file, JSON.stringify(config));
  const process_ = cli.start(
    "sandboxd",
    ["run", ...(config ? [file] : []), "--lifeline", "--free-ports", "--json"],
    { stdin: "pipe" },
  );
  const ready = JSON.parse(await process_.line(/^\{"ready"/)) as ReadyLine;
  cli.env["FUNCTEZ_SANDBOX_URL"] = ready.sandboxd;
  return { cli, process: process_, ready };
}
