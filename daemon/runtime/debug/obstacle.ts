// What keeps a recorded operation from running again.
import type { RecordedRun } from "../store/journal.ts";

/** Why it cannot end as the first time, or undefined. */
export function obstacleOf({ job, circumstances, isLost }: RecordedRun): string | undefined {
  if (isLost) return "the guest engine ended while it ran, so there is no end to reach again";
  if (job.kind === "operation" && job.content._type === "OracleResponse")
    return "it runs no smart function: it carries an answer to another operation, which can run again itself";
  if (circumstances !== undefined && circumstances.answers === undefined)
    return "the answers that it got from outside were too large to be kept";
  return undefined;
}
