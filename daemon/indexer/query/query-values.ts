// Parses the query of a request: bounded parameters by name, and readers with precise errors.
import { SandboxError } from "../../protocol/errors.ts";

/** Parameters per request. */
const MAX_PARAMETERS = 64;
/** Characters per name, which may be a path into JSON. */
const MAX_NAME = 256;
/** Records per answer, as in TzKT. */
const MAX_LIMIT = 10_000;
const DEFAULT_LIMIT = 100;

export type Query = ReadonlyMap<string, string>;

export const badRequest = (at: string, found: string, expected: string): SandboxError =>
  new SandboxError("BAD_REQUEST", { at, found: found.slice(0, 100), expected });

/** @param text after the question mark. @throws SandboxError BAD_REQUEST */
export function readQuery(text: string): Query {
  const query = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (name.length > MAX_NAME)
      throw badRequest("the query", `${name.slice(0, 40)}…`, `names of at most ${MAX_NAME} characters`);
    if (query.size >= MAX_PARAMETERS)
      throw badRequest("the query", `more than ${MAX_PARAMETERS} parameters`, "fewer");
    if (query.has(name)) throw badRequest(name, value, "one value: a filter is given once");
    query.set(name, value);
  }
  return query;
}

/** A whole number that is not negative. @throws SandboxError BAD_REQUEST */
export function wholeNumber(
  query: Query,
  name: string,
  fallback: number,
  most = Number.MAX_SAFE_INTEGER,
): number {
  const text = query.get(name);
  if (text === undefined || text === "") return fallback;
  const number = /^\d{1,16}$/.test(text) ? Number(text) : NaN;
  if (!(number <= most)) throw badRequest(name, text, `a whole number from 0 to ${most}`);
  return number;
}

/** @throws SandboxError BAD_REQUEST */
export function truth(query: Query, name: string, fallback: boolean): boolean {
  const text = query.get(name);
  if (text === undefined) return fallback;
  if (!/^(?:true|false|1|0)$/.test(text)) throw badRequest(name, text, "true or false");
  return text === "true" || text === "1";
}

export const limitOf = (query: Query): number => wholeNumber(query, "limit", DEFAULT_LIMIT, MAX_LIMIT);
