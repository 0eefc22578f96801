// Operations: by hash, by kind and by account.
import type { ChainIndex } from "../chain/chain-index.ts";
import type { Alias, OperationRow } from "../chain/index-rows.ts";
import { OPERATION_LISTS } from "../chain/operation-types.ts";
import { type Fields, filtersOf } from "../query/filters.ts";
import { badRequest, type Query } from "../query/query-values.ts";
import { countOf, formatOf, pageOf, where } from "../query/selection.ts";
import { addressParam } from "./addresses.ts";
import { type QueryRequest, type Route, writeValue } from "./route.ts";

const account = (field: string) => ({ kind: "account", read: (row: OperationRow) => row[field] }) as const;
const amount = (field: string) => ({ kind: "amount", read: (row: OperationRow) => row[field] }) as const;
const number = (field: string) => ({ kind: "number", read: (row: OperationRow) => row[field] }) as const;

const FIELDS: Fields<OperationRow> = {
  id: number("id"),
  level: number("level"),
  timestamp: { kind: "time", read: ({ timestamp }) => timestamp },
  hash: { kind: "text", read: ({ hash }) => hash },
  block: { kind: "text", read: ({ block }) => block },
  counter: number("counter"),
  nonce: number("nonce"),
  initiator: account("initiator"),
  sender: account("sender"),
  target: account("target"),
  contract: account("contract"),
  rollup: account("rollup"),
  newDelegate: account("newDelegate"),
  prevDelegate: account("prevDelegate"),
  contractDelegate: account("contractDelegate"),
  contractManager: account("contractManager"),
  originatedContract: account("originatedContract"),
  amount: amount("amount"),
  bakerFee: amount("bakerFee"),
  gasUsed: number("gasUsed"),
  storageUsed: number("storageUsed"),
  senderCodeHash: number("senderCodeHash"),
  targetCodeHash: number("targetCodeHash"),
  codeHash: { kind: "number", read: (row) => row["targetCodeHash"] ?? row["senderCodeHash"] },
  entrypoint: { kind: "text", read: ({ parameter }) => parameter?.entrypoint },
  parameter: { kind: "json", read: ({ parameter }) => parameter?.value },
  status: { kind: "text", read: ({ status }) => status },
  hasInternals: { kind: "truth", read: (row) => row["hasInternals"] },
};

const SORTS = {
  id: ({ id }: OperationRow) => id,
  level: ({ level }: OperationRow) => level,
  ...Object.fromEntries(
    ["gasUsed", "storageUsed", "bakerFee", "storageFee", "allocationFee", "amount", "contractBalance"].map(
      (name) => [name, (row: OperationRow) => BigInt((row[name] as bigint | number | undefined) ?? 0)],
    ),
  ),
};

const HASH = /^o[1-9A-HJ-NP-Za-km-z]{50}$/;

const ofTypes = (index: ChainIndex, types: ReadonlySet<string>): Iterable<OperationRow> =>
  where(index.operations, ({ type }) => types.has(type));

const list = (request: QueryRequest, type: string): Promise<string> =>
  page(ofTypes(request.index, new Set([type])), request, []);

function page(
  rows: Iterable<OperationRow>,
  request: QueryRequest,
  alsoKnown: readonly string[],
): Promise<string> {
  return pageOf(rows, {
    ...request,
    filters: filtersOf(request.query, FIELDS, alsoKnown),
    sorts: SORTS,
    cursor: ({ id }) => id,
    show: (row) => row,
  });
}

/** Operations with a hash, optionally narrowed by type, counter and nonce. */
function byHash({ index, params }: QueryRequest, type?: string): readonly OperationRow[] {
  const { hash = "", counter, nonce } = params;
  if (!HASH.test(hash)) throw badRequest("the path", hash, "the hash of an operation (o…)");
  const found: OperationRow[] = [];
  for (const row of index.operations)
    if (
      row.hash === hash &&
      (type === undefined || row.type === type) &&
      (counter === undefined || row.counter === Number(counter)) &&
      (nonce === undefined || row.nonce === Number(nonce))
    )
      found.push(row);
  return found;
}

const rowsText = (request: QueryRequest, rows: readonly OperationRow[]): Promise<string> =>
  writeValue(request, rows, formatOf(request.query));

/** Whether all contents of an operation were applied; undefined for an unknown one. */
function statusText(request: QueryRequest, type?: string): string | undefined {
  const rows = byHash(request, type);
  return rows.length === 0 ? undefined : String(rows.every(({ status }) => status === "applied"));
}

const PARTIES = [
  "sender",
  "target",
  "initiator",
  "newDelegate",
  "contractDelegate",
  "originatedContract",
  "contract",
  "rollup",
] as const;

/** Whether an operation involves an account. */
export const concerns = (row: OperationRow, address: string): boolean =>
  PARTIES.some((field) => (row[field] as Alias | undefined)?.address === address);

/** Operation types in the parameter `type`; undefined for all. @throws SandboxError BAD_REQUEST */
function typesOf(query: Query): ReadonlySet<string> | undefined {
  const text = query.get("type");
  return text === undefined || text === ""
    ? undefined
    : new Set(text.split(",", 64).map((type) => type.trim()));
}

function accountOperations(request: QueryRequest): Promise<string> {
  const { index, params, query } = request;
  const address = addressParam(params["address"]!);
  const types = typesOf(query);
  const rows = where(
    index.operations,
    (row) => concerns(row, address) && (types === undefined || types.has(row.type)),
  );
  // This route lists the newest first unless the query says otherwise.
  const order = query.get("sort") ?? "1";
  return page(rows, { ...request, query: new Map(query).set("sort", order) }, ["type"]);
}

const listRoutes = [...OPERATION_LISTS].flatMap(([name, type]): readonly Route[] => [
  { path: `operations/${name}`, answer: (request) => list(request, type) },
  {
    path: `operations/${name}/count`,
    answer: ({ index, query, work }) =>
      countOf(ofTypes(index, new Set([type])), filtersOf(query, FIELDS), work),
  },
  { path: `operations/${name}/:hash`, answer: (request) => rowsText(request, byHash(request, type)) },
  { path: `operations/${name}/:hash/status`, answer: (request) => statusText(request, type) },
  {
    path: `operations/${name}/:hash/:counter`,
    answer: (request) => rowsText(request, byHash(request, type)),
  },
  {
    path: `operations/${name}/:hash/:counter/:nonce`,
    answer: (request) => rowsText(request, byHash(request, type)),
  },
]);

export const OPERATION_ROUTES: readonly Route[] = [
  ...listRoutes,
  { path: "accounts/:address/operations", answer: accountOperations },
  { path: "operations/:hash", answer: (request) => rowsText(request, byHash(request)) },
  { path: "operations/:hash/status", answer: (request) => statusText(request) },
  { path: "operations/:hash/:counter", answer: (request) => rowsText(request, byHash(request)) },
  { path: "operations/:hash/:counter/:nonce", answer: (request) => rowsText(request, byHash(request)) },
];
