// Changes of the ledger that are no operations: between two operations, while new ones wait.
import { SandboxError } from "../protocol/errors.ts";
import type { RuntimeCore } from "./runtime-core.ts";

/** Calls that wait for an answer from outside may take too long. */
const PATIENCE_MS = 10_000;

/** Runs a change when no operation is under way. @throws SandboxError SANDBOX_BUSY, and what the change throws */
export async function whileAtRest<Result>(
  core: RuntimeCore,
  change: () => Result,
  patienceMs = PATIENCE_MS,
): Promise<Result> {
  if (core.isHeld)
    throw new SandboxError("SANDBOX_BUSY", { reason: "a snapshot is being taken or restored" });
  core.hold();
  try {
    await core.idle(AbortSignal.timeout(patienceMs));
    if (!core.isHeld || !core.isAtRest)
      throw new SandboxError("SANDBOX_BUSY", {
        reason: `operations are still under way after ${patienceMs / 1000} s`,
      });
    return change();
  } finally {
    core.release();
  }
}
