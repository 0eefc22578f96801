// Chooses the runtime of a sandbox: the built-in one, the operator's program, or one that runs elsewhere.
import type { Worker } from "node:worker_threads";
import { type AdminSecret, secretFor } from "./config/admin-secret.ts";
import type { SandboxConfig } from "./config/schema.ts";
import type { Log } from "./parts/log.ts";
import type { Part } from "./parts/part.ts";
import { endpointOf, endpointUrl } from "./protocol/endpoint.ts";
import { LIMITS } from "./protocol/real-runtime.ts";
import { createRuntimeNode } from "./runtime/runtime-node.ts";
import { createCommandPart } from "./supervisor/command-part.ts";
import { createWatchedPart } from "./supervisor/watched-part.ts";
import { parsePublicKey } from "./tezos/keys.ts";

export interface RuntimePartOptions {
  readonly log: Log;
  /** Folder of the engine's files. */
  readonly engineDirectory: string;
  /** Thread of the guest engine, if already started. */
  readonly engineThread?: Worker | undefined;
  readonly layer1Endpoint: () => string;
  readonly adminSecret: AdminSecret;
}

export function runtimePart(config: SandboxConfig, options: RuntimePartOptions): Part {
  const settings = config.runtime_node;
  const endpoint = endpointOf(settings.endpoint);
  const common = { name: "runtime_node", needs: ["layer1_node"] } as const;
  const isBuiltIn = !settings.skipped && settings.command.length === 0;
  if (!isBuiltIn) void options.engineThread?.terminate();
  if (settings.skipped) return createWatchedPart({ ...common, endpoint: endpointUrl(endpoint) });
  if (settings.command.length > 0) {
    const placeholders = () => ({ layer1_endpoint: options.layer1Endpoint() });
    return createCommandPart({
      ...common,
      command: settings.command,
      endpoint,
      placeholders,
      adminSecret: options.adminSecret.text,
      log: options.log,
    });
  }
  return createRuntimeNode({
    ...endpoint,
    allowedHosts: config.allowed_hosts,
    adminSecret: options.adminSecret.text,
    layer1Secret: secretFor(options.adminSecret, config.layer1_node),
    rollupEndpoint: options.layer1Endpoint,
    engineDirectory: options.engineDirectory,
    engineThread: options.engineThread,
    gasCeiling: settings.gas_ceiling,
    strict: settings.strict,
    // There the number is fixed, and so is the date.
    maxLiveCalls: settings.strict ? LIMITS.liveCalls : settings.max_live_calls,
    realTime: settings.real_time && !settings.strict,
    history: settings.history,
    oracle: {
      enabled: settings.oracle.enabled,
      allowPrivate: settings.oracle.allow_private,
      allowedHosts: settings.oracle.allowed_hosts,
      timeoutLevels: settings.oracle.timeout_levels,
      externalAddress: parsePublicKey(settings.oracle.external_key)?.address,
    },
    log: options.log,
  });
}
