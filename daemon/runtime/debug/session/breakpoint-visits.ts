// Evaluates what a breakpoint says where its line begins: its condition, and the expressions of its log message.
import { reasonOf } from "../../../protocol/errors.ts";
import type { Breakpoint } from "./breakpoints.ts";
import type { Looking } from "./looking.ts";
import type { Visit } from "./stops.ts";

/** Characters of a log message, whose values may be as long as the guest's memory. */
const MAX_LOG = 10_000;

/** @param look gives the frame that the expressions are evaluated in */
export function visitBreakpoint({ condition, logMessage }: Breakpoint, look: () => Looking): Visit {
  let isTrue = true;
  let problem: string | undefined;
  if (condition !== undefined)
    try {
      isTrue = look().holds(condition);
    } catch (error) {
      isTrue = false;
      problem = reasonOf(error);
    }
  const log = logMessage === undefined || !isTrue ? undefined : logText(logMessage, look);
  return { isTrue, log, problem };
}

/** The message with the values of its `{expressions}`, or its beginning. */
function logText(message: string, look: () => Looking): string {
  const text = message.replace(/\{([^{}]+)\}/g, (_, expression: string) => {
    try {
      return look().text(expression, MAX_LOG);
    } catch (error) {
      return `{${reasonOf(error)}}`;
    }
  });
  return text.length > MAX_LOG ? `${text.slice(0, MAX_LOG - 1)}…` : text;
}
