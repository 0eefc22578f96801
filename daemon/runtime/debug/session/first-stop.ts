// The first stop of an operation: all that a debugger asks of a session that it opens to see whether a call stops, in one
// request, since a held call waits for it.
import type { Arrival, SessionCommand } from "../../../protocol/debug-session-api.ts";
import { fieldsOf, listField } from "../../../tezos/json-fields.ts";
import { commandOf } from "./read-command.ts";
import type { SessionThread } from "./session-thread.ts";

/** Sources with breakpoints. */
const MAX_SOURCES = 1_000;
/** Commands in flight, below the limit of a session. */
const AT_A_TIME = 50;

/**
 * What sets the breakpoints that a request names.
 * @param json `breakpoints` with their `source`, `filters` of exceptions, `dataBreakpoints`
 * @throws MalformedJson
 */
export function breakpointCommands(json: unknown): SessionCommand[] {
  const { breakpoints, filters, dataBreakpoints } = fieldsOf(json, "body");
  const expected = `a list of at most ${MAX_SOURCES} sources with their breakpoints`;
  return [
    ...listField(breakpoints, "breakpoints", expected, { most: MAX_SOURCES }).map((each, i) =>
      commandOf({ ...fieldsOf(each, `breakpoints[${i}]`), command: "breakpoints" }),
    ),
    commandOf({ command: "exceptions", filters }),
    commandOf({ command: "dataBreakpoints", breakpoints: dataBreakpoints }),
  ];
}

/** Goes to the first stop of a session. @throws SandboxError */
export async function goToFirstStop(
  session: Pick<SessionThread, "ask">,
  breakpoints: readonly SessionCommand[],
): Promise<Arrival> {
  // Its thread takes them in order: none needs to wait for the answer to the one before.
  for (let at = 0; at < breakpoints.length; at += AT_A_TIME)
    await Promise.all(breakpoints.slice(at, at + AT_A_TIME).map((command) => session.ask(command)));
  return JSON.parse(await session.ask({ command: "go", motion: { kind: "continue" } })) as Arrival;
}
