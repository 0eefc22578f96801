// A second start of any kind attaches to the running sandbox: when the port is in use, this finds out whether its
// holder is a sandbox of ours.
import { connect } from "node:net";
import { isThereToStay } from "../client/lasting-sandbox.ts";
import { createSandboxClient, type SandboxClient } from "../client/sandbox-client.ts";
import type { SandboxConfig } from "../config/schema.ts";
import { endpointUrl, reachableHost } from "../protocol/endpoint.ts";
import { SandboxError } from "../protocol/errors.ts";
import { pause } from "../protocol/wait.ts";

export interface RunningSandbox {
  readonly pid: number;
  readonly version: string;
  readonly sandboxd: string;
  readonly layer1: string;
  readonly runtime: string;
}

const ANSWER_MS = 1500;

/** For a sign of life of who has the port. */
const SIGN_MS = 300;
/** A process that exits answers no more, and on a busy machine has its port a while longer. */
const EXIT_LIMIT_MS = 5_000;
const EXIT_POLL_MS = 50;

/**
 * Tells while sandboxd's port is in use whether to try it again: a sandbox that shuts down frees it, and so does a process
 * that exits. Waits for either.
 */
export function endingHolder(config: SandboxConfig): () => Promise<boolean> {
  const client = clientOf(config);
  let end: number | undefined;
  return async () => {
    if (await isThereToStay(client, SIGN_MS)) return false;
    end ??= performance.now() + EXIT_LIMIT_MS;
    if (performance.now() > end || (await keepsConnections(config))) return false;
    await pause(EXIT_POLL_MS);
    return true;
  };
}

/** Whether the holder of the port leaves a connection open, as every program does for a moment, even one that is busy. */
function keepsConnections({ server_host: host, server_port: port }: SandboxConfig): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: reachableHost(host), port });
    const end = (isKept: boolean): void => {
      socket.destroy();
      resolve(isKept);
    };
    socket.setTimeout(SIGN_MS, () => end(true));
    socket.once("data", () => end(true));
    socket.once("error", () => end(false));
    socket.once("close", () => end(false));
  });
}

const clientOf = ({ server_host, server_port: port }: SandboxConfig): SandboxClient =>
  createSandboxClient(endpointUrl({ host: reachableHost(server_host), port }));

/** The running sandbox behind a PORT_IN_USE error of sandboxd's own port, once it is healthy. */
export async function attachToRunning(
  error: unknown,
  config: SandboxConfig,
): Promise<RunningSandbox | undefined> {
  if (!(error instanceof SandboxError) || error.code !== "PORT_IN_USE") return undefined;
  const client = clientOf(config);
  // Detects a silent holder early; a sandbox answers at once, healthy or not.
  if (!(await client.health(ANSWER_MS))) return undefined;
  const health = await client.waitUntilHealthy({ silenceMs: 30_000 }).catch(() => undefined);
  if (!health) return undefined;
  const { layer1, runtime } = await client.endpoints();
  return { pid: health.pid, version: health.version, sandboxd: client.endpoint, layer1, runtime };
}
