// Contracts: their storage as people read it, code, entrypoints, views of their big maps by name.
import { stringifyExact } from "../../protocol/exact-json.ts";
import { parseMicheline } from "../../tezos/micheline.ts";
import { kindOf } from "../chain/apply-block.ts";
import type { ContractState } from "../chain/index-rows.ts";
import { ShownValue } from "../chain/shown-value.ts";
import { isUseful } from "../human/contract-script.ts";
import { typeJson } from "../human/type-json.ts";
import { type Fields, filtersOf } from "../query/filters.ts";
import { jsonPath, valuesAt } from "../query/json-path.ts";
import { truth, wholeNumber } from "../query/query-values.ts";
import { countOf, pageOf } from "../query/selection.ts";
import { contractRow } from "./accounts.ts";
import { contractParam } from "./addresses.ts";
import type { Asked, Route } from "./route.ts";

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
  const { human } = new ShownValue(script.storage, storage);
  if (path.length === 0) return JSON.stringify(human);
  const [found] = valuesAt(human, path);
  return found === undefined ? undefined : JSON.stringify(found);
}

async function storageHistory(asked: Asked, { address }: ContractState): Promise<string> {
  const limit = wholeNumber(asked.query, "limit", 10, 1_000);
  const lastId = wholeNumber(asked.query, "lastId", 0);
  const found: object[] = [];
  for (const row of asked.index.operations.newestFirst()) {
    if (found.length >= limit) break;
    const { storage } = row;
    const isOwn = row.target?.address === address || row.originatedContract?.address === address;
    if (!isOwn || !(storage instanceof ShownValue) || (lastId !== 0 && row.id >= lastId)) continue;
    const { type, id, level, timestamp, hash, counter, nonce, parameter } = row;
    found.push({
      id,
      level,
      timestamp,
      operation: {
        type,
        hash,
        counter,
        ...(nonce !== undefined && { nonce }),
        ...(parameter && {
          parameter: { entrypoint: parameter.entrypoint, value: parameter.value?.human ?? null },
        }),
      },
      value: storage.human,
    });
  }
  return JSON.stringify(found);
}

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

/** The list does not ask layer 1 for each balance where there are many: their rows have those of accounts. */
async function contractsText({ index, query, layer1 }: Asked): Promise<string> {
  const contracts = [...index.contracts.values()];
  const balances = new Map<string, bigint>();
  for (let at = 0; at < Math.min(contracts.length, 256); at += AT_ONCE)
    await Promise.all(
      contracts.slice(at, at + AT_ONCE).map(async ({ address }) => {
        const balance = await layer1(`/chains/main/blocks/head/context/contracts/${address}/balance`);
        if (typeof balance === "string") balances.set(address, BigInt(balance));
      }),
    );
  return pageOf(contracts, {
    query,
    filters: filtersOf(query, FIELDS, ["includeStorage"]),
    sorts: SORTS,
    cursor: ({ id }) => id,
    show: (contract) => contractRow(index, contract, balances.get(contract.address) ?? 0n),
  });
}

export const CONTRACT_ROUTES: readonly Route[] = [
  { path: "contracts", answer: contractsText },
  {
    path: "contracts/count",
    answer: ({ index, query }) => countOf(index.contracts.values(), filtersOf(query, FIELDS)),
  },
  {
    path: "contracts/:address",
    answer: ofContract(async (asked, contract) => {
      const balance = await asked.layer1(
        `/chains/main/blocks/head/context/contracts/${contract.address}/balance`,
      );
      return stringifyExact(
        contractRow(asked.index, contract, BigInt(typeof balance === "string" ? balance : "0")),
      );
    }),
  },
  {
    path: "contracts/:address/code",
    answer: ofContract(async (asked, { address }) => {
      const script = (await context(asked, address, "script")) as { code?: unknown } | undefined;
      return script && JSON.stringify(script.code);
    }),
  },
  { path: "contracts/:address/storage", answer: ofContract(storageText) },
  {
    path: "contracts/:address/storage/raw",
    answer: ofContract(async (asked, { address }) => {
      const storage = await context(asked, address, "storage");
      return storage === undefined ? undefined : JSON.stringify(storage);
    }),
  },
  {
    path: "contracts/:address/storage/schema",
    answer: ofContract((_asked, { script }) => JSON.stringify(typeJson(script.storage))),
  },
  { path: "contracts/:address/storage/history", answer: ofContract(storageHistory) },
  {
    path: "contracts/:address/entrypoints",
    answer: ofContract((asked, contract) => {
      const all = truth(asked.query, "all", false);
      const names = [...contract.script.entrypoints].filter(([name, type]) => all || isUseful(name, type));
      return JSON.stringify(names.map(([name]) => entrypointRow(asked, contract, name)));
    }),
  },
  {
    path: "contracts/:address/entrypoints/:name",
    answer: ofContract((asked, contract) => {
      const name = asked.params["name"]!;
      return contract.script.entrypoints.has(name)
        ? JSON.stringify(entrypointRow(asked, contract, name))
        : undefined;
    }),
  },
];
