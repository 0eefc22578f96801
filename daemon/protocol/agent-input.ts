// The arguments of a tool, checked: a model sends anything. It reads the errors, and calls again.
import type { AgentParameter, AgentTool } from "./agent-tools.ts";
import { SandboxError } from "./errors.ts";
import { foreignSecretIn } from "./foreign-secrets.ts";

/** Parameters by name; those that were not given are missing. */
export type AgentInput = Readonly<Record<string, string | number | boolean>>;

/**
 * The arguments of a call. Numbers are taken for texts, since models send amounts as numbers; an empty text is no value.
 * @throws SandboxError BAD_TOOL_INPUT
 */
export function agentInput(name: string, tool: AgentTool, given: unknown): AgentInput {
  const bad = (parameter: string | undefined, found: unknown, expected: string) =>
    new SandboxError("BAD_TOOL_INPUT", { tool: name, parameter, found, expected });
  if (given !== undefined && (typeof given !== "object" || given === null || Array.isArray(given)))
    throw bad(undefined, given, "an object");
  const input: Record<string, string | number | boolean> = {};
  for (const [parameter, found] of Object.entries(given ?? {}) as [string, unknown][]) {
    if (!Object.hasOwn(tool.parameters, parameter))
      throw bad(parameter, found, `only ${Object.keys(tool.parameters).join(", ") || "no parameters"}`);
    const value = valueOf(tool.parameters[parameter]!, found);
    if (value === undefined) throw bad(parameter, found, expectedOf(tool.parameters[parameter]!));
    // What a model sends is public, and it may have read more than the user thinks.
    const secret = typeof value === "string" ? foreignSecretIn(value) : undefined;
    if (secret !== undefined) throw bad(parameter, secret, "a text without one");
    if (value !== "") input[parameter] = value;
  }
  for (const parameter of tool.required)
    if (input[parameter] === undefined)
      throw bad(parameter, "nothing", expectedOf(tool.parameters[parameter]!));
  return input;
}

/** The parameters that a call lacks. */
export function missingInput({ required }: AgentTool, given: object | undefined): string[] {
  const values = (given ?? {}) as Readonly<Record<string, unknown>>;
  return required.filter((name) => {
    const value = values[name];
    return typeof value === "string" ? value.trim() === "" : typeof value !== "number";
  });
}

/** Undefined for a value of another kind. */
function valueOf(parameter: AgentParameter, found: unknown): string | number | boolean | undefined {
  const { type, enum: choices, minimum = -Infinity, maximum = Infinity } = parameter;
  if (type === "boolean") return typeof found === "boolean" ? found : undefined;
  if (type === "integer")
    return Number.isSafeInteger(found) && (found as number) >= minimum && (found as number) <= maximum
      ? (found as number)
      : undefined;
  const text = typeof found === "number" ? String(found) : found;
  if (typeof text !== "string") return undefined;
  return choices === undefined || choices.includes(text) ? text : undefined;
}

function expectedOf({ type, enum: choices, minimum, maximum }: AgentParameter): string {
  if (choices) return `one of ${choices.join(", ")}`;
  if (type === "integer") return `a whole number from ${minimum} to ${maximum}`;
  return type === "boolean" ? "true or false" : "a text";
}
