// How answers are written here: a function from the parts of the path and the query to text of JSON.
import type { ChainIndex } from "../chain/chain-index.ts";
import type { Format } from "../chain/shown-value.ts";
import type { AnswerWriter } from "../query/answer-writer.ts";
import type { Query } from "../query/query-values.ts";
import type { Work } from "../query/turns.ts";

export interface Asked {
  readonly index: ChainIndex;
  /** Parts of the path, by their names in the route. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  /** Counts the time that the question takes. */
  readonly work: Work;
  /** What long answers are written with. */
  readonly writer: AnswerWriter;
  /** Asks layer 1; undefined when it has no such thing. */
  readonly layer1: (path: string) => Promise<unknown>;
}

/** Text of JSON; undefined where there is nothing, which TzKT answers without a body. @throws SandboxError */
export type Answer = (asked: Asked) => string | undefined | Promise<string | undefined>;

export interface Route {
  /** Such as `accounts/:address/balance`. */
  readonly path: string;
  readonly answer: Answer;
}

/** The route of a path, and the parts of it that have names. Routes with fixed words come before those that take any. */
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

/** Text of a value that may be long. @throws SandboxError ANSWER_TOO_LARGE, QUERY_TOO_SLOW */
export async function written(
  { writer }: Pick<Asked, "writer">,
  value: unknown,
  format: Format = 0,
): Promise<string> {
  await writer.value(value, format);
  return writer.finish();
}
