// Counts of related rows for accounts and contracts: one pass for all rows of an answer.
import type { ChainIndex } from "../chain/chain-index.ts";
import type { Work } from "../query/turns.ts";

export interface Tally {
  events: number;
  tokens: number;
  contracts: number;
  balances: number;
  activeBalances: number;
  tokenTransfers: number;
}

const none = (): Tally => ({
  events: 0,
  tokens: 0,
  contracts: 0,
  balances: 0,
  activeBalances: 0,
  tokenTransfers: 0,
});

/** @throws SandboxError QUERY_TOO_SLOW */
export async function talliesOf(
  index: ChainIndex,
  addresses: Iterable<string>,
  work: Work,
): Promise<(address: string) => Tally> {
  const wanted = new Map<string, Tally>();
  for (const address of addresses) wanted.set(address, none());
  const each = async <Row>(rows: Iterable<Row>, count: (row: Row) => void): Promise<void> => {
    for (const row of rows) {
      count(row);
      if (work.isDue) await work.turn();
    }
  };
  const add = (address: string | undefined, name: keyof Tally, count = 1): void => {
    const tally = address === undefined ? undefined : wanted.get(address);
    if (tally) tally[name] += count;
  };
  await each(index.events, ({ contract }) => add(contract.address, "events"));
  await each(index.tokens.values(), ({ contract }) => add(contract.address, "tokens"));
  await each(index.contracts.values(), ({ creator }) => add(creator?.address, "contracts"));
  await each(index.balances.values(), ({ account: { address }, balance, transfersCount }) => {
    add(address, "balances");
    if (balance > 0n) add(address, "activeBalances");
    add(address, "tokenTransfers", transfersCount);
  });
  return (address) => wanted.get(address) ?? none();
}
