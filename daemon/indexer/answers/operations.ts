// Operations: by their hash, by kind, and those of an account.
import type { ChainIndex } from "../chain/chain-index.ts";
import type { Alias, OperationRow } from "../chain/index-rows.ts";
import { OPERATION_LISTS } from "../chain/operation-types.ts";
import { type Fields, filtersOf } from "../query/filters.ts";
import { badRequest, type Query } from "../query/query-values.ts";
import { countOf, formatOf, pageOf, where } from "../query/selection.ts";
import { addressParam } from "./addresses.ts";
import { type Asked, type Route, written } from "./route.ts";

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

const list = (asked: Asked, type: string): Promise<string> =>
  page(ofTypes(asked.index, new Set([type])), asked, []);

function page(rows: Iterable<OperationRow>, asked: Asked, alsoKnown: readonly string[]): Promise<string> {
  return pageOf(rows, {
    ...asked,
    filters: filtersOf(asked.query, FIELDS, alsoKnown),
    sorts: SORTS,
    cursor: ({ id }) => id,
    show: (row) => row,
  });
}

/** Operations of a hash, of a type if one is given, narrowed by counter and nonce. */
function byHash({ index, params }: Asked, type?: string): readonly OperationRow[] {
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

const rowsText = (asked: Asked, rows: readonly OperationRow[]): Promise<string> =>
  written(asked, rows, formatOf(asked.query));

/** Whether all of an operation was applied; nothing when it is not known. */
function statusText(asked: Asked, type?: string): string | undefined {
  const rows = byHash(asked, type);
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

/** Whether an account takes part in an operation. */
export const concerns = (row: OperationRow, address: string): boolean =>
  PARTIES.some((field) => (row[field] as Alias | undefined)?.address === address);

/** What `type` of a query names: types of operations, all of them by default. @throws SandboxError BAD_REQUEST */
function typesOf(query: Query): ReadonlySet<string> | undefined {
  const text = query.get("type");
  return text === undefined || text === ""
    ? undefined
    : new Set(text.split(",", 64).map((type) => type.trim()));
}

function accountOperations(asked: Asked): Promise<string> {
  const { index, params, query } = asked;
  const address = addressParam(params["address"]!);
  const types = typesOf(query);
  const rows = where(
    index.operations,
    (row) => concerns(row, address) && (types === undefined || types.has(row.type)),
  );
  // Here the newest come first, unless the query turns them around.
  const order = query.get("sort") ?? "1";
  return page(rows, { ...asked, query: new Map(query).set("sort", order) }, ["type"]);
}

const listRoutes = [...OPERATION_LISTS].flatMap(([name, type]): readonly Route[] => [
  { path: `operations/${name}`, answer: (asked) => list(asked, type) },
  {
    path: `operations/${name}/count`,
    answer: ({ index, query, work }) =>
      countOf(ofTypes(index, new Set([type])), filtersOf(query, FIELDS), work),
  },
  { path: `operations/${name}/:hash`, answer: (asked) => rowsText(asked, byHash(asked, type)) },
  { path: `operations/${name}/:hash/status`, answer: (asked) => statusText(asked, type) },
  { path: `operations/${name}/:hash/:counter`, answer: (asked) => rowsText(asked, byHash(asked, type)) },
  {
    path: `operations/${name}/:hash/:counter/:nonce`,
    answer: (asked) => rowsText(asked, byHash(asked, type)),
  },
]);

export const OPERATION_ROUTES: readonly Route[] = [
  ...listRoutes,
  { path: "accounts/:address/operations", answer: accountOperations },
  { path: "operations/:hash", answer: (asked) => rowsText(asked, byHash(asked)) },
  { path: "operations/:hash/status", answer: (asked) => statusText(asked) },
  { path: "operations/:hash/:counter", answer: (asked) => rowsText(asked, byHash(asked)) },
  { path: "operations/:hash/:counter/:nonce", answer: (asked) => rowsText(asked, byHash(asked)) },
];
