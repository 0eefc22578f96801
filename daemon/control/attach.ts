// A second start of any kind attaches to the running sandbox: when the port is in use, this finds out whether its
// holder is a sandbox of ours.
import { createSandboxClient } from "../client/sandbox-client.ts";
import type { SandboxConfig } from "../config/schema.ts";
import { endpointUrl } from "../protocol/endpoint.ts";
import { SandboxError } from "../protocol/errors.ts";

export interface RunningSandbox {
  readonly pid: number;
  readonly version: string;
  readonly sandboxd: string;
  readonly layer1: string;
  readonly runtime: string;
}

const ANSWER_MS = 1500;

/** The running sandbox behind a PORT_IN_USE error of sandboxd's own port, once it is healthy. */
export async function attachToRunning(
  error: unknown,
  config: SandboxConfig,
): Promise<RunningSandbox | undefined> {
  if (!(error instanceof SandboxError) || error.code !== "PORT_IN_USE") return undefined;
  const client = createSandboxClient(endpointUrl({ host: config.server_host, port: config.server_port }));
  // Detects a silent holder early; a sandbox answers at once, healthy or not.
  if (!(await client.health(ANSWER_MS))) return undefined;
  const health = await client.waitUntilHealthy({ silenceMs: 30_000 }).catch(() => undefined);
  if (!health) return undefined;
  const { layer1, runtime } = await client.endpoints();
  return { pid: health.pid, version: health.version, sandboxd: client.endpoint, layer1, runtime };
}
