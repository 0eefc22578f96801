// A sandbox that was found may be about to end.
import { pause } from "../protocol/wait.ts";
import type { SandboxClient } from "./sandbox-client.ts";

/** Twice the time that a shutdown of sandboxd may take for its parts and its open requests. */
const SHUTDOWN_LIMIT_MS = 12_000;
const POLL_MS = 100;

/**
 * Whether a sandbox answers and stays; waits for one that is shutting down, so that its port is free again.
 * @param patienceMs for one answer
 */
export async function isThereToStay(
  client: Pick<SandboxClient, "health">,
  patienceMs?: number,
): Promise<boolean> {
  const end = performance.now() + SHUTDOWN_LIMIT_MS;
  for (;;) {
    const health = await client.health(patienceMs);
    if (health?.status !== "stopping") return health !== undefined;
    if (performance.now() > end) return false;
    await pause(POLL_MS);
  }
}
