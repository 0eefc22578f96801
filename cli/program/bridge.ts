// The commands of `functez bridge`.
import type { Command } from "commander";
import { withConfigFile } from "../context.ts";
import {
  accountOption as account,
  type CommandParts,
  forceOption as force,
  networkOption as network,
  publicKeyOption as publicKey,
  SENDER,
} from "./command-parts.ts";

/** Tez and tokens between layer 1 and the runtime. */
export function bridgeCommands(program: Command, { context }: CommandParts): void {
  const bridge = program.command("bridge").description("move tez and tokens between layer 1 and the runtime");
  bridge
    .command("deposit")
    .description("bridge tez from a layer 1 account to a runtime account")
    .requiredOption("-f, --from <account>", SENDER)
    .requiredOption("-t, --to <alias|address>", "receiver in the runtime")
    .requiredOption("-a, --amount <tez>", "amount in tez, at most 6 decimals")
    .addOption(network())
    .addOption(publicKey())
    .option("--no-wait", "return when the operation is included on layer 1")
    .action(async (options) => (await import("../commands/deposit.ts")).deposit(context(), options));

  bridge
    .command("withdraw")
    .description("move tez from your runtime account to layer 1")
    .requiredOption("-t, --to <account>", "receiver on layer 1: an address, an alias or a bootstrap account")
    .requiredOption("-a, --amount <tez>", "amount in tez, at most 6 decimals")
    .addOption(account())
    .addOption(network())
    .addOption(publicKey())
    .option("--no-wait", "return when the runtime has queued it")
    .action(async (options) => (await import("../commands/withdraw.ts")).withdraw(context(), options));

  bridge
    .command("fa-deploy")
    .description("deploy the layer 1 contracts that bring a token (FA1.2 or FA2) to the runtime")
    .requiredOption("--source <account>", `account that pays: ${SENDER}`)
    .option("--ticket-id <n>", "id of the tickets", "0")
    .option("--ticket-content <text>", "content of the tickets (default: none)")
    .requiredOption("--total-ticket-supply <n>", "supply of the token, and thus of its tickets")
    .option(
      "--tezos-fa-token <alias|address>",
      "the token on layer 1 (default: a new FA2 token, owned entirely by the source)",
    )
    .option("--token-id <n>", "id of the token, for FA2")
    .option(
      "--jstz-fa-token <alias|address>",
      "smart function that receives the tickets (default: the receivers keep them)",
    )
    .argument("[config]", "configuration file of accounts and aliases (default: the usual one)")
    .addOption(force())
    .addOption(network())
    .addOption(publicKey())
    .action(async (config, options) =>
      (await import("../commands/fa-deploy.ts")).faDeploy(withConfigFile(context(), config), options),
    );

  bridge
    .command("fa-deposit")
    .description("bridge tokens from a layer 1 account to a runtime account")
    .requiredOption("-f, --from <account>", SENDER)
    .requiredOption("-t, --to <alias|address>", "receiver in the runtime: a tz1 account or a smart function")
    .requiredOption("-a, --amount <n>", "number of tokens, in their smallest unit")
    .requiredOption("--bridge <alias|address>", "bridge created by fa-deploy")
    .option("--rollup <address>", "rollup to deposit to (default: the sandbox's)")
    .addOption(network())
    .addOption(publicKey())
    .option("--no-wait", "return when the operation is included on layer 1")
    .action(async (options) => (await import("../commands/fa-deposit.ts")).faDeposit(context(), options));

  bridge
    .command("fa-withdraw")
    .description("send the tickets of your runtime account back, for their tokens on layer 1")
    .requiredOption("-t, --to <account>", "receiver on layer 1: an address, an alias or a bootstrap account")
    .requiredOption("-a, --amount <n>", "number of tokens, in their smallest unit")
    .requiredOption("--bridge <alias|address>", "bridge created by fa-deploy")
    .addOption(account())
    .addOption(network())
    .addOption(publicKey())
    .option("--no-wait", "return when the runtime has queued it")
    .action(async (options) => (await import("../commands/fa-withdraw.ts")).faWithdraw(context(), options));
}
