// The input of a tool, and the form of its run.
import type { AgentInput } from "../../daemon/protocol/agent-input.ts";
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

/** The named fields of a command's result; others, such as recovery phrases, never leave the process. */
export function pick(value: unknown, names: readonly string[]): Record<string, unknown> {
  const fields = value as Readonly<Record<string, unknown>>;
  return Object.fromEntries(names.filter((name) => name in fields).map((name) => [name, fields[name]]));
}
