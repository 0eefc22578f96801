// The history that the indexer tells is that of layer 1: after random operations, some of which fail or are undone by a
// snapshot, what it says of each block equals what layer 1 says for the same level.
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { BOOTSTRAP_ACCOUNTS } from "../../daemon/protocol/constants.ts";
import { combOf } from "../../daemon/tezos/micheline-data.ts";
import { parseMichelineText, parseScriptText } from "../../daemon/tezos/micheline-text.ts";
import { isSequence, type Micheline, prim } from "../../daemon/tezos/micheline.ts";
import { builtCli } from "../support/built-cli.ts";
import { amount, SEED, seededRandom } from "../support/long-run.ts";
import { ownerOf, ready } from "../support/processes.ts";

/** Keeps values by number in a big map, and a sum; gives the big map of another one up for a copy. */
const KEEPER = `
  parameter (or (pair %put nat (option string)) (or (nat %add) (big_map %take nat string)));
  storage (pair (big_map %values nat string) (nat %sum));
  code { UNPAIR;
         IF_LEFT { UNPAIR; DIG 2; UNPAIR; DIG 3; DIG 3; UPDATE; PAIR }
                 { IF_LEFT { SWAP; UNPAIR; DIP { ADD }; PAIR } { DIP { CDR }; PAIR } };
         NIL operation; PAIR }`;
/** Sends its big map to another contract. */
const SENDER = `
  parameter (or (pair %put nat (option string)) (address %send));
  storage (big_map nat string);
  code { UNPAIR;
         IF_LEFT { UNPAIR; UPDATE; NIL operation; PAIR }
                 { CONTRACT %take (big_map nat string); IF_NONE { UNIT; FAILWITH } {};
                   PUSH mutez 0; DUP 3; TRANSFER_TOKENS; NIL operation; SWAP; CONS; PAIR } }`;
const TOKEN = readFileSync(new URL("contracts/token-fa12.tz", import.meta.url), "utf8");

const cli = builtCli();
const random = seededRandom(SEED);
const below = (most: number): number => Math.floor(random() * most);
const pick = <T>(all: readonly T[]): T => all[below(all.length)]!;

let base: string;
let layer1: string;
let owner: { readonly headers: ReturnType<typeof ownerOf> };
const contracts = { keeper: "", sender: "", token: "" };
beforeAll(async () => {
  const endpoints = await ready(cli.start("sandboxd", ["run", "--json", "--free-ports"]));
  [base, layer1] = [endpoints.sandboxd, endpoints.layer1];
  owner = { headers: ownerOf(cli, endpoints) };
  contracts.keeper = await originate(KEEPER, "Pair {} 0");
  contracts.sender = await originate(SENDER, "{}");
  contracts.token = await originate(TOKEN, `Pair { Elt "${BOOTSTRAP_ACCOUNTS[0].address}" 1000 } {} 1000`);
});
afterAll(() => cli.dispose());

async function json(url: string): Promise<unknown> {
  const answer = await fetch(url);
  return answer.status === 200 ? ((await answer.json()) as unknown) : undefined;
}
const history = (path: string): Promise<unknown> => json(`${base}/tzkt/v1/${path}`);
const node = (path: string): Promise<unknown> => json(`${layer1}/chains/main/blocks/${path}`);

async function send(
  from: string,
  contents: readonly object[],
): Promise<{ readonly contracts?: readonly string[] }> {
  const answer = await fetch(`${base}/layer1/operations`, {
    method: "POST",
    headers: { ...owner.headers, "content-type": "application/json" },
    body: JSON.stringify({ from, contents }),
  });
  return (await answer.json()) as { readonly contracts?: readonly string[] };
}
async function originate(script: string, storage: string): Promise<string> {
  const content = {
    kind: "origination",
    script: { code: parseScriptText(script), storage: parseMichelineText(storage) },
  };
  const report = await send("bootstrap1", [content]);
  expect(report).toMatchObject({ contracts: [expect.stringMatching(/^KT1/)] });
  return report.contracts![0]!;
}
const call = (destination: string, entrypoint: string, argument: string, tez = 0): object => ({
  kind: "transaction",
  destination,
  amount: String(tez),
  parameters: { entrypoint, value: parseMichelineText(argument) },
});

function randomContent(): object {
  const { address } = pick(BOOTSTRAP_ACCOUNTS);
  const value = random() < 0.3 ? "None" : `(Some "${below(1_000)}")`;
  switch (below(7)) {
    case 0:
      return { kind: "transaction", destination: address, amount: String(below(5_000_000)) };
    case 1:
      return call(contracts.keeper, "put", `Pair ${below(12)} ${value}`);
    case 2:
      return call(contracts.keeper, "add", String(below(100)));
    case 3:
      return call(contracts.sender, "put", `Pair ${below(12)} ${value}`);
    case 4:
      return call(contracts.sender, "send", `"${contracts.keeper}"`);
    default:
      // Many of these fail: the sender has no tokens, or too few.
      return call(
        contracts.token,
        "transfer",
        `Pair "${pick(BOOTSTRAP_ACCOUNTS).address}" "${address}" ${below(300)}`,
      );
  }
}

/** Several accounts at once, so that blocks have several operations. */
async function someOperations(count: number): Promise<void> {
  for (let done = 0; done < count; done += BOOTSTRAP_ACCOUNTS.length)
    await Promise.all(
      BOOTSTRAP_ACCOUNTS.map(({ label }) => {
        const single = random() < 0.6;
        const contents = Array.from({ length: single ? 1 : 2 + below(2) }, randomContent);
        return send(label, contents);
      }),
    );
}

async function restore(): Promise<void> {
  await fetch(`${base}/snapshots/before`, { method: "PUT", ...owner });
  await someOperations(12);
  await history("head"); // it has seen what is undone
  const answer = await fetch(`${base}/snapshots/before/restore`, { method: "POST", ...owner });
  expect(answer.status).toBe(200);
}

interface Transaction {
  readonly id: number;
  readonly level: number;
  readonly status: string;
  readonly storage: Micheline;
}
interface Key {
  readonly hash: string;
  readonly key: Micheline;
  readonly value: Micheline;
  readonly active: boolean;
}

async function compareAccounts(): Promise<void> {
  const addresses = [...BOOTSTRAP_ACCOUNTS.map(({ address }) => address), ...Object.values(contracts)];
  for (const address of addresses) {
    const account = (await history(`accounts/${address}`)) as { balance: number; counter?: number };
    expect(String(account.balance), address).toBe(await node(`head/context/contracts/${address}/balance`));
    if (address.startsWith("KT1")) continue;
    expect(String(account.counter), address).toBe(await node(`head/context/contracts/${address}/counter`));
  }
}

/** Receipts write pairs of three as such, the state as pairs of pairs. */
function nestCombs(node: Micheline): Micheline {
  const [first, ...others] = combOf(node);
  return first === undefined || others.length === 0 || isSequence(node)
    ? node
    : prim(
        "Pair",
        nestCombs(first),
        others.length === 1 ? nestCombs(others[0]!) : nestCombs(prim("Pair", ...others)),
      );
}

/** The last storage of each block is the one that layer 1 has at its level. */
async function compareStorages(): Promise<number> {
  let compared = 0;
  for (const address of Object.values(contracts)) {
    const calls = (await history(
      `operations/transactions?target=${address}&status=applied&limit=10000&micheline=2`,
    )) as Transaction[];
    const last = new Map(calls.map((each) => [each.level, each]));
    for (const [level, { storage }] of last) {
      const known = await node(`${level}/context/contracts/${address}/storage`);
      expect(nestCombs(storage), `${address} at ${level}`).toEqual(nestCombs(known as Micheline));
      compared++;
    }
    const raw = await history(`contracts/${address}/storage/raw`);
    expect(raw).toEqual(await node(`head/context/contracts/${address}/storage`));
  }
  return compared;
}

async function compareBigMaps(): Promise<number> {
  let compared = 0;
  const maps = (await history("bigmaps?active=true&limit=10000")) as { ptr: number; activeKeys: number }[];
  expect(maps.length).toBeGreaterThanOrEqual(4);
  for (const { ptr, activeKeys } of maps) {
    const keys = (await history(`bigmaps/${ptr}/keys?limit=10000&micheline=2`)) as Key[];
    const values = (await node(`head/context/big_maps/${ptr}`)) as readonly Micheline[];
    expect(keys.filter(({ active }) => active).length, `big map ${ptr}`).toBe(values.length);
    expect(activeKeys, `big map ${ptr}`).toBe(values.length);
    for (const { hash, value, active } of keys) {
      const known = await node(`head/context/big_maps/${ptr}/${hash}`);
      expect(active ? value : undefined, `${ptr}/${hash}`).toEqual(known);
      compared++;
    }
  }
  return compared;
}

async function compareTokens(): Promise<void> {
  const held = (await history(`tokens/balances?token.contract=${contracts.token}&limit=10000`)) as {
    readonly account: { readonly address: string };
    readonly balance: string;
  }[];
  const balances = Object.fromEntries(held.map(({ account, balance }) => [account.address, balance]));
  const keys = (await history(`contracts/${contracts.token}/bigmaps/ledger/keys?limit=10000`)) as {
    readonly key: string;
    readonly hash: string;
  }[];
  const storage = (await node(`head/context/contracts/${contracts.token}/storage`)) as {
    args: { int: string }[];
  };
  const ledger = Number(storage.args[0]!.int);
  let total = 0n;
  for (const { key, hash } of keys) {
    const known = (await node(`head/context/big_maps/${ledger}/${hash}`)) as { int: string } | undefined;
    expect(balances[key] ?? "0", key).toBe(known?.int ?? "0");
    total += BigInt(known?.int ?? "0");
  }
  expect(total).toBe(1_000n);
}

async function compareBlocks(): Promise<void> {
  const blocks = (await history("blocks?limit=10000")) as {
    level: number;
    hash: string;
    timestamp: string;
  }[];
  for (const { level, hash, timestamp } of blocks)
    expect(await node(`${level}/header`)).toMatchObject({ level, hash, timestamp });
}

it(
  "equals layer 1 after random operations, and after a snapshot that undid some",
  { timeout: 600_000 },
  async () => {
    const rounds = amount(3, 30);
    let [storages, keys] = [0, 0];
    for (let round = 0; round < rounds; round++) {
      await someOperations(18);
      if (round === 1) await restore();
      await someOperations(6);
      await compareBlocks();
      await compareAccounts();
      storages += await compareStorages();
      keys += await compareBigMaps();
      await compareTokens();
    }
    // It compared something.
    expect(storages).toBeGreaterThan(8);
    expect(keys).toBeGreaterThan(12);
  },
);
