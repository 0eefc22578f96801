// Runs the bundled command line with `--json`. Deposits, deploys, calls and accounts go through it, so that the editor
// and the terminal behave exactly alike.
import { createInterface } from "node:readline";
import { type ErrorBody, SandboxError } from "../../daemon/protocol/errors.ts";
import { withoutLinks } from "../messages.ts";
import { spawnScript } from "./child-environment.ts";

/** An error reported by the command line, with its stable code. */
export class CliError extends Error {
  readonly code: string;
  readonly next: string;
  /** By the fields of the code's entry in the table of errors, as far as the command line is ours. */
  readonly data: Readonly<Record<string, unknown>>;
  constructor(code: string, message: string, next: string, data: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.name = "CliError";
    this.code = code;
    this.next = next;
    this.data = data;
  }

  /** An error of the table, raised by the extension itself. */
  static of({ code, message, next, data }: SandboxError): CliError {
    return new CliError(code, message, next, { ...data });
  }
}

export interface CliRun {
  readonly signal?: AbortSignal;
  /** Called for each step of a command with steps (a deposit). */
  readonly onProgress?: (text: string) => void;
  readonly cwd?: string;
  /** The command's standard input. */
  readonly input?: string;
}

export interface Cli {
  /** Result of a command. @throws CliError */
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
        child.once("error", (error) =>
          reject(CliError.of(new SandboxError("CLI_MISSING", { reason: error.message }))),
        );
        child.once("close", (code) => {
          signal?.removeEventListener("abort", stop);
          if (signal?.aborted) reject(new CliError("CANCELLED", "The command was cancelled.", ""));
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
    reject(CliError.of(new SandboxError("CLI_FAILED", { reason: text })));
    return;
  }
  const { error } = (result ?? {}) as Partial<ErrorBody>;
  if (error) reject(new CliError(error.code, error.message, error.next, error.data));
  else resolve(result);
}

/** Text of a progress line, `{"progress":"…"}`; undefined for anything else. */
function progressOf(line: string): string | undefined {
  if (!line.startsWith('{"progress":')) return undefined;
  return (JSON.parse(line) as { progress: string }).progress;
}
