// The command tree. Every command's code is loaded only when it runs. It is one declaration, long as it is: help,
// completions and docs/commands.md are made from it, and nothing is computed here.
import { Command, Option } from "commander";
import { SANDBOX_NETWORK, VERSION } from "../daemon/protocol/constants.ts";
import { type CliContext, withConfigFile } from "./context.ts";

declare const __COMMIT__: string | undefined;
declare const __BUILD_DATE__: string | undefined;

/** Default of `--gas-limit`, as in the Jstz CLI. */
export const DEFAULT_GAS_LIMIT = "550000";

const SENDER = "bootstrap0 to bootstrap5, a label of the sandbox's configuration, or an account of yours";

/** Makes the context once the global options are known. */
export type ContextFactory = (json: boolean) => CliContext;

/** Version line with commit and build date where the bundle carries them. */
export function versionLine(): string {
  const commit = typeof __COMMIT__ === "string" ? __COMMIT__ : "source";
  const date = typeof __BUILD_DATE__ === "string" ? __BUILD_DATE__ : "";
  return `functez ${VERSION} (${[commit, date].filter(Boolean).join(", ")})`;
}

/** The whole command tree; `setExitCode` takes the code of commands that have one of their own. */
export function createProgram(makeContext: ContextFactory, setExitCode: (code: number) => void): Command {
  const program = new Command("functez")
    .description("A local Tezos sandbox for smart functions.")
    .version(versionLine(), "-V, --version")
    .option("--json", "print results as JSON")
    .enablePositionalOptions()
    .showHelpAfterError("(functez --help shows the commands)")
    .configureHelp({ showGlobalOptions: true });

  const context = () => makeContext(program.opts<{ json?: boolean }>().json === true);
  const network = () =>
    new Option("-n, --network <name>", `network, ${SANDBOX_NETWORK} for the local sandbox`);
  const force = () => new Option("-f, --force", "overwrite an existing alias");

  const sandbox = program
    .command("sandbox")
    .description("start, stop and look at the local sandbox")
    // The options of `sandbox` are good before and after its commands.
    .enablePositionalOptions(false)
    .option("--container", "in a container, through Docker or another engine")
    .option(
      "--engine <address>",
      "container engine: unix://, tcp:// or ssh:// (default: the one that Docker's own tools use)",
    );
  /** The commands of the chosen mode, and the options of the command with those of `sandbox`. */
  const inMode = async (command: Command) => {
    const { container, ...options } = command.optsWithGlobals<{ container?: boolean }>();
    const mode = container
      ? await import("./container/sandbox-commands.ts")
      : await import("./commands/sandbox.ts");
    return { mode, options };
  };
  const startOptions = (command: Command) =>
    command
      .option("-d, --detach", "start it in the background")
      .option("-c, --config <file>", "configuration file of sandboxd")
      .option("--log-level <level>", "error, warn, info or debug")
      .option("--image <reference>", "with --container: image in place of the one built from this package")
      .option(
        "--publish-address <address>",
        "with --container: address of the engine's machine to publish the ports on (default: 127.0.0.1)",
      )
      // The editor's: the container ends with the last window, like a process that it started.
      .addOption(new Option("--grace <seconds>", "with --container and -d").hideHelp());
  startOptions(
    sandbox.command("start").description("start the sandbox and stay attached; Ctrl-C stops it"),
  ).action(async (_options, command: Command) => {
    const { mode, options } = await inMode(command);
    setExitCode(await mode.startSandbox(context(), options));
  });
  sandbox
    .command("stop")
    .description("stop the sandbox; its state is not kept")
    .option("-y, --yes", "do not ask, also when other windows use it")
    .action(async (_options, command: Command) => {
      const { mode, options } = await inMode(command);
      await mode.stopSandbox(context(), options);
    });
  startOptions(sandbox.command("restart").description("reset the sandbox: stop it and start a fresh one"))
    .option("-y, --yes", "do not ask, also when other windows use it")
    .action(async (_options, command: Command) => {
      const { mode, options } = await inMode(command);
      setExitCode(await mode.restartSandbox(context(), options));
    });
  sandbox
    .command("status")
    .description("state, endpoints and parts of the sandbox; exit code 1 when it is not healthy")
    .action(async (_options, command: Command) => {
      const { mode, options } = await inMode(command);
      setExitCode(await mode.sandboxStatus(context(), options));
    });
  sandbox
    .command("logs")
    .description("log of the sandbox")
    .option("-f, --follow", "go on with each further line; Ctrl-C ends")
    .action(async (_options, command: Command) => {
      const { mode, options } = await inMode(command);
      await mode.sandboxLogs(context(), options);
    });
  sandbox
    .command("snapshot [name]")
    .description("keep the present state of layer 1 and runtime, until the sandbox stops")
    .option("-f, --force", "replace the snapshot of this name")
    .action(async (name, _options, command: Command) => {
      const { mode, options } = await inMode(command);
      const { takeSnapshot } = await import("./commands/snapshots.ts");
      await mode.withSandbox(context(), options, (client) => takeSnapshot(context(), client, name, options));
    });
  sandbox
    .command("restore [name]")
    .description("go back to a snapshot (default: the one taken last)")
    .action(async (name, _options, command: Command) => {
      const { mode, options } = await inMode(command);
      const { restoreSnapshot } = await import("./commands/snapshots.ts");
      await mode.withSandbox(context(), options, (client) => restoreSnapshot(context(), client, name));
    });
  sandbox
    .command("snapshots")
    .description("list the snapshots")
    .action(async (_options, command: Command) => {
      const { mode, options } = await inMode(command);
      const { listSnapshots } = await import("./commands/snapshots.ts");
      await mode.withSandbox(context(), options, (client) => listSnapshots(context(), client));
    });
  sandbox
    .command("prune")
    .description("with --container: remove images of other versions, and what killed builds left")
    .action(async (_options, command: Command) =>
      (await import("./container/sandbox-commands.ts")).pruneSandbox(context(), command.optsWithGlobals()),
    );

  const account = program.command("account").description("accounts and aliases");
  account
    .command("create <alias>")
    .description("create an account with a new key")
    .addOption(force())
    .option("--passphrase <text>", "passphrase of the recovery phrase")
    .action(async (alias, options) =>
      (await import("./commands/account.ts")).createAccount(context(), alias, options),
    );
  account
    .command("import <alias>")
    .description("import a secret key or a recovery phrase (asked for, or piped in)")
    .addOption(force())
    .option("--key <text>", "secret key or recovery phrase (visible in your shell history)")
    .option(
      "--from-jstz [file]",
      "take the account of this alias from a Jstz configuration (default: its usual place)",
    )
    .option("--passphrase <text>", "passphrase of the recovery phrase")
    .action(async (alias, options) =>
      (await import("./commands/account.ts")).importAccount(context(), alias, options),
    );
  account
    .command("delete <alias>")
    .description("delete an account or alias")
    .option("-y, --yes", "do not ask")
    .action(async (alias, options) =>
      (await import("./commands/account.ts")).deleteAccount(context(), alias, options),
    );
  account
    .command("list")
    .alias("ls")
    .description("list accounts and smart functions")
    .option("-l, --long", "with keys, secret ones too")
    .option(
      "-b, --bootstrap",
      "the bootstrap accounts of layer 1 instead; with --long their development keys",
    )
    .action(async (options) => (await import("./commands/account.ts")).listAccounts(context(), options));
  account
    .command("balance")
    .description("balance in the runtime")
    .option("-a, --account <alias|address>", "account (default: the one you are logged in to)")
    .addOption(network())
    .action(async (options) => (await import("./commands/account.ts")).showBalance(context(), options));
  account
    .command("code")
    .description("code of a smart function")
    .requiredOption("-a, --account <alias|address>", "smart function")
    .addOption(network())
    .action(async (options) => (await import("./commands/account.ts")).showCode(context(), options));
  account
    .command("alias <alias> <address>")
    .description("name a deployed smart function")
    .action(async (alias, address) =>
      (await import("./commands/account.ts")).addAlias(context(), alias, address),
    );

  program
    .command("login <alias>")
    .description("use an account for the commands that follow")
    .action(async (alias) => (await import("./commands/account.ts")).login(context(), alias));
  program
    .command("logout")
    .description("use no account")
    .action(async () => (await import("./commands/account.ts")).logout(context()));
  program
    .command("whoami")
    .description("the account you are logged in to")
    .action(async () => (await import("./commands/account.ts")).whoami(context()));

  const bridge = program.command("bridge").description("move tez and tokens between layer 1 and the runtime");
  bridge
    .command("deposit")
    .description("bridge tez from a layer 1 account to a runtime account")
    .requiredOption("-f, --from <account>", SENDER)
    .requiredOption("-t, --to <alias|address>", "receiver in the runtime")
    .requiredOption("-a, --amount <tez>", "amount in tez, at most 6 decimals")
    .addOption(network())
    .option("--no-wait", "return when the operation is included on layer 1")
    .action(async (options) => (await import("./commands/deposit.ts")).deposit(context(), options));

  bridge
    .command("withdraw")
    .description("move tez from your runtime account to layer 1")
    .requiredOption("-t, --to <account>", "receiver on layer 1: an address, an alias or a bootstrap account")
    .requiredOption("-a, --amount <tez>", "amount in tez, at most 6 decimals")
    .addOption(network())
    .option("--no-wait", "return when the runtime has queued it")
    .action(async (options) => (await import("./commands/withdraw.ts")).withdraw(context(), options));

  bridge
    .command("fa-deploy")
    .description("deploy the layer 1 contracts that bring a token (FA1.2 or FA2) to the runtime")
    .requiredOption("--source <account>", `account that pays: ${SENDER}`)
    .option("--ticket-id <n>", "id of the tickets", "0")
    .option("--ticket-content <text>", "content of the tickets (default: none)")
    .requiredOption("--total-ticket-supply <n>", "supply of the token, and so of its tickets")
    .option(
      "--tezos-fa-token <alias|address>",
      "the token on layer 1 (default: a new FA2 token, all of it held by the source)",
    )
    .option("--token-id <n>", "id of the token, for FA2")
    .option(
      "--jstz-fa-token <alias|address>",
      "smart function that takes the tickets over (default: the receivers keep them)",
    )
    .argument("[config]", "configuration file of accounts and aliases (default: the usual one)")
    .addOption(force())
    .addOption(network())
    .action(async (config, options) =>
      (await import("./commands/fa-deploy.ts")).faDeploy(withConfigFile(context(), config), options),
    );

  bridge
    .command("fa-deposit")
    .description("bridge tokens from a layer 1 account to a runtime account")
    .requiredOption("-f, --from <account>", SENDER)
    .requiredOption("-t, --to <alias|address>", "receiver in the runtime: a tz1 account or a smart function")
    .requiredOption("-a, --amount <n>", "number of tokens, in their smallest unit")
    .requiredOption("--bridge <alias|address>", "bridge that fa-deploy made")
    .option("--rollup <address>", "rollup to deposit to (default: the sandbox's)")
    .addOption(network())
    .option("--no-wait", "return when the operation is included on layer 1")
    .action(async (options) => (await import("./commands/fa-deposit.ts")).faDeposit(context(), options));

  bridge
    .command("fa-withdraw")
    .description("send the tickets of your runtime account back, for their tokens on layer 1")
    .requiredOption("-t, --to <account>", "receiver on layer 1: an address, an alias or a bootstrap account")
    .requiredOption("-a, --amount <n>", "number of tokens, in their smallest unit")
    .requiredOption("--bridge <alias|address>", "bridge that fa-deploy made")
    .addOption(network())
    .option("--no-wait", "return when the runtime has queued it")
    .action(async (options) => (await import("./commands/fa-withdraw.ts")).faWithdraw(context(), options));

  program
    .command("deploy [source]")
    .description("deploy a smart function: a .ts or .js file, code text, or piped code")
    .option("--name <alias>", "alias for the deployed function")
    .option("-b, --balance <tez>", "tez that move from you to the function")
    .addOption(force())
    .addOption(network())
    .option("--config-path <file>", "configuration file of accounts and aliases (default: the usual one)")
    .action(async (source, { configPath, ...options }) =>
      (await import("./commands/deploy.ts")).deploy(withConfigFile(context(), configPath), source, options),
    );
  program
    .command("transfer <amount> <receiver>")
    .description("move tez from you to another account of the runtime")
    .option("-g, --gas-limit <gas>", "most gas the call may use", DEFAULT_GAS_LIMIT)
    .option("-i, --include", "show status and headers")
    .addOption(network())
    .action(async (amount, receiver, options) =>
      (await import("./commands/transfer.ts")).transfer(context(), amount, receiver, options),
    );

  const kv = program.command("kv").description("key-value store of a smart function");
  const storeOf = () => new Option("-a, --account <alias|address>", "smart function (default: your account)");
  kv.command("get <key>")
    .description("value of a key")
    .addOption(storeOf())
    .addOption(network())
    .action(async (key, options) =>
      (await import("./commands/key-value.ts")).getValue(context(), key, options),
    );
  kv.command("list [key]")
    .description("names below a key, or at the top")
    .addOption(storeOf())
    .addOption(network())
    .action(async (key, options) =>
      (await import("./commands/key-value.ts")).listKeys(context(), key, options),
    );

  const logs = program.command("logs").description("logs of smart functions");
  logs
    .command("trace <alias|address>")
    .description("follow what a smart function logs; Ctrl-C ends")
    .option("-l, --level <level>", "least severe level shown: ERROR, WARN, INFO or DEBUG", "INFO")
    .addOption(network())
    .action(async (name, options) =>
      (await import("./commands/function-logs.ts")).traceLogs(context(), name, options),
    );

  const networks = program.command("network").description("networks beside the sandbox");
  const layer1Endpoint = "URL of a Tezos RPC";
  const runtimeEndpoint = "URL of a runtime node";
  networks
    .command("list")
    .description("list the networks")
    .action(async () => (await import("./commands/network.ts")).listNetworks(context()));
  networks
    .command("add <name>")
    .description("add a network")
    .requiredOption("--octez-node-rpc-endpoint <url>", layer1Endpoint)
    .requiredOption("--jstz-node-endpoint <url>", runtimeEndpoint)
    .option("-f, --force", "overwrite an existing one")
    .action(async (name, options) =>
      (await import("./commands/network.ts")).addNetwork(context(), name, options),
    );
  networks
    .command("update <name>")
    .description("change the endpoints of a network")
    .option("--octez-node-rpc-endpoint <url>", layer1Endpoint)
    .option("--jstz-node-endpoint <url>", runtimeEndpoint)
    .action(async (name, options) =>
      (await import("./commands/network.ts")).updateNetwork(context(), name, options),
    );
  networks
    .command("delete <name>")
    .description("forget a network")
    .action(async (name) => (await import("./commands/network.ts")).deleteNetwork(context(), name));
  networks
    .command("get-default")
    .description("the network that commands use without --network")
    .action(async () => (await import("./commands/network.ts")).getDefaultNetwork(context()));
  networks
    .command("set-default <name>")
    .description("choose the network that commands use without --network")
    .action(async (name) => (await import("./commands/network.ts")).setDefaultNetwork(context(), name));

  program
    .command("run <url>")
    .description("call a smart function: jstz://<alias or address>/path, or <alias>/path")
    .option("-m, --method <method>", "HTTP method", "GET")
    .option("-d, --data <text|file>", "request body: text, a file (also @file), or @- for what is piped in")
    .option("--data-raw <text>", "request body that is never taken for a file's name")
    .option(
      "-H, --header <name: value>",
      "request header (repeatable)",
      (value: string, all: string[] = []) => [...all, value],
    )
    .option("-a, --amount <tez>", "tez to attach to the call")
    .option("-g, --gas-limit <gas>", "most gas the call may use", DEFAULT_GAS_LIMIT)
    .option("-i, --include", "show status and headers")
    .option("-t, --trace", "show what the called functions log")
    .option("-f, --fail", "exit with 22 when the status is 400 or more")
    .addOption(network())
    .action(async (url, options) =>
      setExitCode(await (await import("./commands/run.ts")).run(context(), url, options)),
    );

  program
    .command("call")
    .description("look at calls")
    .command("trace <operation>")
    .description("the call tree of an operation: calls, key-value accesses, transfers, logs, gas")
    .addOption(network())
    .action(async (hash, options) =>
      (await import("./commands/call-trace.ts")).traceCall(context(), hash, options),
    );
  program
    .command("repl")
    .description("a prompt inside a smart function's environment, with Kv and Ledger")
    .option("-a, --account <alias>", "account that signs (default: the one you are logged in to)")
    .addOption(network())
    .action(async (options) => (await import("./commands/repl.ts")).repl(context(), options));
  program
    .command("init [folder]")
    .description("a new smart-function project: TypeScript, types, a test")
    .action(async (folder) => (await import("./commands/init.ts")).init(context(), folder));
  program
    .command("dev <file>")
    .description("deploy on every save under the same alias, and show the logs")
    .option("--name <alias>", "alias (default: from the file's name)")
    .addOption(network())
    .addOption(new Option("--lifeline", "end when standard input closes").hideHelp())
    .action(async (file, options) => (await import("./commands/dev.ts")).dev(context(), file, options));
  program
    .command("exec")
    .description("run a command with a sandbox of its own on free ports: functez exec -- npm test")
    .argument("<command...>", "program and arguments, after --")
    .option("-c, --config <file>", "configuration file of sandboxd")
    .passThroughOptions()
    .action(async (command, options) =>
      setExitCode(await (await import("./commands/exec.ts")).exec(context(), command, options)),
    );
  program
    .command("docs")
    .description("where the documentation is")
    .action(async () => (await import("./commands/docs.ts")).showDocs(context()));
  program
    .command("completions")
    .description("completion script of a shell")
    .requiredOption("-s, --shell <shell>", "bash, zsh, fish or powershell")
    .action(async ({ shell }) =>
      (await import("./commands/completions.ts")).completions(context(), program, shell),
    );

  acceptJsonAnywhere(program);
  return program;
}

/** `--json` is good after a command as well as before it. Help shows it once, among the global options. */
function acceptJsonAnywhere(program: Command): void {
  const addTo = (command: Command): void => {
    for (const child of command.commands) {
      child.addOption(new Option("--json", "print results as JSON").hideHelp());
      addTo(child);
    }
  };
  addTo(program);
  program.hook("preAction", (_program, command) => {
    if (command.optsWithGlobals<{ json?: boolean }>().json) program.setOptionValue("json", true);
  });
}
