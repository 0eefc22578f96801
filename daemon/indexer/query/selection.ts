// Selects rows and fields for an answer: `limit`, `offset`, `sort`, `select`.
import { isObject } from "../../tezos/json-fields.ts";
import { type Format, ShownValue } from "../chain/shown-value.ts";
import type { AnswerWriter } from "./answer-writer.ts";
import type { Filter } from "./filters.ts";
import { jsonPath, type Step, valuesAt } from "./json-path.ts";
import { badRequest, limitOf, type Query, wholeNumber } from "./query-values.ts";
import { RowValues } from "./row-values.ts";
import type { Work } from "./turns.ts";

/** Fields per selection. */
const MAX_SELECTED = 64;

/** How to write a list. */
export interface ShownPage<Row> {
  readonly query: Query;
  readonly work: Work;
  readonly writer: AnswerWriter;
  /** The row as in the answer. */
  readonly show: (row: Row) => object;
}

export interface Page<Row> extends ShownPage<Row> {
  readonly filters: readonly Filter<Row>[];
  /** Sort keys by field; `id` is the natural order. */
  readonly sorts: Readonly<Record<string, (row: Row) => number | bigint | string>>;
  /** Number of a row, for `offset.cr`. */
  readonly cursor: (row: Row) => number;
}

/**
 * JSON text of the rows that a query selects.
 * @param rows from the lowest number on
 * @throws SandboxError BAD_REQUEST, QUERY_TOO_SLOW, ANSWER_TOO_LARGE
 */
export async function pageOf<Row>(rows: Iterable<Row>, page: Page<Row>): Promise<string> {
  const chosen = await chosenRows(rows, page);
  return listText(chosen, page);
}

/** JSON text of rows that are already selected. @throws as {@link pageOf} */
export function listText<Row>(
  chosen: readonly Row[],
  { query, work, writer, show }: ShownPage<Row>,
): Promise<string> {
  const format = formatOf(query);
  const selected = selectionOf(query);
  const values = new RowValues(work);
  const write = async (each: (row: Row) => unknown): Promise<string> => {
    writer.text("[");
    for (const [i, row] of chosen.entries()) {
      values.clear();
      if (i > 0) writer.text(",");
      await writer.value(each(row), format);
      if (work.isDue) await work.turn();
    }
    writer.text("]");
    return writer.finish();
  };
  if (selected === undefined) return write(show);
  const { fields, isValues } = selected;
  const fieldsIn = (row: Row): readonly unknown[] => {
    const full = show(row);
    return fields.map(({ path }) => fieldAt(full, path, values) ?? null);
  };
  if (fields.length === 1) return write((row) => fieldsIn(row)[0]);
  if (isValues) return write(fieldsIn);
  return write((row) => {
    const all = fieldsIn(row);
    return Object.fromEntries(fields.map(({ name }, i) => [name, all[i]]));
  });
}

/** The number of rows, as text. @throws SandboxError QUERY_TOO_SLOW */
export async function countOf<Row>(
  rows: Iterable<Row>,
  filters: readonly Filter<Row>[],
  work: Work,
): Promise<string> {
  let count = 0;
  await eachThat(rows, filters, work, () => void count++);
  return String(count);
}

/** A lazy filter. */
export function* where<Row>(rows: Iterable<Row>, accept: (row: Row) => boolean): Generator<Row> {
  for (const row of rows) if (accept(row)) yield row;
}

async function eachThat<Row>(
  rows: Iterable<Row>,
  filters: readonly Filter<Row>[],
  work: Work,
  use: (row: Row) => void,
): Promise<void> {
  const values = new RowValues(work);
  for (const row of rows) {
    if (filters.every((filter) => filter(row, values))) use(row);
    values.clear();
    if (work.isDue) await work.turn();
  }
}

/** The rows that a query selects. @throws SandboxError BAD_REQUEST, QUERY_TOO_SLOW */
export async function chosenRows<Row>(
  rows: Iterable<Row>,
  { query, filters, sorts, cursor, work }: Omit<Page<Row>, "show" | "writer">,
): Promise<readonly Row[]> {
  const limit = limitOf(query);
  const { field, isDescending } = sortOf(query, Object.keys(sorts));
  let found: Row[] = [];
  await eachThat(rows, filters, work, (row) => found.push(row));
  if (field !== "id") {
    const by = sorts[field]!;
    const keyed: { readonly row: Row; readonly key: number | bigint | string }[] = [];
    for (const row of found) {
      keyed.push({ row, key: by(row) }); // compute once: it may parse text
      if (work.isDue) await work.turn();
    }
    keyed.sort((one, other) => compare(one.key, other.key) || cursor(one.row) - cursor(other.row));
    found = keyed.map(({ row }) => row);
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
  // `sort=1` and `sort=Descending` reverse the operations of an account.
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

function fieldAt(row: object, path: readonly Step[], values: RowValues): unknown {
  let value: unknown = row;
  for (const [i, step] of path.entries()) {
    if (value instanceof ShownValue) return valuesAt(values.human(value), path.slice(i))[0];
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
