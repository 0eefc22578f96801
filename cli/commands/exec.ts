// `functez exec -- <command>`: runs a command with its own sandbox on free ports.
import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type DaemonReady, readyOf } from "../../daemon/client/start-line.ts";
import { reasonOf, SandboxError } from "../../daemon/protocol/errors.ts";
import { SANDBOX_URL_VARIABLE } from "../config/locate-sandbox.ts";
import { type CliContext, endLine } from "../context.ts";
import { interruptible } from "../interruptible.ts";

/** @returns the exit code of the command */
export async function exec(
  context: CliContext,
  command: readonly string[],
  options: { readonly config?: string; readonly strict?: boolean },
): Promise<number> {
  const given = [...(options.config ? [options.config] : []), ...(options.strict ? ["--strict"] : [])];
  const args = ["run", ...given, "--lifeline", "--free-ports", "--json"];
  const daemon = spawn(
    process.execPath,
    [join(context.distFolder, "sandboxd.cjs"), ...args, "--log-level", "warn"],
    {
      stdio: ["pipe", "pipe", "inherit"],
      env: { ...context.env, ELECTRON_RUN_AS_NODE: "1" },
    },
  );
  const ended = new Promise<void>((resolve) => daemon.once("exit", () => resolve()));
  let code: number;
  try {
    const ready = await interruptible(context.signal, CANCELLED_START, firstLine(daemon.stdout, ended));
    context.terminal.note(`Sandbox ${ready.sandboxd}, layer 1 ${ready.layer1}, runtime ${ready.runtime}`);
    code = await runCommand(context, command, { ...context.env, ...environmentOf(ready) });
  } finally {
    daemon.kill("SIGTERM");
    await ended;
  }
  endLine(context); // only now: a busy machine may report the command's end before Ctrl-C
  return code;
}

const CANCELLED_START = { what: "Starting the sandbox", next: "The command was not run." };

/** Variables that tell programs where the sandbox is. */
function environmentOf(ready: DaemonReady): NodeJS.ProcessEnv {
  return {
    [SANDBOX_URL_VARIABLE]: ready.sandboxd,
    FUNCTEZ_LAYER1_URL: ready.layer1,
    FUNCTEZ_RUNTIME_URL: ready.runtime,
    // Read by the Jstz client SDK.
    JSTZ_BASE_URL: ready.runtime,
  };
}

async function firstLine(stdout: NodeJS.ReadableStream, ended: Promise<void>): Promise<DaemonReady> {
  const lines = createInterface({ input: stdout });
  const line = await Promise.race([
    new Promise<string>((resolve) => lines.once("line", resolve)),
    ended.then(() => {
      throw new SandboxError("SANDBOX_START_FAILED", { reason: "it ended before it was ready" });
    }),
  ]);
  return readyOf(line);
}

/** The terminal sends Ctrl-C to the command as well; it gets this long to exit before it is killed. */
const COMMAND_ENDS_MS = 5000;
/** A command that was still starting at Ctrl-C may have missed the signal. */
const COMMAND_BEGINS_MS = 200;
/** Exit codes for commands that do not exist or cannot be run, as in shells. */
const NOT_FOUND = 127;
const NOT_RUNNABLE = 126;
/** Exit code of a command ended by a signal: this plus the number of the signal. */
const BY_SIGNAL = 128;

function runCommand(
  context: CliContext,
  command: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<number> {
  const [program = "", ...args] = command;
  return new Promise((resolve) => {
    const fail = (error: unknown): void => {
      context.terminal.failure(
        new SandboxError(
          "COMMAND_NOT_FOUND",
          { found: program, reason: startProblem(error) },
          { cause: error },
        ),
      );
      resolve((error as NodeJS.ErrnoException).code === "ENOENT" ? NOT_FOUND : NOT_RUNNABLE);
    };
    let child: ChildProcess;
    try {
      child = spawn(program, args, { stdio: "inherit", env });
    } catch (error) {
      return fail(error); // no name, or arguments that the system does not take
    }
    child.once("error", fail);
    child.once("exit", (code, killed) => {
      clearTimeout(end);
      const by = context.signal.aborted ? "SIGINT" : killed; // our own kill counts as Ctrl-C
      resolve(code ?? BY_SIGNAL + (by === null ? 0 : constants.signals[by]));
    });
    let end: NodeJS.Timeout | undefined;
    const since = performance.now();
    const endIt = () => {
      const isTold = context.terminal.interactive && performance.now() - since > COMMAND_BEGINS_MS;
      end = setTimeout(() => child.kill("SIGTERM"), isTold ? COMMAND_ENDS_MS : 0);
    };
    context.signal.addEventListener("abort", endIt, { once: true });
    if (context.signal.aborted) endIt();
  });
}

/** Explains why a program does not start. */
function startProblem(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "ENOENT") return "there is no such program";
  return code === "EACCES" ? "it is not executable" : reasonOf(error);
}
