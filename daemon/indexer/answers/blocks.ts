// The head and the blocks.
import { stringifyExact } from "../../protocol/exact-json.ts";
import type { ChainIndex } from "../chain/chain-index.ts";
import type { BlockRow, OperationRow } from "../chain/index-rows.ts";
import { OPERATION_LISTS } from "../chain/operation-types.ts";
import type { Fields } from "../query/filters.ts";
import { filtersOf } from "../query/filters.ts";
import { badRequest, truth } from "../query/query-values.ts";
import { countOf, formatOf, pageOf } from "../query/selection.ts";
import { type QueryRequest, type Route, writeValue } from "./route.ts";

/** The state of the index, as `head` returns it. */
export function headRow({ head, chain, skipped }: ChainIndex): object {
  return {
    chain: "sandbox",
    chainId: chain?.chainId ?? null,
    cycle: head?.cycle ?? 0,
    level: head?.level ?? 0,
    hash: head?.hash ?? null,
    protocol: chain?.protocol ?? null,
    nextProtocol: chain?.nextProtocol ?? null,
    timestamp: head?.timestamp ?? null,
    votingEpoch: 0,
    votingPeriod: chain?.votingPeriod ?? 0,
    knownLevel: head?.level ?? 0,
    lastSync: head?.timestamp ?? null,
    synced: true,
    // Our extension: blocks whose operations could not be read.
    ...(skipped.size > 0 && { skippedLevels: [...skipped] }),
    quoteLevel: 0,
    quoteBtc: 0,
    quoteEur: 0,
    quoteUsd: 0,
    quoteCny: 0,
    quoteJpy: 0,
    quoteKrw: 0,
    quoteEth: 0,
    quoteGbp: 0,
  };
}

const FIELDS: Fields<BlockRow> = {
  level: { kind: "number", read: ({ level }) => level },
  timestamp: { kind: "time", read: ({ timestamp }) => timestamp },
  proposer: { kind: "account", read: ({ proposer }) => proposer },
  producer: { kind: "account", read: ({ producer }) => producer },
  hash: { kind: "text", read: ({ hash }) => hash },
  blockRound: { kind: "number", read: ({ blockRound }) => blockRound },
};

const SORTS = {
  id: ({ level }: BlockRow) => level,
  level: ({ level }: BlockRow) => level,
  fees: ({ fees }: BlockRow) => fees,
};

function blockText(request: QueryRequest, row: BlockRow | undefined): Promise<string> | string | undefined {
  const { index, query } = request;
  if (row === undefined) return undefined;
  if (!truth(query, "operations", false)) return stringifyExact(row);
  const lists: Record<string, object[]> = {};
  const own = operationsOf(index, row.level);
  for (const [list, type] of OPERATION_LISTS) {
    const name = list.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
    if (list === "update_consensus_key") continue;
    lists[name] = own.filter((each) => each.type === type);
  }
  return writeValue(request, { ...row, ...lists }, formatOf(query));
}

function operationsOf(index: ChainIndex, level: number): readonly OperationRow[] {
  const found: OperationRow[] = [];
  for (const row of index.operations) {
    if (row.level > level) break;
    if (row.level === level) found.push(row);
  }
  return found;
}

/** A block by level or hash, or the last one before a time. */
function findBlock(index: ChainIndex, id: string): BlockRow | undefined {
  const isLevel = /^\d{1,10}$/.test(id);
  if (isLevel || /^B[1-9A-HJ-NP-Za-km-z]{50}$/.test(id)) {
    for (const row of index.blocks) if (isLevel ? row.level === Number(id) : row.hash === id) return row;
    return undefined;
  }
  const time = id.length <= 40 ? Date.parse(id) : NaN;
  if (Number.isNaN(time)) throw badRequest("the block", id, "a level, a hash of a block, or a time");
  for (const row of index.blocks.newestFirst()) if (Date.parse(row.timestamp) <= time) return row;
  return undefined;
}

export const BLOCK_ROUTES: readonly Route[] = [
  { path: "head", answer: ({ index }) => JSON.stringify(headRow(index)) },
  {
    path: "blocks/count",
    answer: ({ index, query, work }) => countOf(index.blocks, filtersOf(query, FIELDS), work),
  },
  {
    path: "blocks",
    answer: (request) =>
      pageOf(request.index.blocks, {
        ...request,
        filters: filtersOf(request.query, FIELDS),
        sorts: SORTS,
        cursor: ({ level }) => level,
        show: (row) => row,
      }),
  },
  {
    path: "blocks/:id",
    answer: (request) => blockText(request, findBlock(request.index, request.params["id"]!)),
  },
  {
    path: "blocks/:id/timestamp",
    answer: ({ index, params }) => {
      const found = findBlock(index, params["id"]!);
      return found && JSON.stringify(found.timestamp);
    },
  },
  {
    path: "blocks/:id/level",
    answer: ({ index, params }) => {
      const found = findBlock(index, params["id"]!);
      return found && String(found.level);
    },
  },
];
