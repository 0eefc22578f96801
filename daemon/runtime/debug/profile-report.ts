// The answer to a question for the gas profile of an operation.
import type { ProfileReport } from "../../protocol/debug-api.ts";
import { functionName } from "./function-name.ts";
import { gasProfile } from "./gas-profile.ts";
import type { Originals } from "./originals.ts";
import type { Recording } from "./recording.ts";

export interface Recorded {
  readonly hash: string;
  readonly recording: Recording;
  /** False when events were too many: callers are known of the beginning only. */
  readonly isWhole: boolean;
}

export function profileReport({ hash, recording, isWhole }: Recorded, originals: Originals): ProfileReport {
  const functions = recording.functions.map((fn) => ({ ...fn, name: functionName(fn, originals) }));
  const profile = gasProfile({ ...recording, functions });
  return { hash, gas: profile.endTime, isWhole, profile };
}
