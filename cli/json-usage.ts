// With `--json` the command line always answers in JSON, even versions, help and wrong usage, which the command parser
// would print as text before exiting.
import { type Command, CommanderError } from "commander";
import { SandboxError } from "../daemon/protocol/errors.ts";

/** Whether the arguments ask for JSON: before `--`, since the rest belongs to another program. */
export function wantsJson(args: readonly string[]): boolean {
  const end = args.indexOf("--");
  return (end < 0 ? args : args.slice(0, end)).includes("--json");
}

/**
 * Makes the commands throw what they would print. @returns a function that turns a thrown value into a result or an
 * error
 */
export function answerInJson(program: Command): (thrown: unknown) => { readonly result: object } {
  let printed = "";
  const quiet = (command: Command): void => {
    command.exitOverride().configureOutput({
      writeOut: (text) => (printed += text),
      writeErr: () => undefined,
    });
    command.commands.forEach(quiet);
  };
  quiet(program);
  return (thrown) => {
    if (!(thrown instanceof CommanderError)) throw thrown;
    if (thrown.code === "commander.version") return { result: { version: printed.trim() } };
    if (thrown.exitCode === 0) return { result: { help: printed.trimEnd() } };
    const isWithoutCommand = thrown.code === "commander.help";
    const found = isWithoutCommand ? "a command is missing" : thrown.message.replace(/^error: /, "");
    throw new SandboxError("BAD_USAGE", { found }, { cause: thrown });
  };
}
