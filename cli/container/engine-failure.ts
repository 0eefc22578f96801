// What an engine's refusal says, and the error that it becomes.
import { reasonOf, SandboxError } from "../../daemon/protocol/errors.ts";

/** The engine's own message; the library's text for the status adds nothing. */
export const engineReason = (error: unknown): string =>
  reasonOf(error)
    .replace(/^\(HTTP code \d+\) [a-z ]+ - /, "")
    .trim();

/** HTTP status of the engine's answer; undefined when there was none. */
export function statusOf(error: unknown): number | undefined {
  return (error as { statusCode?: number }).statusCode;
}

/**
 * CONTAINER_FAILED, or CONTAINER_LOST when the engine gave no answer.
 * @param next what to do, if the container's output does not help
 */
export function engineFailure(what: string, error: unknown, next?: string): SandboxError {
  const reason = engineReason(error);
  if (statusOf(error) === undefined) return new SandboxError("CONTAINER_LOST", { reason }, { cause: error });
  return new SandboxError("CONTAINER_FAILED", { what, reason, ...(next && { next }) }, { cause: error });
}
