// The commands for projects, and those of the command line itself.
import { type Command, Option } from "commander";
import { type CommandParts, networkOption as network } from "./command-parts.ts";

/** Projects, documentation and completions. */
export function projectCommands(program: Command, { context, setExitCode }: CommandParts): void {
  program
    .command("init [folder]")
    .description("create a smart-function project: TypeScript, types, a test")
    .action(async (folder) => (await import("../commands/init.ts")).init(context(), folder));
  program
    .command("check [files...]")
    .description("find what a smart function does that the real runtime does differently")
    .addOption(
      new Option("--format <form>", "text, json, or sarif for code hosts and editors")
        .choices(["text", "json", "sarif"])
        .default("text"),
    )
    .action(async (files, options) =>
      setExitCode(await (await import("../commands/check.ts")).check(context(), files, options)),
    );
  program
    .command("dev <file>")
    .description("deploy on every save under the same alias, and show the logs")
    .option("--name <alias>", "alias (default: from the file name)")
    .addOption(
      new Option(
        "--store <what>",
        "store of each new version: empty (reset), or that of the previous version (keep; in the sandbox only)",
      )
        .choices(["reset", "keep"])
        .default("reset"),
    )
    .addOption(network())
    .addOption(new Option("--lifeline", "exit when standard input closes").hideHelp())
    .action(async (file, options) => (await import("../commands/dev.ts")).dev(context(), file, options));
  program
    .command("exec")
    .description("run a command with its own sandbox on free ports: functez exec -- npm test")
    .argument("<command...>", "program and arguments, after --")
    .option("-c, --config <file>", "configuration file of sandboxd")
    .option("--strict", "run smart functions like the real runtime does")
    .passThroughOptions()
    .action(async (command, options) =>
      setExitCode(await (await import("../commands/exec.ts")).exec(context(), command, options)),
    );
  program
    .command("mcp")
    .description("serve the sandbox to language models: an MCP server on standard input and output")
    .option("--read-only", "only tools that change nothing")
    .option(
      "--folder <path>",
      "folder whose sources may be deployed (repeatable; default: the client's, or this one)",
      (value: string, all: string[] = []) => [...all, value],
    )
    .option("-c, --config <file>", "configuration file of sandboxd, for a sandbox that is started by a tool")
    .action(async (options) => (await import("../mcp/serve.ts")).serve(context(), options));
  program
    .command("docs")
    .description("show where the documentation is")
    .action(async () => (await import("../commands/docs.ts")).showDocs(context()));
  program
    .command("completions")
    .description("print the completion script of a shell")
    .requiredOption("-s, --shell <shell>", "bash, zsh, fish or powershell")
    .action(async ({ shell }) =>
      (await import("../commands/completions.ts")).completions(context(), program, shell),
    );
  program
    .command("words <kind>", { hidden: true })
    .description("for the completion scripts: names known to this user and sandbox")
    .action(async (kind) => (await import("../commands/words.ts")).showWords(context(), kind));
}
