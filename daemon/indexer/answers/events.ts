// Events that contracts emit.
import type { EventRow } from "../chain/index-rows.ts";
import { type Fields, filtersOf } from "../query/filters.ts";
import { countOf, pageOf } from "../query/selection.ts";
import type { Route } from "./route.ts";

const FIELDS: Fields<EventRow> = {
  id: { kind: "number", read: ({ id }) => id },
  level: { kind: "number", read: ({ level }) => level },
  timestamp: { kind: "time", read: ({ timestamp }) => timestamp },
  contract: { kind: "account", read: ({ contract }) => contract },
  codeHash: { kind: "number", read: ({ codeHash }) => codeHash },
  tag: { kind: "text", read: ({ tag }) => tag },
  payload: { kind: "json", read: ({ payload }) => payload },
  transactionId: { kind: "number", read: ({ transactionId }) => transactionId },
};

/** An event as lists show it: type and raw payload only on demand. */
export const eventRow = ({ type: _type, ...row }: EventRow): object => row;

export const EVENT_ROUTES: readonly Route[] = [
  {
    path: "contracts/events",
    answer: (request) =>
      pageOf(request.index.events, {
        ...request,
        filters: filtersOf(request.query, FIELDS),
        sorts: { id: ({ id }) => id, level: ({ level }) => level },
        cursor: ({ id }) => id,
        show: request.query.has("select")
          ? (row) => ({ ...row, type: row.type?.node ?? null, rawPayload: row.payload?.node ?? null })
          : eventRow,
      }),
  },
  {
    path: "contracts/events/count",
    answer: ({ index, query, work }) => countOf(index.events, filtersOf(query, FIELDS), work),
  },
];
