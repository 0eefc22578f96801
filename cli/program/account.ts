// The commands for accounts, aliases and login.
import type { Command } from "commander";
import { type CommandParts, forceOption as force, networkOption as network } from "./command-parts.ts";

/** Accounts and aliases. */
export function accountCommands(program: Command, { context }: CommandParts): void {
  const account = program.command("account").description("accounts and aliases");
  account
    .command("create <alias>")
    .description("create an account with a new key")
    .addOption(force())
    .option("--passphrase <text>", "passphrase of the recovery phrase")
    .action(async (alias, options) =>
      (await import("../commands/account.ts")).createAccount(context(), alias, options),
    );
  account
    .command("import <alias>")
    .description("import a secret key or a recovery phrase (prompted for, or piped in)")
    .addOption(force())
    .option("--key <text>", "secret key or recovery phrase (visible in your shell history)")
    .option(
      "--from-jstz [file]",
      "import the account of this alias from a Jstz configuration (default: its usual location)",
    )
    .option("--passphrase <text>", "passphrase of the recovery phrase")
    .action(async (alias, options) =>
      (await import("../commands/account.ts")).importAccount(context(), alias, options),
    );
  account
    .command("delete <alias>")
    .description("delete an account or alias")
    .option("-y, --yes", "do not ask")
    .action(async (alias, options) =>
      (await import("../commands/account.ts")).deleteAccount(context(), alias, options),
    );
  account
    .command("list")
    .alias("ls")
    .description("list accounts and smart functions")
    .option("-l, --long", "with public and secret keys")
    .option(
      "-b, --bootstrap",
      "list the bootstrap accounts of layer 1 instead; with --long their development keys",
    )
    .action(async (options) => (await import("../commands/account.ts")).listAccounts(context(), options));
  account
    .command("balance")
    .description("show the balance in the runtime")
    .option("-a, --account <alias|address>", "account (default: the one you are logged in to)")
    .addOption(network())
    .action(async (options) => (await import("../commands/account.ts")).showBalance(context(), options));
  account
    .command("code")
    .description("show the code of a smart function")
    .requiredOption("-a, --account <alias|address>", "smart function")
    .addOption(network())
    .action(async (options) => (await import("../commands/account.ts")).showCode(context(), options));
  account
    .command("alias <alias> <address>")
    .description("name a deployed smart function")
    .action(async (alias, address) =>
      (await import("../commands/account.ts")).addAlias(context(), alias, address),
    );

  program
    .command("login <alias>")
    .description("log in: use an account for the following commands")
    .action(async (alias) => (await import("../commands/account.ts")).login(context(), alias));
  program
    .command("logout")
    .description("log out of the account")
    .action(async () => (await import("../commands/account.ts")).logout(context()));
  program
    .command("whoami")
    .description("show the account you are logged in to")
    .action(async () => (await import("../commands/account.ts")).whoami(context()));
}
