// The input of a tool, and how it formats its results.
import type { AgentInput } from "../../daemon/protocol/agent-input.ts";
import { JsonText } from "../../daemon/protocol/exact-json.ts";
import type { CliContext } from "../context.ts";
import { type QuietTerminal } from "./quiet-terminal.ts";

export interface ToolCall {
  readonly input: AgentInput;
  /** The context of this call, with its signal. */
  readonly context: CliContext & { readonly terminal: QuietTerminal };
  /** Configuration file of sandboxd, from the server's options. */
  readonly config: string | undefined;
  /** The user's folders, whose sources may be deployed. @throws SandboxError WORKSPACE_UNKNOWN */
  folders(): Promise<readonly string[]>;
}

/** Runs a tool and returns its structured result. */
export type ToolRun = (call: ToolCall) => Promise<Readonly<Record<string, unknown>>>;

export const textOf = ({ input }: ToolCall, name: string): string => String(input[name] ?? "");

/** An optional parameter, as options of commands are. */
export function optional<Name extends string>(
  { input }: ToolCall,
  name: Name,
): Readonly<Partial<Record<Name, string>>> {
  return (input[name] === undefined ? {} : { [name]: String(input[name]) }) as Partial<Record<Name, string>>;
}

/** Longer texts of functions are truncated, since a model pays for all its input. */
const MAX_TEXT = 20_000;

export function shortened(text: string): string {
  return text.length <= MAX_TEXT
    ? text
    : `${text.slice(0, MAX_TEXT)}… (${text.length - MAX_TEXT} more characters)`;
}

/** A value as portable JSON: large numbers and JSON texts as text, long texts truncated. */
export function plain(value: unknown): unknown {
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "string") return shortened(value);
  if (value instanceof JsonText) return shortened(value.text);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(fields.map(([name, field]) => [name, plain(field)]));
}

/** The named fields of a command's result; others, such as recovery phrases, never leave the process. */
export function picked(value: unknown, names: readonly string[]): Record<string, unknown> {
  const fields = value as Readonly<Record<string, unknown>>;
  return Object.fromEntries(names.filter((name) => name in fields).map((name) => [name, fields[name]]));
}
