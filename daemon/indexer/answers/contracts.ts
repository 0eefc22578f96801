// Contracts: their storage as people read it, code, entrypoints, views of their big maps by name.
import { parseMicheline } from "../../tezos/micheline.ts";
import { kindOf } from "../chain/apply-block.ts";
import type { ContractState, OperationRow } from "../chain/index-rows.ts";
import { ShownValue } from "../chain/shown-value.ts";
import { isUseful } from "../human/contract-script.ts";
import { typeJson } from "../human/type-json.ts";
import { type Fields, filtersOf } from "../query/filters.ts";
import { jsonPath, valuesAt } from "../query/json-path.ts";
import { truth, wholeNumber } from "../query/query-values.ts";
import { RowValues } from "../query/row-values.ts";
import { chosenRows, countOf, listText } from "../query/selection.ts";
import { contractRow, contractText } from "./accounts.ts";
import { contractParam } from "./addresses.ts";
import { type Asked, type Route, written } from "./route.ts";
import { talliesOf } from "./tallies.ts";

function contractOf({ index, params }: Asked): ContractState | undefined {
  return index.contracts.get(contractParam(params["address"]!));
}

/** A route about one contract: without an answer where there is no such contract. */
const ofContract =
  (answer: (asked: Asked, contract: ContractState) => ReturnType<Route["answer"]>): Route["answer"] =>
  (asked) => {
    const contract = contractOf(asked);
    return contract === undefined ? undefined : answer(asked, contract);
  };

/** A part of a contract at the level of the query, the head without one. */
function context({ layer1, query }: Asked, address: string, part: string): Promise<unknown> {
  const level = wholeNumber(query, "level", 0, 2 ** 31 - 1);
  return layer1(`/chains/main/blocks/${level === 0 ? "head" : level}/context/contracts/${address}/${part}`);
}

async function storageText(asked: Asked, { address, script }: ContractState): Promise<string | undefined> {
  const path = jsonPath(asked.query.get("path") ?? "", "path");
  const storage = parseMicheline(await context(asked, address, "storage"));
  if (storage === undefined) return undefined;
  const value = new ShownValue(script.storage, storage);
  if (path.length === 0) return written(asked, value);
  const [found] = valuesAt(new RowValues(asked.work).human(value), path);
  return found === undefined ? undefined : written(asked, found);
}

async function storageHistory(asked: Asked, { address }: ContractState): Promise<string> {
  const limit = wholeNumber(asked.query, "limit", 10, 1_000);
  const lastId = wholeNumber(asked.query, "lastId", 0);
  const found: OperationRow[] = [];
  for (const row of asked.index.operations.newestFirst()) {
    if (found.length >= limit) break;
    if (asked.work.isDue) await asked.work.turn();
    const isOwn = row.target?.address === address || row.originatedContract?.address === address;
    if (isOwn && row["storage"] instanceof ShownValue && (lastId === 0 || row.id < lastId)) found.push(row);
  }
  return written(asked, found.map(storageRow));
}

const storageRow = ({
  type,
  id,
  level,
  timestamp,
  hash,
  counter,
  nonce,
  parameter,
  storage,
}: OperationRow) => ({
  id,
  level,
  timestamp,
  operation: {
    type,
    hash,
    counter,
    ...(nonce !== undefined && { nonce }),
    ...(parameter && { parameter: { entrypoint: parameter.entrypoint, value: parameter.value ?? null } }),
  },
  value: storage,
});

function entrypointRow(asked: Asked, { script }: ContractState, name: string): object {
  const type = script.entrypoints.get(name)!;
  return {
    name,
    ...(truth(asked.query, "json", true) && { jsonParameters: typeJson(type) }),
    ...(truth(asked.query, "micheline", false) && { michelineParameters: type.micheline }),
    unused: false,
  };
}

const FIELDS: Fields<ContractState> = {
  id: { kind: "number", read: ({ id }) => id },
  address: { kind: "text", read: ({ address }) => address },
  kind: { kind: "text", read: kindOf },
  tzips: { kind: "list", read: ({ script }) => script.tzips },
  creator: { kind: "account", read: ({ creator }) => creator },
  typeHash: { kind: "number", read: ({ typeHash }) => typeHash },
  codeHash: { kind: "number", read: ({ codeHash }) => codeHash },
  firstActivity: { kind: "number", read: ({ firstLevel }) => firstLevel },
};

const SORTS = {
  id: ({ id }: ContractState) => id,
  firstActivity: ({ firstLevel }: ContractState) => firstLevel,
};

/** Contracts whose balance is asked for in one answer, at once. */
const AT_ONCE = 16;

/** Balances are asked of layer 1, of the first rows: of others they are in the rows of accounts. */
async function contractsText(asked: Asked): Promise<string> {
  const { index, query, layer1, work } = asked;
  const page = {
    ...asked,
    filters: filtersOf(query, FIELDS, ["includeStorage"]),
    sorts: SORTS,
    cursor: ({ id }: ContractState) => id,
  };
  const contracts = await chosenRows(index.contracts.values(), page);
  const balances = new Map<string, bigint>();
  for (let at = 0; at < Math.min(contracts.length, 256); at += AT_ONCE)
    await Promise.all(
      contracts.slice(at, at + AT_ONCE).map(async ({ address }) => {
        const balance = await layer1(`/chains/main/blocks/head/context/contracts/${address}/balance`);
        if (typeof balance === "string") balances.set(address, BigInt(balance));
      }),
    );
  const tallies = await talliesOf(
    index,
    contracts.map(({ address }) => address),
    work,
  );
  return listText(contracts, {
    ...page,
    show: (contract) =>
      contractRow(index, contract, balances.get(contract.address) ?? 0n, tallies(contract.address)),
  });
}

export const CONTRACT_ROUTES: readonly Route[] = [
  { path: "contracts", answer: contractsText },
  {
    path: "contracts/count",
    answer: ({ index, query, work }) => countOf(index.contracts.values(), filtersOf(query, FIELDS), work),
  },
  {
    path: "contracts/:address",
    answer: ofContract(contractText),
  },
  {
    path: "contracts/:address/code",
    answer: ofContract(async (asked, { address }) => {
      const script = (await context(asked, address, "script")) as { code?: unknown } | undefined;
      return script && written(asked, script.code);
    }),
  },
  { path: "contracts/:address/storage", answer: ofContract(storageText) },
  {
    path: "contracts/:address/storage/raw",
    answer: ofContract(async (asked, { address }) => {
      const storage = await context(asked, address, "storage");
      return storage === undefined ? undefined : written(asked, storage);
    }),
  },
  {
    path: "contracts/:address/storage/schema",
    answer: ofContract((asked, { script }) => written(asked, typeJson(script.storage))),
  },
  { path: "contracts/:address/storage/history", answer: ofContract(storageHistory) },
  {
    path: "contracts/:address/entrypoints",
    answer: ofContract((asked, contract) => {
      const all = truth(asked.query, "all", false);
      const names = [...contract.script.entrypoints].filter(([name, type]) => all || isUseful(name, type));
      return written(
        asked,
        names.map(([name]) => entrypointRow(asked, contract, name)),
      );
    }),
  },
  {
    path: "contracts/:address/entrypoints/:name",
    answer: ofContract((asked, contract) => {
      const name = asked.params["name"]!;
      return contract.script.entrypoints.has(name)
        ? written(asked, entrypointRow(asked, contract, name))
        : undefined;
    }),
  },
];
