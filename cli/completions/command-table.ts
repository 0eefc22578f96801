// The basis of the completion scripts of all shells: the command tree as flat tables.
import type { Argument, Command, Option } from "commander";
import { FUNCTION_LOG_LEVELS, LOG_LEVELS } from "../../daemon/protocol/log-level.ts";

export const SHELLS = ["bash", "zsh", "fish", "powershell"] as const;
export type Shell = (typeof SHELLS)[number];

/** Words that only the user's files and sandbox know: the scripts run `functez words <kind>` for them. */
export const WORD_KINDS = [
  "users",
  "aliases",
  "functions",
  "calls",
  "senders",
  "accounts",
  "networks",
  "snapshots",
] as const;
export type WordKind = (typeof WORD_KINDS)[number];

/** Possible input at a place: file names, another program's command line, fixed words, or any text. */
export type Value = "file" | "command" | "text" | `words:${WordKind}` | readonly string[];

export interface TableOption {
  /** Short and long form. */
  readonly names: readonly string[];
  readonly description: string;
  /** Undefined for an option without a value. */
  readonly value: Value | undefined;
}

export interface TableCommand {
  /** Words from the program to the command, without the program: `bridge deposit`. */
  readonly path: string;
  readonly commands: readonly {
    readonly name: string;
    readonly aliases: readonly string[];
    readonly description: string;
  }[];
  readonly options: readonly TableOption[];
  /** The values of its arguments; undefined when it has none. */
  readonly argument: Value | undefined;
}

/** Usual words for a value; others are valid too. */
const WORDS: Readonly<Record<string, Value>> = {
  "--shell": SHELLS,
  "--log-level": LOG_LEVELS,
  "--level": FUNCTION_LOG_LEVELS,
  "--method": ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"],
  "--network": "words:networks",
  "--from": "words:senders",
  "--source": "words:senders",
  "--to": "words:accounts",
  "--account": "words:accounts",
  "--name": "words:functions",
};
/** The same for arguments, by command. */
const ARGUMENTS: Readonly<Record<string, Value>> = {
  login: "words:users",
  "account delete": "words:aliases",
  run: "words:calls",
  "logs trace": "words:functions",
  "network update": "words:networks",
  "network delete": "words:networks",
  "network set-default": "words:networks",
  "sandbox restore": "words:snapshots",
};

/** Every command of the tree, the program itself first. */
export function commandTable(program: Command): TableCommand[] {
  return tableOf(program, []);
}

function tableOf(command: Command, path: readonly string[]): TableCommand[] {
  const help = command.createHelp();
  const children = help.visibleCommands(command);
  const options = [
    ...help.visibleOptions(command),
    ...(path.length > 0 ? help.visibleGlobalOptions(command) : []),
  ];
  const own: TableCommand = {
    path: path.join(" "),
    commands: children.map((child) => ({
      name: child.name(),
      aliases: child.aliases(),
      description: child.description(),
    })),
    options: options.map((option) => ({
      names: [option.short, option.long].filter((name) => name !== undefined),
      description: option.description,
      value: valueOf(option),
    })),
    argument: ARGUMENTS[path.join(" ")] ?? command.registeredArguments.map(argumentOf)[0],
  };
  const further = children.filter((child) => child.name() !== "help");
  return [own, ...further.flatMap((child) => tableOf(child, [...path, child.name()]))];
}

function valueOf({ flags, long = "", required, optional }: Option): Value | undefined {
  if (!required && !optional) return undefined;
  return WORDS[long] ?? (/[<[|]file[>\]]/.test(flags) ? "file" : "text");
}

/** Arguments that name a file or a folder; `--` begins the command line of `exec`. */
const FILES = new Set(["source", "file", "folder", "config"]);

function argumentOf(argument: Argument): Value {
  if (argument.variadic) return "command";
  return FILES.has(argument.name()) ? "file" : "text";
}

/** The steps from a command to the next: its path, a word, the new path. */
export function stepsOf(table: readonly TableCommand[]): { from: string; word: string; to: string }[] {
  return table.flatMap(({ path, commands }) =>
    commands.flatMap(({ name, aliases }) =>
      [name, ...aliases].map((word) => ({
        from: path,
        word,
        to: path === "" ? name : `${path} ${name}`,
      })),
    ),
  );
}

/** Options that take a value, with the path of their command and all their names. */
export function valuesOf(
  table: readonly TableCommand[],
): { path: string; names: readonly string[]; value: Value }[] {
  return table.flatMap(({ path, options }) =>
    options.flatMap(({ names, value }) => (value === undefined ? [] : [{ path, names, value }])),
  );
}

/** The word for a value in the scripts. */
export const valueText = (value: Value): string =>
  typeof value === "string" ? `@${value}` : value.join(" ");
