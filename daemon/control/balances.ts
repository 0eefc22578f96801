// Balances of the bootstrap accounts on both sides of the bridge, read through the parts' public interfaces.
import { httpRequestText } from "../client/http-json.ts";
import { createLayer1Client } from "../client/layer1-client.ts";
import { parseExact, toUnsigned } from "../protocol/exact-json.ts";
import type { AccountRow } from "../protocol/sandbox-api.ts";

export interface NamedAddress {
  readonly label: string;
  readonly address: string;
}

export interface BalanceReader {
  /** One row per account, in the given order. @throws SandboxError NETWORK_UNREACHABLE */
  read(): Promise<AccountRow[]>;
}

export function createBalanceReader(options: {
  readonly accounts: readonly NamedAddress[];
  readonly layer1Endpoint: () => string;
  readonly runtimeEndpoint: () => string;
}): BalanceReader {
  async function runtimeBalance(address: string): Promise<bigint> {
    const url = `${options.runtimeEndpoint()}/accounts/${address}/balance`;
    const { status, body } = await httpRequestText(url, { what: "The runtime node" });
    if (status !== 200) return 0n;
    return toUnsigned(parseExact(body)) ?? 0n;
  }

  return {
    read() {
      const layer1 = createLayer1Client(options.layer1Endpoint());
      return Promise.all(
        options.accounts.map(async ({ label, address }) => {
          const [onLayer1, inRuntime] = await Promise.all([layer1.balance(address), runtimeBalance(address)]);
          return {
            label,
            address,
            layer1_balance: onLayer1.toString(),
            runtime_balance: inRuntime.toString(),
          };
        }),
      );
    },
  };
}
