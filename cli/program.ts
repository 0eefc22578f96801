// The command tree, declared by groups in `program/`: help, completions and docs/commands.md are generated from it, and
// nothing is computed here. A command's code is loaded only when it runs.
import { Command, Option } from "commander";
import { VERSION } from "../daemon/protocol/constants.ts";
import { visible } from "../daemon/text/visible-text.ts";
import type { CliContext } from "./context.ts";
import { accountCommands } from "./program/account.ts";
import { bridgeCommands } from "./program/bridge.ts";
import { callCommands } from "./program/call.ts";
import { functionCommands } from "./program/functions.ts";
import { networkCommands } from "./program/network.ts";
import { projectCommands } from "./program/project.ts";
import { sandboxCommands } from "./program/sandbox.ts";

declare const __COMMIT__: string | undefined;
declare const __BUILD_DATE__: string | undefined;

/** Creates the context once the global options are known. */
export type ContextFactory = (json: boolean) => CliContext;

/** Version line with commit and build date, if the bundle has them. */
function versionLine(): string {
  const commit = typeof __COMMIT__ === "string" ? __COMMIT__ : "source";
  const date = typeof __BUILD_DATE__ === "string" ? __BUILD_DATE__ : "";
  return `functez ${VERSION} (${[commit, date].filter(Boolean).join(", ")})`;
}

/** The whole command tree; `setExitCode` receives the exit code of commands that return one. */
export function createProgram(makeContext: ContextFactory, setExitCode: (code: number) => void): Command {
  const program = new Command("functez")
    .description("A local Tezos sandbox for smart functions.")
    .version(versionLine(), "-V, --version")
    .option("--json", "print results as JSON")
    .enablePositionalOptions()
    .showHelpAfterError("(functez --help shows the commands)")
    .configureHelp({ showGlobalOptions: true })
    // The parser quotes arguments, which may come from a file or another program.
    .configureOutput({ writeErr: (text) => void process.stderr.write(visible(text)) });

  const context = () => makeContext(program.opts<{ json?: boolean }>().json === true);
  const parts = { context, setExitCode };
  // The order of help.
  sandboxCommands(program, parts);
  accountCommands(program, parts);
  bridgeCommands(program, parts);
  functionCommands(program, parts);
  networkCommands(program, parts);
  callCommands(program, parts);
  projectCommands(program, parts);
  acceptJsonAnywhere(program);
  return program;
}

/** Accepts `--json` before and after a command. Help shows it once, among the global options. */
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
