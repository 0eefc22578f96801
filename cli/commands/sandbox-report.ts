// What the commands of a sandbox say of a running one, in a container or not.
import type { SandboxClient } from "../../daemon/client/sandbox-client.ts";
import { VERSION } from "../../daemon/protocol/constants.ts";
import type { HealthReport } from "../../daemon/protocol/sandbox-api.ts";
import { accountTable, explorerLine } from "../../daemon/text/start-output.ts";
import type { Difference } from "../config/compare-config.ts";
import type { CliContext } from "../context.ts";

/** Prints the accounts with their balances, and where the sandbox is. */
export async function showAccounts(
  context: CliContext,
  client: SandboxClient,
  health: HealthReport,
  more: { readonly differences?: readonly Difference[] } = {},
): Promise<void> {
  const accounts = await client.accounts();
  context.terminal.print(
    accountTable(
      accounts.map(({ label, address, layer1_balance }) => ({ label, address, balance: layer1_balance })),
    ) + explorerLine(client.endpoint),
  );
  context.terminal.data({
    running: true,
    pid: health.pid,
    version: health.version,
    endpoints: { sandboxd: client.endpoint, ...(await client.endpoints()) },
    accounts,
    ...more,
  });
}

/** Warns when the sandbox runs another version than this command. */
export function warnOfVersion(context: CliContext, health: HealthReport): void {
  if (health.version === VERSION) return;
  context.terminal.warn(
    `the running sandbox is functez ${health.version}, this command is ${VERSION}; restart it with \`functez sandbox restart\`.`,
  );
}

/** A report with the endpoints of healthy parts as reached from here: through a forward they differ. */
export function withReachableEndpoints(
  health: HealthReport,
  endpoints: Record<"layer1" | "runtime", string>,
): HealthReport {
  const of = { layer1_node: endpoints.layer1, runtime_node: endpoints.runtime };
  const parts = health.parts.map((part) =>
    part.state === "healthy" ? { ...part, detail: of[part.name] } : part,
  );
  return { ...health, parts };
}

/** Lines of `sandbox status`. */
export function partLines({ parts }: Pick<HealthReport, "parts">): string[] {
  return parts.map(({ name, state, detail }) => `  ${name.padEnd(13)} ${state}  ${detail}`);
}
