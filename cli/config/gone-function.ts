// Aliases outlive the sandbox: its state is lost when it stops, and the alias then names a function that no longer
// exists.
import type { RuntimeClient } from "../../daemon/client/runtime-client.ts";
import { SandboxError } from "../../daemon/protocol/errors.ts";
import { addressKind } from "../../daemon/tezos/address.ts";
import type { Network } from "./network.ts";
import type { CliConfig } from "./parse-config.ts";

/**
 * Called when a function returns nothing: throws if it does not exist.
 * @throws SandboxError FUNCTION_GONE
 */
export async function requireFunction(
  runtime: Pick<RuntimeClient, "account">,
  network: Pick<Network, "name" | "isSandbox">,
  config: CliConfig,
  address: string,
): Promise<void> {
  if (addressKind(address) !== "KT1" || (await runtime.account(address)) !== undefined) return;
  const alias = Object.entries(config.accounts).find(
    ([, entry]) => "SmartFunction" in entry && entry.SmartFunction.address === address,
  )?.[0];
  throw new SandboxError("FUNCTION_GONE", {
    address,
    alias,
    where: network.isSandbox ? "this sandbox" : `the network ${network.name}`,
    isSandbox: network.isSandbox,
  });
}
