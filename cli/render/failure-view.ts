// Where a recorded operation failed, or its last line: the stack there, with the variables of its innermost function.
import type { RemoteSession } from "../../daemon/debug-adapter/adapter-host.ts";
import type { Arrival, SessionFrame, SessionVariable } from "../../daemon/protocol/debug-session-api.ts";
import { fromHere } from "./from-here.ts";

/** Variables shown of a frame. */
const SHOWN_VARIABLES = 20;

export interface FailureView {
  readonly arrival: Arrival;
  readonly frames: readonly SessionFrame[];
  readonly variables: readonly SessionVariable[];
  readonly lines: readonly string[];
}

/** @throws SandboxError of debug sessions */
export async function failureView(session: RemoteSession, hash: string): Promise<FailureView> {
  const { title, gas, failure } = session.opened;
  const arrival = await session.ask({ command: "go", motion: { kind: "error" } });
  const { frames } = await session.ask({ command: "stack" });
  const variables = frames.length === 0 ? [] : await localsOf(session);
  const place = ({ source, line, column }: SessionFrame): string =>
    `${source.startsWith("jstz://") ? source : fromHere(source)}:${line}:${column}`;
  const lines = [
    `operation ${hash}`,
    `  ${title}`,
    `  ${gas} gas${failure === null ? "" : `, failed: ${arrival.description ?? failure}`}`,
    ...(frames.length === 0 ? ["  It ran no line of a smart function."] : [""]),
    ...frames.map(
      (each) => `  at ${each.name} (${place(each)})${each.state === "awaits" ? ", which awaits" : ""}`,
    ),
    ...(variables.length === 0 ? [] : [""]),
    ...variables.map(({ name, value }) => `  ${name} = ${value}`),
  ];
  return { arrival, frames, variables, lines };
}

async function localsOf(session: RemoteSession): Promise<readonly SessionVariable[]> {
  const { scopes } = await session.ask({ command: "scopes", frame: 0 });
  const local = scopes.find(({ name }) => name === "Local");
  if (local === undefined) return [];
  const { variables } = await session.ask({ command: "variables", ref: local.ref, count: SHOWN_VARIABLES });
  return variables;
}
