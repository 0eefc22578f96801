// What our containers and volumes are known by on an engine, and their removal.
import type { Container } from "dockerode";
import { SandboxError } from "../../daemon/protocol/errors.ts";
import { pause } from "../../daemon/protocol/wait.ts";
import { engineReason, engineFailure, statusOf } from "./engine-failure.ts";
import type { Engine } from "./engine.ts";

export const CONTAINER_NAME = "functez-sandbox";
/** On our containers and volumes. */
export const LABEL = "functez.sandbox";

/**
 * Removes a container in any state; resolves when the engine has none any more. The engine refuses while another removal
 * is under way, its own included, which may yet fail and leave the container. So it is asked again.
 * @param signal ends the waiting
 * @throws SandboxError CONTAINER_FAILED, CONTAINER_LOST, CANCELLED
 */
export async function removeContainer(container: Container, signal?: AbortSignal): Promise<void> {
  const end = performance.now() + REMOVAL_MS;
  for (;;) {
    try {
      return await container.remove({ force: true, v: true });
    } catch (error) {
      const status = statusOf(error);
      if (status === 404) return;
      if (status !== 409 || performance.now() > end)
        throw engineFailure("remove the container", error, STUCK);
    }
    await pause(100, signal);
    if (signal?.aborted) throw new SandboxError("CANCELLED", { what: "Removing the container" });
  }
}

/** How long another removal may take. An engine under load took seconds. */
const REMOVAL_MS = 10_000;

const STUCK = `It no longer runs the sandbox. Start the engine anew if \`docker ps --all --filter label=${LABEL}\` still lists it, then \`functez sandbox --container prune\`.`;

/** States of a container that has ended, though all of ours are removed then. */
const ENDED: ReadonlySet<string> = new Set(["exited", "dead", "removing"]);

/** Removes ended containers of ours, with or without a name: an engine that died or failed left them. */
export async function pruneContainers(
  { docker }: Engine,
  signal: AbortSignal,
): Promise<{ readonly containers: string[]; readonly stuck: { id: string; reason: string }[] }> {
  const found = await docker.listContainers({ all: true, filters: { label: [LABEL] } });
  const containers: string[] = [];
  const stuck: { id: string; reason: string }[] = [];
  for (const { Id: id, State } of found) {
    if (!ENDED.has(State)) continue;
    try {
      await removeContainer(docker.getContainer(id), signal);
      containers.push(id);
    } catch (error) {
      if (signal.aborted) throw error;
      stuck.push({ id, reason: engineReason((error as Error).cause) });
    }
  }
  return { containers, stuck };
}

/** Removes configuration volumes left by an engine that died. @returns their names */
export async function pruneVolumes({ docker }: Engine): Promise<string[]> {
  const found = await docker.listVolumes({ filters: { label: [LABEL], dangling: ["true"] } });
  const removed: string[] = [];
  for (const { Name } of found.Volumes ?? []) {
    try {
      await docker.getVolume(Name).remove();
      removed.push(Name);
    } catch (error) {
      if (statusOf(error) !== 404 && statusOf(error) !== 409) throw engineFailure("remove a volume", error);
    }
  }
  return removed;
}
