// Chooses the layer 1 of a sandbox: the built-in one, the operator's program, or one that runs elsewhere.
import type { AdminSecret } from "./config/admin-secret.ts";
import type { SandboxConfig } from "./config/schema.ts";
import { sandboxAccounts } from "./control/accounts.ts";
import { createLayer1Node } from "./layer1/layer1-node.ts";
import type { Log } from "./parts/log.ts";
import type { Part } from "./parts/part.ts";
import { endpointOf, endpointUrl } from "./protocol/endpoint.ts";
import { createCommandPart } from "./supervisor/command-part.ts";
import { createWatchedPart } from "./supervisor/watched-part.ts";

export function layer1Part(config: SandboxConfig, log: Log, adminSecret: AdminSecret): Part {
  const settings = config.layer1_node;
  const endpoint = endpointOf(settings.rpc_endpoint);
  const common = { name: "layer1_node", needs: [] } as const;
  if (settings.skipped) return createWatchedPart({ ...common, endpoint: endpointUrl(endpoint) });
  if (settings.command.length > 0) {
    return createCommandPart({
      ...common,
      command: settings.command,
      endpoint,
      placeholders: () => ({}),
      adminSecret: adminSecret.text,
      log,
    });
  }
  const real = settings.timing === "real";
  return createLayer1Node({
    ...endpoint,
    protocol: settings.protocol,
    allowedHosts: config.allowed_hosts,
    adminSecret: adminSecret.text,
    blockTimeSeconds: settings.block_time,
    timing: settings.timing,
    strict: settings.strict || real,
    historyBlocks: settings.history_blocks,
    commitmentPeriodBlocks: settings.commitment_period,
    challengeWindowBlocks: settings.challenge_window,
    autoExecuteWithdrawals: settings.auto_withdraw,
    withdrawalDelayBlocks: settings.withdrawal_delay,
    bootstrapAccounts: sandboxAccounts(config),
    log,
  });
}
