// Big maps, their keys and updates; by number, or by their name in a contract's storage.
import { SandboxError } from "../../protocol/errors.ts";
import type { ChainIndex } from "../chain/chain-index.ts";
import type { BigMapKeyRow, BigMapState, BigMapUpdateRow } from "../chain/index-rows.ts";
import { typeJson } from "../human/type-json.ts";
import { type Fields, filtersOf } from "../query/filters.ts";
import { badRequest } from "../query/query-values.ts";
import { RowValues } from "../query/row-values.ts";
import { countOf, formatOf, pageOf, where } from "../query/selection.ts";
import { contractParam } from "./addresses.ts";
import { type QueryRequest, type Route, writeValue } from "./route.ts";

function mapRow(map: BigMapState): object {
  const { ptr, contract, path, tags, active, firstLevel, lastLevel, activeKeys, updates } = map;
  return {
    ptr,
    contract,
    path,
    ...(tags.length > 0 && { tags }),
    active,
    firstLevel,
    lastLevel,
    totalKeys: map.keys.size,
    activeKeys,
    updates,
    keyType: typeJson(map.keyType),
    valueType: typeJson(map.valueType),
  };
}

const MAPS: Fields<BigMapState> = {
  ptr: { kind: "number", read: ({ ptr }) => ptr },
  contract: { kind: "account", read: ({ contract }) => contract },
  path: { kind: "text", read: ({ path }) => path },
  tags: { kind: "list", read: ({ tags }) => tags },
  active: { kind: "truth", read: ({ active }) => active },
  firstLevel: { kind: "number", read: ({ firstLevel }) => firstLevel },
  lastLevel: { kind: "number", read: ({ lastLevel }) => lastLevel },
};

const KEYS: Fields<BigMapKeyRow> = {
  id: { kind: "number", read: ({ id }) => id },
  active: { kind: "truth", read: ({ active }) => active },
  hash: { kind: "text", read: ({ hash }) => hash },
  key: { kind: "json", read: ({ key }) => key },
  value: { kind: "json", read: ({ value }) => value },
  firstLevel: { kind: "number", read: ({ firstLevel }) => firstLevel },
  lastLevel: { kind: "number", read: ({ lastLevel }) => lastLevel },
  updates: { kind: "number", read: ({ updates }) => updates },
};

const updateFields = (index: ChainIndex): Fields<BigMapUpdateRow> => ({
  id: { kind: "number", read: ({ id }) => id },
  level: { kind: "number", read: ({ level }) => level },
  timestamp: { kind: "time", read: ({ timestamp }) => timestamp },
  bigmap: { kind: "number", read: ({ bigmap }) => bigmap },
  contract: { kind: "account", read: ({ contract }) => contract },
  path: { kind: "text", read: ({ path }) => path },
  action: { kind: "text", read: ({ action }) => action },
  tags: { kind: "list", read: ({ bigmap }) => index.bigMaps.get(bigmap)?.tags ?? [] },
  value: { kind: "json", read: ({ content }) => content?.value },
  key: { kind: "json", read: ({ content }) => content?.key },
});

const byNumber = ({ index, params }: QueryRequest): BigMapState | undefined => {
  const id = params["id"]!;
  if (!/^\d{1,15}$/.test(id)) throw badRequest("the path", id, "the number of a big map");
  return index.bigMaps.get(Number(id));
};

/** By its whole path, or by the last segment where that is unique in the contract. */
function byName({ index, params }: QueryRequest): BigMapState | undefined {
  const contract = contractParam(params["address"]!);
  const name = params["name"]!;
  const own = [...index.bigMaps.values()].filter((map) => map.contract.address === contract && map.active);
  const exact = own.findLast(({ path }) => path === name);
  if (exact) return exact;
  const byEnd = own.filter(({ path }) => path.slice(path.lastIndexOf(".") + 1) === name);
  return byEnd.length === 1 ? byEnd[0] : undefined;
}

const KEY_SORTS = {
  id: ({ id }: BigMapKeyRow) => id,
  firstLevel: ({ firstLevel }: BigMapKeyRow) => firstLevel,
  lastLevel: ({ lastLevel }: BigMapKeyRow) => lastLevel,
  updates: ({ updates }: BigMapKeyRow) => updates,
};

/** @throws SandboxError HISTORY_FORGOTTEN when keys were dropped */
function knownKeys(map: BigMapState | undefined): Iterable<BigMapKeyRow> {
  if (map?.hasForgotten === true) throw forgotten(map);
  return map?.keys.values() ?? [];
}

const forgotten = ({ ptr }: BigMapState): SandboxError =>
  new SandboxError("HISTORY_FORGOTTEN", {
    what: `Keys of the big map ${ptr}`,
    next: `Ask layer 1: \`/chains/main/blocks/head/context/big_maps/${ptr}/<hash of a key>\`.`,
  });

async function keysText(request: QueryRequest, map: BigMapState | undefined): Promise<string> {
  const { query, work } = request;
  const rows: BigMapKeyRow[] = [];
  for (const row of knownKeys(map)) {
    rows.push(row);
    if (work.isDue) await work.turn();
  }
  rows.sort((one, other) => one.id - other.id);
  return pageOf(rows, {
    ...request,
    filters: filtersOf(query, KEYS),
    sorts: KEY_SORTS,
    cursor: ({ id }) => id,
    show: (row) => row,
  });
}

/** A key by its hash, its text, or its JSON. */
async function findKey(
  { work }: QueryRequest,
  map: BigMapState | undefined,
  key: string,
): Promise<BigMapKeyRow | undefined> {
  const hashed = map?.keys.get(key);
  if (map === undefined || hashed !== undefined) return hashed;
  const wanted = jsonText(key);
  const values = new RowValues(work);
  for (const row of knownKeys(map)) {
    const human = values.human(row.key);
    const text = typeof human === "string" ? JSON.stringify(human) : values.text(human);
    values.clear();
    if (human === key || text === wanted) return row;
    if (work.isDue) await work.turn();
  }
  return undefined;
}

function jsonText(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text; // plain text
  }
}

async function keyText(request: QueryRequest, map: BigMapState | undefined): Promise<string | undefined> {
  const row = await findKey(request, map, request.params["key"]!);
  return row && writeValue(request, row, formatOf(request.query));
}

async function keyUpdates(request: QueryRequest, map: BigMapState | undefined): Promise<string> {
  const row = await findKey(request, map, request.params["key"]!);
  const rows = where(
    request.index.bigMapUpdates,
    ({ bigmap, content }) => bigmap === map?.ptr && row !== undefined && content?.hash === row.hash,
  );
  return pageOf(rows, {
    ...request,
    filters: [],
    sorts: { id: ({ id }) => id },
    cursor: ({ id }) => id,
    show: ({ id, level, timestamp, action, content }) => ({
      id,
      level,
      timestamp,
      action,
      value: content!.value,
    }),
  });
}

const updatesText = (request: QueryRequest): Promise<string> =>
  pageOf(request.index.bigMapUpdates, {
    ...request,
    filters: filtersOf(request.query, updateFields(request.index)),
    sorts: { id: ({ id }) => id, level: ({ level }) => level, ptr: ({ bigmap }) => bigmap },
    cursor: ({ id }) => id,
    show: (row) => row,
  });

const mapsText = (request: QueryRequest, maps: Iterable<BigMapState>): Promise<string> =>
  pageOf(maps, {
    ...request,
    filters: filtersOf(request.query, MAPS),
    sorts: {
      id: ({ ptr }) => ptr,
      ptr: ({ ptr }) => ptr,
      firstLevel: ({ firstLevel }) => firstLevel,
      lastLevel: ({ lastLevel }) => lastLevel,
      totalKeys: ({ keys }) => keys.size,
      activeKeys: ({ activeKeys }) => activeKeys,
      updates: ({ updates }) => updates,
    },
    cursor: ({ ptr }) => ptr,
    show: mapRow,
  });

const mapText = (request: QueryRequest, map: BigMapState | undefined): Promise<string> | undefined =>
  map && writeValue(request, mapRow(map));

export const BIG_MAP_ROUTES: readonly Route[] = [
  { path: "bigmaps", answer: (request) => mapsText(request, request.index.bigMaps.values()) },
  {
    path: "bigmaps/count",
    answer: ({ index, query, work }) => countOf(index.bigMaps.values(), filtersOf(query, MAPS), work),
  },
  { path: "bigmaps/updates", answer: updatesText },
  {
    path: "bigmaps/updates/count",
    answer: ({ index, query, work }) =>
      countOf(index.bigMapUpdates, filtersOf(query, updateFields(index)), work),
  },
  { path: "bigmaps/:id", answer: (request) => mapText(request, byNumber(request)) },
  { path: "bigmaps/:id/keys", answer: (request) => keysText(request, byNumber(request)) },
  { path: "bigmaps/:id/keys/:key", answer: (request) => keyText(request, byNumber(request)) },
  { path: "bigmaps/:id/keys/:key/updates", answer: (request) => keyUpdates(request, byNumber(request)) },
  {
    path: "contracts/:address/bigmaps",
    answer: (request) => {
      const contract = contractParam(request.params["address"]!);
      return mapsText(
        request,
        where(request.index.bigMaps.values(), (map) => map.contract.address === contract),
      );
    },
  },
  { path: "contracts/:address/bigmaps/:name", answer: (request) => mapText(request, byName(request)) },
  { path: "contracts/:address/bigmaps/:name/keys", answer: (request) => keysText(request, byName(request)) },
  {
    path: "contracts/:address/bigmaps/:name/keys/:key",
    answer: (request) => keyText(request, byName(request)),
  },
  {
    path: "contracts/:address/bigmaps/:name/keys/:key/updates",
    answer: (request) => keyUpdates(request, byName(request)),
  },
];
