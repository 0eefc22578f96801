// The reference of all commands and of the editor's settings, generated from the command tree and the manifest. `node
// tools/command-docs.mjs` writes docs/commands.md and the tables of the README; a test fails when they are out of date.
import type { Command } from "commander";
import { type AgentTool, agentTools } from "../daemon/protocol/agent-tools.ts";

interface Setting {
  readonly type: string;
  readonly default: unknown;
  readonly markdownDescription: string;
}

export interface EditorManifest {
  readonly contributes: {
    readonly commands: readonly { readonly command: string; readonly title: string }[];
    readonly configuration: readonly { readonly properties: Readonly<Record<string, Setting>> }[];
  };
}

/** Markdown of the whole reference. */
export function commandReference(
  program: Command,
  manifest: EditorManifest,
  texts: Readonly<Record<string, string>>,
): string {
  const text = (key: string) => texts[key.replace(/^%|%$/g, "")] ?? key;
  const settings = manifest.contributes.configuration.flatMap((section) =>
    Object.entries(section.properties),
  );
  return [
    "# Commands and settings",
    "",
    "Generated from the code by `node tools/command-docs.mjs`.",
    "",
    "Results go to standard output, everything else to standard error (the Jstz CLI prints all of it to standard error). With `--json` every command prints one JSON value. Exit codes: 0 success, 1 an error that the message explains, 130 interrupted by Ctrl-C (0 where Ctrl-C is the normal end: `logs`, `dev`, `repl`, an attached `sandbox start` that is ready); `sandbox status` exits with 1 when the sandbox is not healthy, `exec` with the code of its command. `NO_COLOR` is honoured.",
    "",
    "## On the terminal",
    "",
    ...leaves(program).flatMap(describe),
    "## Tools of functez mcp",
    "",
    "| tool | parameters | effect | what it does |",
    "|---|---|---|---|",
    ...agentTools().map(toolRow),
    "",
    "## In the editor",
    "",
    "| command | id |",
    "|---|---|",
    ...manifest.contributes.commands.map(
      ({ command, title }) => `| functez: ${text(title)} | \`${command}\` |`,
    ),
    "",
    "| setting | type | default | meaning |",
    "|---|---|---|---|",
    ...settings.map(
      ([key, { type, default: value, markdownDescription }]) =>
        `| \`${key}\` | ${type} | \`${JSON.stringify(value)}\` | ${text(markdownDescription)} |`,
    ),
    "",
  ].join("\n");
}

function toolRow([name, { parameters, required, effect, description, inEditor }]: [
  string,
  AgentTool,
]): string {
  const given = Object.entries(parameters).map(([parameter, { description: meaning }]) =>
    required.includes(parameter) ? `\`${parameter}\`: ${meaning}` : `\`[${parameter}]\`: ${meaning}`,
  );
  const does = { read: "reads", change: "changes", destroy: "destroys" }[effect];
  return `| \`${name}\`${inEditor ? " (also in the editor)" : ""} | ${given.join("; ") || "none"} | ${does} | ${description} |`;
}

const BEGIN = "<!-- made by tools/command-docs.mjs -->";
const END = "<!-- end -->";

/**
 * The README with up-to-date tables of commands and settings between its two comments.
 * @throws Error when the comments are missing
 */
export function withTables(
  readme: string,
  program: Command,
  manifest: EditorManifest,
  texts: Readonly<Record<string, string>>,
): string {
  const [before, rest] = readme.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) throw new Error(`the README has no ${BEGIN} … ${END}`);
  const text = (key: string) => texts[key.replace(/^%|%$/g, "")] ?? key;
  const settings = manifest.contributes.configuration.flatMap(({ properties }) => Object.entries(properties));
  const tables = [
    "| command | what it does |",
    "|---|---|",
    ...leaves(program).map(({ path, command }) => `| \`${path}\` | ${command.description()} |`),
    "",
    "| setting of the editor | default | meaning |",
    "|---|---|---|",
    ...settings.map(
      ([key, { default: value, markdownDescription }]) =>
        `| \`${key}\` | \`${JSON.stringify(value)}\` | ${text(markdownDescription).split(". ")[0]!.replace(/\.$/, "")} |`,
    ),
  ];
  return `${before}${BEGIN}\n\n${tables.join("\n")}\n\n${END}${after}`;
}

interface Leaf {
  readonly path: string;
  readonly command: Command;
}

/** Commands with an action, in the order of the tree. */
function leaves(command: Command, path = "functez"): Leaf[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .filter((child) => child.name() !== "help")
    .flatMap((child): Leaf[] => {
      const own = `${path} ${child.name()}`;
      return child.commands.length > 0 ? leaves(child, own) : [{ path: own, command: child }];
    });
}

function describe({ path, command }: Leaf): string[] {
  const usage = command.registeredArguments.map((argument) => {
    const name = argument.variadic ? `${argument.name()}...` : argument.name();
    return argument.required ? `<${name}>` : `[${name}]`;
  });
  const options = command.options.map(({ flags, description, defaultValue, mandatory }) => {
    const fallback =
      defaultValue === undefined || defaultValue === true ? "" : ` (default ${String(defaultValue)})`;
    return `- \`${flags}\`${mandatory ? " (required)" : ""}: ${description}${fallback}`;
  });
  return [
    `### \`${[path, ...usage].join(" ")}\``,
    "",
    `${command.description()}.`,
    "",
    ...options,
    ...(options.length > 0 ? [""] : []),
  ];
}
