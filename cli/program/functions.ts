// The commands that deploy and inspect smart functions and send tez.
import { type Command, Option } from "commander";
import { DEFAULT_GAS_LIMIT } from "../../daemon/protocol/constants.ts";
import { withConfigFile } from "../context.ts";
import {
  accountOption as account,
  type CommandParts,
  forceOption as force,
  networkOption as network,
  publicKeyOption as publicKey,
} from "./command-parts.ts";

/** Deploying, transfers, key-value store and logs. */
export function functionCommands(program: Command, { context }: CommandParts): void {
  program
    .command("deploy [source]")
    .description("deploy a smart function: a .ts or .js file, code text, or piped code")
    .option("--name <alias>", "alias for the deployed function")
    .option("-b, --balance <tez>", "tez to transfer from you to the function")
    .addOption(account())
    .addOption(force())
    .addOption(network())
    .option("--no-check", "deploy to a network that is not the sandbox without the checks of `functez check`")
    .addOption(publicKey())
    .addOption(
      new Option("--within <folder>", "deploy files of these folders and packages only (repeatable)")
        .argParser((folder: string, all: readonly string[] = []) => [...all, folder])
        .hideHelp(),
    )
    .option("--config-path <file>", "configuration file of accounts and aliases (default: the usual one)")
    .action(async (source, { configPath, ...options }) =>
      (await import("../commands/deploy.ts")).deploy(withConfigFile(context(), configPath), source, options),
    );
  program
    .command("transfer <amount> <receiver>")
    .description("move tez from your account to another account of the runtime")
    .addOption(account())
    .option("-g, --gas-limit <gas>", "gas limit of the call", String(DEFAULT_GAS_LIMIT))
    .option("-i, --include", "show status and headers")
    .addOption(network())
    .addOption(publicKey())
    .action(async (amount, receiver, options) =>
      (await import("../commands/transfer.ts")).transfer(context(), amount, receiver, options),
    );

  const kv = program.command("kv").description("read the key-value store of a smart function");
  const storeOf = () => new Option("-a, --account <alias|address>", "smart function (default: your account)");
  kv.command("get <key>")
    .description("show the value of a key")
    .addOption(storeOf())
    .addOption(network())
    .action(async (key, options) =>
      (await import("../commands/key-value.ts")).getValue(context(), key, options),
    );
  kv.command("list [key]")
    .description("list the names below a key, or at the top")
    .addOption(storeOf())
    .addOption(network())
    .action(async (key, options) =>
      (await import("../commands/key-value.ts")).listKeys(context(), key, options),
    );

  const logs = program.command("logs").description("read the logs of smart functions");
  logs
    .command("trace <alias|address>")
    .description("follow the log of a smart function; Ctrl-C ends")
    .option("-l, --level <level>", "least severe level shown: ERROR, WARN, INFO or DEBUG", "INFO")
    .addOption(network())
    .action(async (name, options) =>
      (await import("../commands/function-logs.ts")).traceLogs(context(), name, options),
    );
}
