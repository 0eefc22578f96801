// Starts the sandbox in a container through the bundled command line.
import { SandboxError } from "../../daemon/protocol/errors.ts";
import type { Cli } from "./cli.ts";
import type { StartOptions } from "./session-state.ts";

/** Result of `functez sandbox --container start --json`. */
interface ContainerAnswer {
  readonly endpoints?: { readonly sandboxd: string };
  /** False when the engine is on another machine and its ports are not forwarded here. */
  readonly reachable?: boolean;
  readonly engine?: string;
  /** Command that creates such a forward. */
  readonly forward?: string;
}

/**
 * Starts the container, or finds the running one. It ends `graceSeconds` after the last window detaches.
 * @returns address of sandboxd; @throws SandboxError those of {@link Cli.run}, CONTAINER_UNREACHABLE
 */
export async function startContainer(
  cli: Cli,
  configFile: string,
  graceSeconds: number,
  { signal, onProgress }: StartOptions,
): Promise<string> {
  const command = ["sandbox", "--container", "start", "--detach", "--config", configFile];
  const answer = await cli.run<ContainerAnswer>([...command, "--grace", String(graceSeconds)], {
    ...(signal === undefined ? {} : { signal }),
    ...(onProgress === undefined ? {} : { onProgress }),
  });
  if (answer.endpoints) return answer.endpoints.sandboxd;
  throw new SandboxError("CONTAINER_UNREACHABLE", {
    engine: answer.engine ?? "the engine",
    forward: answer.forward,
  });
}
