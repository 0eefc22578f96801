// The commands that call smart functions and inspect calls.
import type { Command } from "commander";
import { DEFAULT_GAS_LIMIT } from "../../daemon/protocol/constants.ts";
import {
  accountOption as account,
  type CommandParts,
  networkOption as network,
  publicKeyOption as publicKey,
} from "./command-parts.ts";

/** Calls, call trees and the prompt. */
export function callCommands(program: Command, { context, setExitCode }: CommandParts): void {
  program
    .command("run <url>")
    .description("call a smart function: jstz://<alias or address>/path, or <alias>/path")
    .option("-m, --method <method>", "HTTP method", "GET")
    .option("-d, --data <text|file>", "request body: text, a file (also @file), or @- for piped input")
    .option("--data-raw <text>", "request body as text, never a file name")
    .option(
      "-H, --header <name: value>",
      "request header (repeatable)",
      (value: string, all: string[] = []) => [...all, value],
    )
    .option("-a, --amount <tez>", "tez to attach to the call")
    .addOption(account())
    .option("-g, --gas-limit <gas>", "gas limit of the call", String(DEFAULT_GAS_LIMIT))
    .option("-i, --include", "show status and headers")
    .option("-t, --trace", "show the logs of the called functions")
    .option("--base64", "give the body as base64 in --json output, as it was sent")
    .option("-f, --fail", "exit with 22 when the status is 400 or more")
    .addOption(network())
    .addOption(publicKey())
    .action(async (url, options) =>
      setExitCode(await (await import("../commands/run.ts")).run(context(), url, options)),
    );

  program
    .command("call")
    .description("inspect calls")
    .command("trace <operation>")
    .description("show the call tree of an operation: calls, key-value accesses, transfers, logs, gas")
    .option("-s, --source", "run it again, and show the lines that ran, how often, and their gas")
    .addOption(network())
    .action(async (hash, options) =>
      (await import("../commands/call-trace.ts")).traceCall(context(), hash, options),
    );
  program
    .command("profile <operation>")
    .description("show where the gas of an operation went, by function: a hash, or `last` for the last call")
    .option("-o, --output <file>", "write a CPU profile, which VS Code and speedscope open")
    .action(async (operation, options) =>
      (await import("../commands/profile.ts")).profile(context(), operation, options),
    );
  program
    .command("coverage")
    .description("show which lines of deployed functions the operations of the sandbox ran, and which not")
    .option("-o, --output <file>", "write a report in the format of lcov")
    .action(async (options) => (await import("../commands/coverage.ts")).coverage(context(), options));
  program
    .command("debug [operation]")
    .description(
      "show where an operation failed, or ended: stack and variables there (a hash, or `last`, the default)",
    )
    .option("--dap", "be a debug adapter for an editor, on standard input and output (docs/debugging.md)")
    .action(async (operation, options) =>
      (await import("../commands/debug.ts")).debug(context(), operation ?? "last", options),
    );
  program
    .command("repl")
    .description("open a prompt inside a smart function's environment, with Kv and Ledger")
    .option("-a, --account <alias>", "account that signs (default: the one you are logged in to)")
    .addOption(network())
    .addOption(publicKey())
    .action(async (options) =>
      setExitCode(await (await import("../commands/repl.ts")).repl(context(), options)),
    );
}
