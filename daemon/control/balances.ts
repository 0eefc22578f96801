// Balances of the bootstrap accounts on layer 1 and in the runtime, read through the parts' public interfaces.
import { decodeAnswer } from "../client/decode-answer.ts";
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
    const what = "The runtime node";
    const url = `${options.runtimeEndpoint()}/accounts/${address}/balance`;
    const { status, body } = await httpRequestText(url, { what, maxBytes: 1_024 });
    if (status !== 200) return 0n;
    return decodeAnswer({ what, url }, body, (json) => toUnsigned(json) ?? 0n, parseExact);
  }

  return {
    async read() {
      const layer1 = createLayer1Client(options.layer1Endpoint());
      const addresses = options.accounts.map(({ address }) => address);
      const [onLayer1, inRuntime] = await Promise.all([
        inTurn(addresses, (address) => layer1.balance(address)),
        inTurn(addresses, runtimeBalance),
      ]);
      return options.accounts.map(({ label, address }, i) => ({
        label,
        address,
        layer1_balance: onLayer1[i]!.toString(),
        runtime_balance: inRuntime[i]!.toString(),
      }));
    },
  };
}

/** Sequential over one kept connection: opening one per request takes longer. */
async function inTurn(
  addresses: readonly string[],
  read: (address: string) => Promise<bigint>,
): Promise<bigint[]> {
  const balances: bigint[] = [];
  for (const address of addresses) balances.push(await read(address));
  return balances;
}
