// Routes: each is a function from path parameters and query to JSON text.
import type { ChainIndex } from "../chain/chain-index.ts";
import type { Format } from "../chain/shown-value.ts";
import type { AnswerWriter } from "../query/answer-writer.ts";
import type { Query } from "../query/query-values.ts";
import type { Work } from "../query/turns.ts";

export interface QueryRequest {
  readonly index: ChainIndex;
  /** Path parameters by their names in the route. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  /** Counts the processor time of the request. */
  readonly work: Work;
  /** Writes answers that may be long. */
  readonly writer: AnswerWriter;
  /** Reads JSON from layer 1; undefined for status 404. */
  readonly layer1: (path: string) => Promise<unknown>;
}

/** JSON text; undefined for not found, which TzKT answers without a body. @throws SandboxError */
export type Answer = (request: QueryRequest) => string | undefined | Promise<string | undefined>;

export interface Route {
  /** Such as `accounts/:address/balance`. */
  readonly path: string;
  readonly answer: Answer;
}

/** The route of a path with its parameters. The first match wins, so fixed segments must come before parameters. */
export function findRoute(
  routes: readonly Route[],
  path: string,
): { readonly route: Route; readonly params: Readonly<Record<string, string>> } | undefined {
  const given = path.split("/").filter((part) => part !== "");
  for (const route of routes) {
    const parts = route.path.split("/");
    if (parts.length !== given.length) continue;
    const params: Record<string, string> = {};
    if (
      parts.every(
        (part, i) => part === given[i] || (part.startsWith(":") && (params[part.slice(1)] = given[i]!)),
      )
    )
      return { route, params };
  }
  return undefined;
}

/** JSON text of a value that may be long. @throws SandboxError ANSWER_TOO_LARGE, QUERY_TOO_SLOW */
export async function writeValue(
  { writer }: Pick<QueryRequest, "writer">,
  value: unknown,
  format: Format = 0,
): Promise<string> {
  await writer.value(value, format);
  return writer.finish();
}
