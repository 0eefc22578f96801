// `functez completions`: shell scripts generated from the command tree, so that they are always up to date.
import type { Command } from "commander";
import { SandboxError } from "../../daemon/protocol/errors.ts";
import { bashScript } from "../completions/bash.ts";
import { commandTable, type Shell, SHELLS } from "../completions/command-table.ts";
import { fishScript } from "../completions/fish.ts";
import { powershellScript } from "../completions/powershell.ts";
import { zshScript } from "../completions/zsh.ts";
import type { CliContext } from "../context.ts";

export async function completions(context: CliContext, program: Command, shell: string): Promise<void> {
  if (!(SHELLS as readonly string[]).includes(shell)) {
    throw new SandboxError("BAD_OPTION", { option: "--shell", found: shell, expected: SHELLS.join(", ") });
  }
  const script = completionScript(program, shell as Shell);
  context.terminal.print(script);
  context.terminal.data({ shell, script });
}

/** The completion script of a shell. */
export function completionScript(program: Command, shell: Shell): string {
  const table = commandTable(program);
  switch (shell) {
    case "bash":
      return bashScript(table);
    case "zsh":
      return zshScript(table);
    case "fish":
      return fishScript(table);
    case "powershell":
      return powershellScript(table);
  }
}
