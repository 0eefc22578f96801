// Runs the bundled command line with `--json`. Deposits, deploys, calls and accounts go through it, so that the editor
// and the terminal behave exactly alike.
import { createInterface } from "node:readline";
import { errorInBody, SandboxError } from "../../daemon/protocol/errors.ts";
import { isObject } from "../../daemon/tezos/json-fields.ts";
import { withoutLinks } from "../messages.ts";
import { spawnScript } from "./child-environment.ts";

export interface CliRun {
  readonly signal?: AbortSignal;
  /** Called for each step of a command with steps (a deposit). */
  readonly onProgress?: (text: string) => void;
  readonly cwd?: string;
  /** The command's standard input. */
  readonly input?: string;
}

export interface Cli {
  /** Result of a command. @throws SandboxError that of the command, CLI_MISSING, CLI_FAILED, CANCELLED */
  run<T>(args: readonly string[], options?: CliRun): Promise<T>;
}

/** Arguments and input that pass a body to `run`: never as an argument, which might name a file. */
export function withBody(body: string | undefined): {
  readonly args: readonly string[];
  readonly input?: string;
} {
  return body === undefined || body === "" ? { args: [] } : { args: ["-d", "@-"], input: body };
}

export function createCli(options: {
  readonly script: string;
  readonly environment: () => NodeJS.ProcessEnv;
}): Cli {
  return {
    run<T>(args: readonly string[], { signal, onProgress, cwd, input }: CliRun = {}) {
      return new Promise<T>((resolve, reject) => {
        const child = spawnScript(options.script, ["--json", ...args], {
          env: options.environment(),
          ...(cwd === undefined ? {} : { cwd }),
        });
        child.stdin?.on("error", () => undefined); // it exited without reading: its outcome explains why
        child.stdin?.end(input);
        const stop = () => child.kill("SIGINT");
        signal?.addEventListener("abort", stop, { once: true });
        let stdout = "";
        let rest = "";
        child.stdout?.setEncoding("utf8"); // characters may lie across chunks
        child.stdout?.on("data", (chunk: string) => (stdout += chunk));
        createInterface({ input: child.stderr! }).on("line", (line) => {
          const progress = progressOf(line);
          if (progress === undefined) rest += `${line}\n`;
          else onProgress?.(withoutLinks(progress)); // the editor makes links of it
        });
        child.once("error", (error) => reject(new SandboxError("CLI_MISSING", { reason: error.message })));
        child.once("close", (code) => {
          signal?.removeEventListener("abort", stop);
          if (signal?.aborted) reject(new SandboxError("CANCELLED", { next: "" }));
          else finish(code, stdout, rest, resolve as (value: unknown) => void, reject);
        });
      });
    },
  };
}

function finish(
  code: number | null,
  stdout: string,
  stderr: string,
  resolve: (value: unknown) => void,
  reject: (error: Error) => void,
): void {
  let result: unknown;
  try {
    result = JSON.parse(stdout);
  } catch {
    const text = (stderr || stdout).trim() || `exit code ${code}`;
    reject(new SandboxError("CLI_FAILED", { reason: text }));
    return;
  }
  if (isObject(result) && isObject(result["error"]))
    reject(errorInBody(stdout) ?? new SandboxError("CLI_FAILED", { reason: stdout.trim() }));
  else resolve(result);
}

/** Text of a progress line, `{"progress":"…"}`; undefined for anything else. */
function progressOf(line: string): string | undefined {
  if (!line.startsWith('{"progress":')) return undefined;
  return (JSON.parse(line) as { progress: string }).progress;
}
