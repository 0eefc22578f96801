// `functez completions`: shell scripts made from the command tree itself, so that they never lag behind it.
import type { Command } from "commander";
import { SandboxError } from "../../daemon/protocol/errors.ts";
import type { CliContext } from "../context.ts";

export const SHELLS = ["bash", "zsh", "fish", "powershell"] as const;
type Shell = (typeof SHELLS)[number];

/** What can follow a command path: sub-commands and options. */
interface Node {
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  readonly options: readonly { readonly flag: string; readonly description: string }[];
}

function nodesOf(command: Command, path: readonly string[] = []): Node[] {
  const visible = command.createHelp();
  const commands = visible.visibleCommands(command);
  const own: Node = {
    path: path.join(" "),
    commands: commands.map((child) => ({ name: child.name(), description: child.description() })),
    options: [
      ...visible.visibleOptions(command),
      ...(path.length > 0 ? visible.visibleGlobalOptions(command) : []),
    ]
      .filter((option) => option.long !== undefined)
      .map((option) => ({ flag: option.long!, description: option.description })),
  };
  return [
    own,
    ...commands
      .filter((child) => child.name() !== "help")
      .flatMap((child) => nodesOf(child, [...path, child.name()])),
  ];
}

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
  const nodes = nodesOf(program);
  switch (shell) {
    case "bash":
      return bash(nodes);
    case "zsh":
      return `#compdef functez\nautoload -U +X bashcompinit && bashcompinit\n${bash(nodes)}`;
    case "fish":
      return fish(nodes);
    case "powershell":
      return powershell(nodes);
  }
}

const words = (node: Node): string =>
  [...node.commands.map(({ name }) => name), ...node.options.map(({ flag }) => flag)].join(" ");

function bash(nodes: readonly Node[]): string {
  const cases = nodes.map((node) => `    "${node.path}") words="${words(node)}" ;;`).join("\n");
  return `# bash completion for functez; add to ~/.bashrc:  source <(functez completions --shell bash)
_functez() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path="" word words=""
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [[ "$word" == -* ]] || path="\${path:+$path }$word"
  done
  while :; do
    case "$path" in
${cases}
    esac
    [[ -n "$words" || -z "$path" ]] && break
    [[ "$path" == *" "* ]] && path="\${path% *}" || path=""
  done
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [[ \${#COMPREPLY[@]} -gt 0 ]] || COMPREPLY=($(compgen -f -- "$current"))
}
complete -o filenames -F _functez functez
`;
}

function fish(nodes: readonly Node[]): string {
  const quote = (text: string) => `'${text.replace(/'/g, "\\'")}'`;
  const lines = nodes.flatMap((node) => {
    const parts = node.path === "" ? [] : node.path.split(" ");
    const children = node.commands.map(({ name }) => name).join(" ");
    const seen = parts.map((part) => `__fish_seen_subcommand_from ${part}`);
    const condition =
      [...seen, ...(children ? [`not __fish_seen_subcommand_from ${children}`] : [])].join("; and ") ||
      "true";
    return [
      ...node.commands.map(
        ({ name, description }) =>
          `complete -c functez -n ${quote(condition)} -f -a ${name} -d ${quote(description)}`,
      ),
      ...node.options.map(
        ({ flag, description }) =>
          `complete -c functez -n ${quote(seen.join("; and ") || "true")} -l ${flag.slice(2)} -d ${quote(description)}`,
      ),
    ];
  });
  return `# fish completion for functez; save as ~/.config/fish/completions/functez.fish\n${lines.join("\n")}\n`;
}

function powershell(nodes: readonly Node[]): string {
  const table = nodes.map((node) => `    '${node.path}' = '${words(node)}'`).join("\n");
  return `# PowerShell completion for functez; add to $PROFILE:  functez completions --shell powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName functez -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @{
${table}
  }
  $path = ($commandAst.CommandElements | Select-Object -Skip 1 | ForEach-Object { "$_" } |
    Where-Object { $_ -notlike '-*' -and $_ -ne $wordToComplete }) -join ' '
  while (-not $words.ContainsKey($path) -and $path -ne '') {
    $path = if ($path.Contains(' ')) { $path.Substring(0, $path.LastIndexOf(' ')) } else { '' }
  }
  $words[$path] -split ' ' | Where-Object { $_ -like "$wordToComplete*" } |
    ForEach-Object { [System.Management.Automation.CompletionResult]::new($_) }
}
`;
}
