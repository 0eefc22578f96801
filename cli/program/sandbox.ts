// The commands of `functez sandbox`, with and without a container.
import { type Command, Option } from "commander";
import type { CommandParts } from "./command-parts.ts";

/** Start, stop and inspect the local sandbox. */
export function sandboxCommands(program: Command, parts: CommandParts): void {
  lifeCommands(program, parts);
  program
    .command("open [subject]")
    .description("open the explorer of the sandbox in a browser: a web page that shows everything in it")
    .option("--no-browser", "print its address only")
    .addHelpText("after", "\nA subject is an alias, an address, a hash of an operation, or a level.")
    .action(async (subject, options) =>
      (await import("../commands/open.ts")).openExplorer(parts.context(), subject, options),
    );
}

function lifeCommands(program: Command, { context, setExitCode }: CommandParts): void {
  const sandbox = program
    .command("sandbox")
    .description("start, stop and inspect the local sandbox")
    // The options of `sandbox` work before and after its commands.
    .enablePositionalOptions(false)
    .option("--container", "in a container, through Docker or another engine")
    .option(
      "--engine <address>",
      "container engine: unix://, tcp:// or ssh:// (default: the one used by Docker's own tools)",
    );
  /** The commands of the chosen mode, and the options of the command with those of `sandbox`. */
  const inMode = async (command: Command) => {
    const { container, ...options } = command.optsWithGlobals<{ container?: boolean }>();
    const mode = container
      ? await import("../container/sandbox-commands.ts")
      : await import("../commands/sandbox.ts");
    return { mode, options };
  };
  const startOptions = (command: Command) =>
    command
      .option("-d, --detach", "start it in the background")
      .option("-c, --config <file>", "configuration file of sandboxd (restart: by default that of the start)")
      .option("--log-level <level>", "error, warn, info or debug")
      .option(
        "--image <reference>",
        "with --container: image to use instead of building one from this package",
      )
      .option(
        "--publish-address <address>",
        "with --container: address of the engine's machine to publish the ports on (default: 127.0.0.1)",
      )
      // For the editor: the container ends with the last window, like a process started by it.
      .addOption(new Option("--grace <seconds>", "with --container and -d").hideHelp());
  startOptions(
    sandbox
      .command("start")
      .description(
        "start the sandbox and stay attached; Ctrl-C stops it. Its log is text on a terminal, JSON lines elsewhere",
      ),
  ).action(async (_options, command: Command) => {
    const { mode, options } = await inMode(command);
    setExitCode(await mode.startSandbox(context(), options));
  });
  sandbox
    .command("stop")
    .description("stop the sandbox; its state is not kept")
    .option("-y, --yes", "do not ask, even when other windows use it")
    .action(async (_options, command: Command) => {
      const { mode, options } = await inMode(command);
      await mode.stopSandbox(context(), options);
    });
  startOptions(sandbox.command("restart").description("reset the sandbox: stop it and start a fresh one"))
    .option("-y, --yes", "do not ask, even when other windows use it")
    .action(async (_options, command: Command) => {
      const { mode, options } = await inMode(command);
      setExitCode(await mode.restartSandbox(context(), options));
    });
  sandbox
    .command("status")
    .description("show state, endpoints and parts of the sandbox; exit code 1 when it is not healthy")
    .action(async (_options, command: Command) => {
      const { mode, options } = await inMode(command);
      setExitCode(await mode.sandboxStatus(context(), options));
    });
  sandbox
    .command("logs")
    .description("show the log of the sandbox")
    .option("-f, --follow", "keep printing new lines; Ctrl-C ends")
    .action(async (_options, command: Command) => {
      const { mode, options } = await inMode(command);
      await mode.sandboxLogs(context(), options);
    });
  sandbox
    .command("snapshot [name]")
    .description("save the current state of layer 1 and runtime until the sandbox stops")
    .option("-f, --force", "replace the snapshot of this name")
    .action(async (name, _options, command: Command) => {
      const { mode, options } = await inMode(command);
      const { takeSnapshot } = await import("../commands/snapshots.ts");
      await mode.withSandbox(context(), options, (client) => takeSnapshot(context(), client, name, options));
    });
  sandbox
    .command("restore [name]")
    .description("restore a snapshot (default: the latest one)")
    .action(async (name, _options, command: Command) => {
      const { mode, options } = await inMode(command);
      const { restoreSnapshot } = await import("../commands/snapshots.ts");
      await mode.withSandbox(context(), options, (client) => restoreSnapshot(context(), client, name));
    });
  sandbox
    .command("snapshots")
    .description("list the snapshots")
    .action(async (_options, command: Command) => {
      const { mode, options } = await inMode(command);
      const { listSnapshots } = await import("../commands/snapshots.ts");
      await mode.withSandbox(context(), options, (client) => listSnapshots(context(), client));
    });
  sandbox
    .command("prune")
    .description("with --container: remove images of other versions and leftovers of killed builds")
    .action(async (_options, command: Command) =>
      (await import("../container/sandbox-commands.ts")).pruneSandbox(context(), command.optsWithGlobals()),
    );
}
