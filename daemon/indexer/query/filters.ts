// Filters of a query: `level.gt=5`, `sender=tz1…`, `parameter.to.in=["tz1…"]`, `anyof.sender.target=tz1…`. Each list of
// rows declares its fields; unknown parameters are rejected, since an ignored filter gives wrong results.
import { isObject } from "../../tezos/json-fields.ts";
import { jsonPath, type Step, valuesAt } from "./json-path.ts";
import { badRequest, type Query } from "./query-values.ts";
import { plainText, type RowValues } from "./row-values.ts";

/** How values compare. `account`: by address. `json`: by the value at a path. `list`: by membership. */
export type FieldKind = "number" | "amount" | "text" | "time" | "truth" | "account" | "json" | "list";

export interface Field<Row> {
  readonly kind: FieldKind;
  readonly read: (row: Row) => unknown;
}

export type Fields<Row> = Readonly<Record<string, Field<Row>>>;
/** @throws SandboxError QUERY_TOO_SLOW */
export type Filter<Row> = (row: Row, values: RowValues) => boolean;

const MODES = [
  "eq",
  "ne",
  "gt",
  "ge",
  "lt",
  "le",
  "in",
  "ni",
  "as",
  "un",
  "null",
  "any",
  "all",
  "eqx",
  "nex",
] as const;
type Mode = (typeof MODES)[number];
const isMode = (text: string): text is Mode => (MODES as readonly string[]).includes(text);

/** Parameters other than filters. */
const OTHERS = new Set([
  "limit",
  "offset",
  "offset.pg",
  "offset.cr",
  "offset.el",
  "lastId",
  "micheline",
  "quote",
  "legacy",
]);
const OTHER = /^(?:sort(?:\.asc|\.desc)?|select(?:\.fields|\.values)?)$/;

/** Values in `.in` and `.ni`. */
const MAX_VALUES = 1_000;

/**
 * @param alsoKnown parameters that the route reads itself
 * @throws SandboxError BAD_REQUEST
 */
export function filtersOf<Row>(
  query: Query,
  fields: Fields<Row>,
  alsoKnown: readonly string[] = [],
): readonly Filter<Row>[] {
  const filters: Filter<Row>[] = [];
  for (const [name, value] of query) {
    if (OTHERS.has(name) || OTHER.test(name) || alsoKnown.includes(name)) continue;
    filters.push(name.startsWith("anyof.") ? anyOf(name, value, fields) : filterOf(name, value, fields));
  }
  return filters;
}

function anyOf<Row>(name: string, value: string, fields: Fields<Row>): Filter<Row> {
  const parts = name.split(".").slice(1);
  const mode = isMode(parts.at(-1) ?? "") ? `.${parts.pop()}` : "";
  if (parts.length === 0) throw badRequest(name, value, "anyof.<field>.<field>=…");
  const each = parts.map((part) => filterOf(`${part}${mode}`, value, fields));
  return (row, values) => each.some((filter) => filter(row, values));
}

function filterOf<Row>(name: string, value: string, fields: Fields<Row>): Filter<Row> {
  const found = longestField(name, fields);
  if (found === undefined) {
    const known = Object.keys(fields).join(", ");
    throw badRequest(name, value, `a parameter of this list; its fields are ${known}`);
  }
  const { field, rest } = found;
  if (field.kind === "json") return jsonFilter(name, rest, value, field);
  const mode = rest === "" ? "eq" : rest;
  if (!isMode(mode)) throw badRequest(name, value, `one of .${MODES.join(", .")}`);
  return plainFilter(name, mode, value, field, fields);
}

/** Field names may contain dots: `token.contract`. */
function longestField<Row>(
  name: string,
  fields: Fields<Row>,
): { readonly field: Field<Row>; readonly rest: string } | undefined {
  for (let end = name.length; end > 0; end = name.lastIndexOf(".", end - 1)) {
    const head = name.slice(0, end);
    if (Object.hasOwn(fields, head)) return { field: fields[head]!, rest: name.slice(end + 1) };
  }
  // As in `parameter[0].to`.
  const bracket = name.indexOf("[");
  const head = bracket < 0 ? "" : name.slice(0, bracket);
  return Object.hasOwn(fields, head) ? { field: fields[head]!, rest: name.slice(bracket) } : undefined;
}

const addressOf = (value: unknown): string | undefined =>
  plainText(isObject(value) ? value["address"] : value);

function plainFilter<Row>(
  name: string,
  mode: Mode,
  value: string,
  field: Field<Row>,
  fields: Fields<Row>,
): Filter<Row> {
  const { kind } = field;
  const read = kind === "account" ? (row: Row) => addressOf(field.read(row)) : field.read;
  if (mode === "null") {
    const isNull = truthOf(name, value);
    return (row) => (read(row) === undefined || read(row) === null) === isNull;
  }
  if (mode === "eqx" || mode === "nex") {
    const other = Object.hasOwn(fields, value) ? fields[value]! : undefined;
    if (other?.kind !== kind) throw badRequest(name, value, "another field of the same kind");
    const same = (row: Row, values: RowValues): boolean =>
      values.text(read(row)) ===
      (kind === "account" ? addressOf(other.read(row)) : values.text(other.read(row)));
    return mode === "eqx" ? same : (row, values) => !same(row, values);
  }
  if (kind === "list") return listFilter(name, mode, value, read);
  switch (mode) {
    case "in":
    case "ni": {
      const values = new Set(
        value.split(",", MAX_VALUES + 1).map((each) => plainText(operand(name, each.trim(), kind))),
      );
      if (values.size > MAX_VALUES) throw badRequest(name, `${values.size} values`, `at most ${MAX_VALUES}`);
      return (row) => values.has(plainText(comparable(read(row), kind))) === (mode === "in");
    }
    case "as":
    case "un": {
      const matches = pattern(value);
      return (row) => matches(plainText(read(row)) ?? "") === (mode === "as");
    }
    case "any":
    case "all":
      throw badRequest(name, value, "a field that is a list");
    default: {
      const wanted = operand(name, value, kind);
      return (row) => compares(comparable(read(row), kind), wanted, mode);
    }
  }
}

function listFilter<Row>(name: string, mode: Mode, value: string, read: (row: Row) => unknown): Filter<Row> {
  const values = value.split(",", MAX_VALUES);
  const has = (row: Row, one: string): boolean => (read(row) as readonly string[]).includes(one);
  switch (mode) {
    case "eq":
      return (row) => (read(row) as readonly string[]).join(",") === value;
    case "any":
    case "in":
      return (row) => values.some((one) => has(row, one));
    case "all":
      return (row) => values.every((one) => has(row, one));
    default:
      throw badRequest(name, value, "one of .eq, .any, .all");
  }
}

function truthOf(name: string, value: string): boolean {
  if (!/^(?:true|false|1|0)?$/.test(value)) throw badRequest(name, value, "true or false");
  return value !== "false" && value !== "0";
}

type Operand = string | number | bigint | boolean;

/** Parses a value of the query for comparison. @throws SandboxError BAD_REQUEST */
function operand(name: string, value: string, kind: FieldKind): Operand {
  switch (kind) {
    case "number":
    case "amount":
      if (!/^-?\d{1,80}$/.test(value)) throw badRequest(name, value, "a whole number");
      return kind === "number" ? Number(value) : BigInt(value);
    case "truth":
      return truthOf(name, value);
    case "time": {
      const time =
        value.length <= 40
          ? Date.parse(/[zZ]|[+-]\d\d:?\d\d$/.test(value) || !value.includes("T") ? value : `${value}Z`)
          : NaN;
      if (Number.isNaN(time)) throw badRequest(name, value, "a time such as 2026-01-31T12:00:00Z");
      return time;
    }
    default:
      return value;
  }
}

function comparable(value: unknown, kind: FieldKind): Operand | undefined {
  if (value === undefined || value === null) return undefined;
  if (kind === "time") return Date.parse(value as string);
  if (kind === "amount") return BigInt(value as string | number | bigint);
  return value as Operand;
}

function compares(value: Operand | undefined, wanted: Operand, mode: Mode): boolean {
  if (mode === "ne") return value !== wanted;
  if (value === undefined) return false;
  switch (mode) {
    case "eq":
      return value === wanted;
    case "gt":
      return value > wanted;
    case "ge":
      return value >= wanted;
    case "lt":
      return value < wanted;
    default:
      return value <= wanted;
  }
}

/** Matches a pattern with `*` wildcards. It searches the pieces in order without backtracking. */
export function pattern(text: string): (value: string) => boolean {
  const parts = text.split(/(?<!\\)\*/).map((part) => part.replaceAll("\\*", "*"));
  const [first = "", ...others] = parts;
  const last = others.pop();
  if (last === undefined) return (value) => value === first;
  return (value) => {
    if (!value.startsWith(first)) return false;
    let at = first.length;
    for (const part of others) {
      const found = value.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
    }
    return value.length - last.length >= at && value.endsWith(last);
  };
}

function jsonFilter<Row>(name: string, rest: string, value: string, field: Field<Row>): Filter<Row> {
  const at = rest.lastIndexOf(".");
  const end = rest.slice(at + 1);
  const mode =
    isMode(end) && end !== "any" && end !== "all" && end !== "eqx" && end !== "nex" ? end : undefined;
  const path: readonly Step[] = jsonPath(mode === undefined ? rest : rest.slice(0, Math.max(0, at)), name);
  const read = (row: Row, values: RowValues): readonly unknown[] =>
    valuesAt(values.human(field.read(row)), path);
  switch (mode ?? "eq") {
    case "null": {
      const isNull = truthOf(name, value);
      return (row, values) => read(row, values).every((found) => found === null) === isNull;
    }
    case "in":
    case "ni": {
      const wanted = new Set(jsonList(name, value).map(textOf));
      return (row, values) =>
        read(row, values).some((found) => wanted.has(values.text(found))) === (mode === "in");
    }
    case "as":
    case "un": {
      const matches = pattern(value);
      return (row, values) =>
        read(row, values).some((found) => matches(values.text(found) ?? "")) === (mode === "as");
    }
    case "eq":
    case "ne": {
      const wanted = textOf(jsonOrText(value));
      return (row, values) =>
        read(row, values).some((found) => values.text(found) === wanted) === ((mode ?? "eq") === "eq");
    }
    default:
      return (row, values) =>
        read(row, values).some((found) => comparesJson(values.text(found), value, mode!));
  }
}

/** Comparable text of a value in the query. */
const textOf = (value: unknown): string | undefined =>
  typeof value === "object" && value !== null ? JSON.stringify(value) : plainText(value);

/** Whole numbers of any size compare as numbers, everything else as text. */
function comparesJson(text: string | undefined, wanted: string, mode: Mode): boolean {
  if (text === undefined) return false;
  const areNumbers = /^-?\d{1,1000}$/.test(text) && /^-?\d{1,1000}$/.test(wanted);
  return areNumbers ? compares(BigInt(text), BigInt(wanted), mode) : compares(text, wanted, mode);
}

function jsonOrText(value: string): unknown {
  if (!/^[{["]/.test(value)) return value === "null" ? null : value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

/** @throws SandboxError BAD_REQUEST */
function jsonList(name: string, value: string): readonly unknown[] {
  const list = value.startsWith("[") ? jsonOrText(value) : value.split(",", MAX_VALUES + 1);
  if (!Array.isArray(list) || list.length > MAX_VALUES)
    throw badRequest(name, value, `a list of at most ${MAX_VALUES} values`);
  return list;
}
