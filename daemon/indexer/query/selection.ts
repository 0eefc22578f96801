// Which of the rows an answer has, in which order, and which of their fields: `limit`, `offset`, `sort`, `select`.
import { SandboxError } from "../../protocol/errors.ts";
import { stringifyExact } from "../../protocol/exact-json.ts";
import { isObject } from "../../tezos/json-fields.ts";
import { type Format, ShownValue } from "../chain/shown-value.ts";
import type { Filter } from "./filters.ts";
import { jsonPath, type Step, valuesAt } from "./json-path.ts";
import { badRequest, limitOf, MAX_LIMIT, type Query, wholeNumber } from "./query-values.ts";

/** Characters of one answer. */
const MAX_ANSWER = 8 * 1024 * 1024;
/** Fields of one selection. */
const MAX_SELECTED = 64;

export interface Page<Row> {
  readonly query: Query;
  readonly filters: readonly Filter<Row>[];
  /** How rows are sorted by each field that can be; `id` is the order in which they come. */
  readonly sorts: Readonly<Record<string, (row: Row) => number | bigint | string>>;
  /** Number of a row, for `offset.cr`. */
  readonly cursor: (row: Row) => number;
  /** The row as it is shown. */
  readonly show: (row: Row) => object;
}

/**
 * Text of the list that a query asks for.
 * @param rows from the lowest number on
 * @throws SandboxError BAD_REQUEST
 */
export function pageOf<Row>(rows: Iterable<Row>, page: Page<Row>): string {
  const chosen = chosenRows(rows, page);
  const { query } = page;
  const format = formatOf(query);
  const selected = selectionOf(query);
  if (selected === undefined) return listText(chosen, (row) => shown(page.show(row), format));
  const { fields, isValues } = selected;
  const values = (row: Row): readonly unknown[] => {
    const full = page.show(row);
    return fields.map(({ path }) => shown(fieldAt(full, path), format) ?? null);
  };
  if (fields.length === 1) return listText(chosen, (row) => values(row)[0]);
  if (isValues) return listText(chosen, values);
  return listText(chosen, (row) => {
    const all = values(row);
    return Object.fromEntries(fields.map(({ name }, i) => [name, all[i]]));
  });
}

/** How many rows there are, as text. */
export function countOf<Row>(rows: Iterable<Row>, filters: readonly Filter<Row>[]): string {
  let count = 0;
  for (const row of rows) if (filters.every((filter) => filter(row))) count++;
  return String(count);
}

function chosenRows<Row>(rows: Iterable<Row>, { query, filters, sorts, cursor }: Page<Row>): readonly Row[] {
  const limit = limitOf(query);
  const { field, isDescending } = sortOf(query, Object.keys(sorts));
  let found: Row[] = [];
  for (const row of rows) if (filters.every((filter) => filter(row))) found.push(row);
  if (field !== "id") {
    const by = sorts[field]!;
    found.sort((one, other) => compare(by(one), by(other)) || cursor(one) - cursor(other));
  }
  if (isDescending) found.reverse();
  const after = query.get("offset.cr") ?? query.get("lastId");
  if (after !== undefined && after !== "0") {
    const id = wholeNumber(query, query.has("offset.cr") ? "offset.cr" : "lastId", 0);
    if (field === "id") found = found.filter((row) => (isDescending ? cursor(row) < id : cursor(row) > id));
    else found = found.slice(found.findIndex((row) => cursor(row) === id) + 1);
  }
  const pages = wholeNumber(query, "offset.pg", 0) * limit;
  const skipped = wholeNumber(query, query.has("offset.el") ? "offset.el" : "offset", pages);
  return found.slice(skipped, skipped + limit);
}

const compare = (one: number | bigint | string, other: number | bigint | string): number =>
  one < other ? -1 : one > other ? 1 : 0;

function sortOf(
  query: Query,
  fields: readonly string[],
): { readonly field: string; readonly isDescending: boolean } {
  const descending = query.get("sort.desc");
  const plain = query.get("sort");
  // `sort=1` and `sort=Descending` are how lists of operations of an account are turned around.
  if (plain !== undefined && /^(?:0|1|asc|desc|ascending|descending)$/i.test(plain))
    return { field: "id", isDescending: /^(?:1|desc)/i.test(plain) };
  const field = descending ?? query.get("sort.asc") ?? plain ?? "id";
  if (field !== "id" && !fields.includes(field))
    throw badRequest("sort", field, `one of id, ${fields.join(", ")}`);
  return { field, isDescending: descending !== undefined };
}

interface Selected {
  readonly fields: readonly { readonly name: string; readonly path: readonly Step[] }[];
  readonly isValues: boolean;
}

function selectionOf(query: Query): Selected | undefined {
  const values = query.get("select.values");
  const text = values ?? query.get("select.fields") ?? query.get("select");
  if (text === undefined || text === "") return undefined;
  const names = text.split(",", MAX_SELECTED + 1).map((name) => name.trim());
  if (names.length > MAX_SELECTED) throw badRequest("select", text, `at most ${MAX_SELECTED} fields`);
  const fields = names.map((written) => {
    const [path = "", name] = written.split(/ as /i);
    return { name: (name ?? path).trim(), path: jsonPath(path.trim(), "select") };
  });
  return { fields, isValues: values !== undefined };
}

function fieldAt(row: object, path: readonly Step[]): unknown {
  let value: unknown = row;
  for (const [i, step] of path.entries()) {
    if (value instanceof ShownValue) return valuesAt(value.human, path.slice(i))[0];
    if (!isObject(value) && !Array.isArray(value)) return undefined;
    [value] = valuesAt(value, [step]);
  }
  return value;
}

export function formatOf(query: Query): Format {
  const text = query.get("micheline") ?? "0";
  const names = ["json", "jsonstring", "raw", "rawstring"];
  const format = /^[0-3]$/.test(text) ? Number(text) : names.indexOf(text.toLowerCase());
  if (format < 0) throw badRequest("micheline", text, "0, 1, 2 or 3");
  return format as Format;
}

/** A value with all that is Michelson in it in the format. */
export function shown(value: unknown, format: Format): unknown {
  if (value instanceof ShownValue) return value.in(format);
  if (Array.isArray(value)) return value.map((item) => shown(item, format));
  if (!isObject(value)) return value;
  const object: Record<string, unknown> = {};
  for (const [name, item] of Object.entries(value)) object[name] = shown(item, format);
  return object;
}

/** @throws SandboxError BAD_REQUEST when it would be too long */
function listText<Row>(rows: readonly Row[], show: (row: Row) => unknown): string {
  const parts: string[] = [];
  let length = 0;
  for (const row of rows) {
    const text = stringifyExact(show(row));
    length += text.length + 1;
    if (length > MAX_ANSWER)
      throw new SandboxError("BAD_REQUEST", {
        at: "limit",
        found: `an answer of more than ${MAX_ANSWER} characters`,
        expected: `fewer records than ${Math.min(rows.length, MAX_LIMIT)}, or fewer fields by select`,
      });
    parts.push(text);
  }
  return `[${parts.join(",")}]`;
}
