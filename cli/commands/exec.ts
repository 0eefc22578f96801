// `functez exec -- <command>`: a sandbox of its own on free ports for the time of one command.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { reasonOf, SandboxError } from "../../daemon/protocol/errors.ts";
import { SANDBOX_URL_VARIABLE } from "../config/network.ts";
import type { CliContext } from "../context.ts";

interface Ready {
  readonly sandboxd: string;
  readonly layer1: string;
  readonly runtime: string;
}

/** @returns the exit code of the command */
export async function exec(
  context: CliContext,
  command: readonly string[],
  options: { readonly config?: string },
): Promise<number> {
  const args = ["run", ...(options.config ? [options.config] : []), "--lifeline", "--free-ports", "--json"];
  const daemon = spawn(
    process.execPath,
    [join(context.distFolder, "sandboxd.mjs"), ...args, "--log-level", "warn"],
    {
      stdio: ["pipe", "pipe", "inherit"],
      env: { ...context.env, ELECTRON_RUN_AS_NODE: "1" },
    },
  );
  const ended = new Promise<void>((resolve) => daemon.once("exit", () => resolve()));
  try {
    const ready = await firstLine(daemon.stdout, ended);
    context.terminal.note(`Sandbox ${ready.sandboxd}, layer 1 ${ready.layer1}, runtime ${ready.runtime}`);
    return await runCommand(command, { ...context.env, ...environmentOf(ready) }, context.signal);
  } finally {
    daemon.kill("SIGTERM");
    await ended;
  }
}

/** Variables by which programs find the sandbox. */
function environmentOf(ready: Ready): NodeJS.ProcessEnv {
  return {
    [SANDBOX_URL_VARIABLE]: ready.sandboxd,
    FUNCTEZ_LAYER1_URL: ready.layer1,
    FUNCTEZ_RUNTIME_URL: ready.runtime,
    // The Jstz client SDK reads this one.
    JSTZ_BASE_URL: ready.runtime,
  };
}

async function firstLine(stdout: NodeJS.ReadableStream, ended: Promise<void>): Promise<Ready> {
  const lines = createInterface({ input: stdout });
  const line = await Promise.race([
    new Promise<string>((resolve) => lines.once("line", resolve)),
    ended.then(() => {
      throw new SandboxError("SANDBOX_START_FAILED", { reason: "it ended before it was ready" });
    }),
  ]);
  return JSON.parse(line) as Ready;
}

function runCommand(
  command: readonly string[],
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<number> {
  const [program = "", ...args] = command;
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: "inherit", env });
    child.once("error", (error) =>
      reject(
        new SandboxError("FILE_UNREADABLE", { file: program, reason: reasonOf(error) }, { cause: error }),
      ),
    );
    // A command that a signal ended has no code; shells report 128 + the signal's number, 1 is enough to fail.
    child.once("exit", (code) => resolve(code ?? 1));
    signal.addEventListener("abort", () => child.kill("SIGTERM"), { once: true });
  });
}
