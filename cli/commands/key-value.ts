// `functez kv get|list`: the key-value store of a smart function.
import { SandboxError } from "../../daemon/protocol/errors.ts";
import { currentUser, resolveAddress } from "../config/account-lookup.ts";
import { requireFunction } from "../config/gone-function.ts";
import { openRuntime } from "../config/network.ts";
import type { CliContext } from "../context.ts";

export interface KeyValueOptions {
  readonly account?: string;
  readonly network?: string;
}

async function open(context: CliContext, options: KeyValueOptions) {
  const config = await context.config.read();
  const address = options.account
    ? resolveAddress(config, options.account)
    : currentUser(config).key.publicKey.address;
  const { network, runtime } = await openRuntime(context, config, options.network, "look");
  /** No result may mean that there is no function. */
  const requireStore = () => requireFunction(runtime, network, config, address);
  return { runtime, address, requireStore };
}

export async function getValue(context: CliContext, key: string, options: KeyValueOptions): Promise<void> {
  const { runtime, address, requireStore } = await open(context, options);
  const value = await runtime.kv(address, key);
  if (value === undefined) await requireStore();
  if (value === undefined) throw new SandboxError("NO_VALUE", { key });
  const { stringifyExact } = await import("../../daemon/protocol/exact-json.ts");
  context.terminal.print(stringifyExact(value, 2));
  context.terminal.data({ address, key, value });
}

export async function listKeys(
  context: CliContext,
  key: string | undefined,
  options: KeyValueOptions,
): Promise<void> {
  const { runtime, address, requireStore } = await open(context, options);
  // The node lists a key that itself has a value as an empty name among its own children.
  const names = (await runtime.subkeys(address, key))?.filter((name) => name !== "").sort();
  if (!names || names.length === 0) await requireStore();
  if (!names || names.length === 0) throw new SandboxError("NO_VALUE", { plural: true, key });
  context.terminal.print(names.join("\n"));
  context.terminal.data({ address, key: key ?? null, keys: names });
}
