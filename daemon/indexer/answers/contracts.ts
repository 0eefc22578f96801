// Contracts: readable storage, code and entrypoints.
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
import { type QueryRequest, type Route, writeValue } from "./route.ts";
import { talliesOf } from "./tallies.ts";

function contractOf({ index, params }: QueryRequest): ContractState | undefined {
  return index.contracts.get(contractParam(params["address"]!));
}

/** A route about one contract; answers 204 when there is no such contract. */
const ofContract =
  (
    answer: (request: QueryRequest, contract: ContractState) => ReturnType<Route["answer"]>,
  ): Route["answer"] =>
  (request) => {
    const contract = contractOf(request);
    return contract === undefined ? undefined : answer(request, contract);
  };

/** Reads a contract's code or storage at the `level` of the query, by default at the head. */
function context({ layer1, query }: QueryRequest, address: string, part: string): Promise<unknown> {
  const level = wholeNumber(query, "level", 0, 2 ** 31 - 1);
  return layer1(`/chains/main/blocks/${level === 0 ? "head" : level}/context/contracts/${address}/${part}`);
}

async function storageText(
  request: QueryRequest,
  { address, script }: ContractState,
): Promise<string | undefined> {
  const path = jsonPath(request.query.get("path") ?? "", "path");
  const storage = parseMicheline(await context(request, address, "storage"));
  if (storage === undefined) return undefined;
  const value = new ShownValue(script.storage, storage);
  if (path.length === 0) return writeValue(request, value);
  const [found] = valuesAt(new RowValues(request.work).human(value), path);
  return found === undefined ? undefined : writeValue(request, found);
}

async function storageHistory(request: QueryRequest, { address }: ContractState): Promise<string> {
  const limit = wholeNumber(request.query, "limit", 10, 1_000);
  const lastId = wholeNumber(request.query, "lastId", 0);
  const found: OperationRow[] = [];
  for (const row of request.index.operations.newestFirst()) {
    if (found.length >= limit) break;
    if (request.work.isDue) await request.work.turn();
    const isOwn = row.target?.address === address || row.originatedContract?.address === address;
    if (isOwn && row["storage"] instanceof ShownValue && (lastId === 0 || row.id < lastId)) found.push(row);
  }
  return writeValue(request, found.map(storageRow));
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

function entrypointRow(request: QueryRequest, { script }: ContractState, name: string): object {
  const type = script.entrypoints.get(name)!;
  return {
    name,
    ...(truth(request.query, "json", true) && { jsonParameters: typeJson(type) }),
    ...(truth(request.query, "micheline", false) && { michelineParameters: type.micheline }),
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

/** Balances that one answer requests concurrently. */
const AT_ONCE = 16;

/** Reads balances from layer 1 for the first rows only; `accounts/{address}` has the others. */
async function contractsText(request: QueryRequest): Promise<string> {
  const { index, query, layer1, work } = request;
  const page = {
    ...request,
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
    answer: ofContract(async (request, { address }) => {
      const script = (await context(request, address, "script")) as { code?: unknown } | undefined;
      return script && writeValue(request, script.code);
    }),
  },
  { path: "contracts/:address/storage", answer: ofContract(storageText) },
  {
    path: "contracts/:address/storage/raw",
    answer: ofContract(async (request, { address }) => {
      const storage = await context(request, address, "storage");
      return storage === undefined ? undefined : writeValue(request, storage);
    }),
  },
  {
    path: "contracts/:address/storage/schema",
    answer: ofContract((request, { script }) => writeValue(request, typeJson(script.storage))),
  },
  { path: "contracts/:address/storage/history", answer: ofContract(storageHistory) },
  {
    path: "contracts/:address/entrypoints",
    answer: ofContract((request, contract) => {
      const all = truth(request.query, "all", false);
      const names = [...contract.script.entrypoints].filter(([name, type]) => all || isUseful(name, type));
      return writeValue(
        request,
        names.map(([name]) => entrypointRow(request, contract, name)),
      );
    }),
  },
  {
    path: "contracts/:address/entrypoints/:name",
    answer: ofContract((request, contract) => {
      const name = request.params["name"]!;
      return contract.script.entrypoints.has(name)
        ? writeValue(request, entrypointRow(request, contract, name))
        : undefined;
    }),
  },
];
