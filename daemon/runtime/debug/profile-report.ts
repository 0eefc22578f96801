// The answer to a question for the gas profile of an operation.
import { type CpuProfile, gasProfile } from "./gas-profile.ts";
import type { Recording } from "./recording.ts";

export interface Recorded {
  readonly hash: string;
  readonly recording: Recording;
  /** False when only the beginning was recorded. */
  readonly isWhole: boolean;
}

export interface ProfileReport {
  readonly hash: string;
  /** Gas of the operation; the sum of the profile. */
  readonly gas: number;
  readonly isWhole: boolean;
  readonly profile: CpuProfile;
}

export function profileReport({ hash, recording, isWhole }: Recorded): ProfileReport {
  const profile = gasProfile(recording);
  return { hash, gas: profile.endTime, isWhole, profile };
}
