// The commands of `functez network`.
import type { Command } from "commander";
import type { CommandParts } from "./command-parts.ts";

/** Networks other than the sandbox. */
export function networkCommands(program: Command, { context }: CommandParts): void {
  const networks = program.command("network").description("networks other than the sandbox");
  const layer1Endpoint = "URL of a Tezos RPC";
  const runtimeEndpoint = "URL of a runtime node";
  networks
    .command("list")
    .description("list the networks")
    .action(async () => (await import("../commands/network.ts")).listNetworks(context()));
  networks
    .command("add <name>")
    .description("add a network")
    .requiredOption("--octez-node-rpc-endpoint <url>", layer1Endpoint)
    .requiredOption("--jstz-node-endpoint <url>", runtimeEndpoint)
    .option("-f, --force", "overwrite an existing network")
    .action(async (name, options) =>
      (await import("../commands/network.ts")).addNetwork(context(), name, options),
    );
  networks
    .command("update <name>")
    .description("change the endpoints of a network")
    .option("--octez-node-rpc-endpoint <url>", layer1Endpoint)
    .option("--jstz-node-endpoint <url>", runtimeEndpoint)
    .action(async (name, options) =>
      (await import("../commands/network.ts")).updateNetwork(context(), name, options),
    );
  networks
    .command("delete <name>")
    .description("forget a network")
    .action(async (name) => (await import("../commands/network.ts")).deleteNetwork(context(), name));
  networks
    .command("get-default")
    .description("show the network that commands use without --network")
    .action(async () => (await import("../commands/network.ts")).getDefaultNetwork(context()));
  networks
    .command("set-default <name>")
    .description("set the network that commands use without --network")
    .action(async (name) => (await import("../commands/network.ts")).setDefaultNetwork(context(), name));
}
