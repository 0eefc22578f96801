// Decodes untrusted JSON: requests, answers, files, events. Each value is checked before anything uses it; an error names
// the place, what was found there and what was expected.
import { type Micheline, parseMicheline } from "./micheline.ts";
import { parseShallow } from "./shallow-json.ts";

/** JSON of the wrong shape. */
export class MalformedJson extends Error {
  /** Path of the wrong value, such as `contents[0].fee`. */
  readonly at: string;
  readonly expected: string;
  readonly found: unknown;

  constructor(at: string, expected: string, found: unknown) {
    super(`${at}: expected ${expected}, found ${kindIn(found)}`);
    this.name = "MalformedJson";
    this.at = at;
    this.expected = expected;
    this.found = found;
  }
}

/** Describes a value by its kind only: it may be long, and a text may be a mistyped secret. */
function kindIn(found: unknown): string {
  if (found === undefined) return "nothing";
  if (found === null) return "null";
  if (Array.isArray(found)) return `a list of ${found.length}`;
  switch (typeof found) {
    case "string":
      return found === "" ? "an empty text" : "another text";
    case "number":
    case "bigint":
      return "a number";
    case "boolean":
      return String(found);
    default:
      return "an object";
  }
}

export type Fields = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The fields of an object. @throws MalformedJson, as all functions below */
export function fieldsOf(json: unknown, at: string): Fields {
  if (!isObject(json)) throw new MalformedJson(at, "an object", json);
  return json;
}

export function listField(
  value: unknown,
  at: string,
  expected: string,
  { least = 0, most = Infinity }: { readonly least?: number; readonly most?: number } = {},
): readonly unknown[] {
  if (!Array.isArray(value) || value.length < least || value.length > most)
    throw new MalformedJson(at, expected, value);
  return value;
}

/** A list of texts. */
export const textsField = (value: unknown, at: string): readonly string[] =>
  listField(value, at, "a list of texts").map((text, i) => textField(text, `${at}[${i}]`));

/** @param accept whether the text is valid; a type guard also determines the field's type */
export function textField<T extends string>(
  value: unknown,
  at: string,
  expected: string,
  accept: (text: string) => text is T,
): T;
export function textField(
  value: unknown,
  at: string,
  expected?: string,
  accept?: (text: string) => unknown,
): string;
export function textField(
  value: unknown,
  at: string,
  expected = "a text",
  accept: (text: string) => unknown = () => true,
): string {
  if (typeof value !== "string" || !accept(value)) throw new MalformedJson(at, expected, value);
  return value;
}

/** A level of a chain. */
export const levelField = (value: unknown, at: string): number =>
  integerField(value, at, { least: 0, most: 2 ** 31 - 1 }, "a level");

/** A whole number that a double represents exactly. */
export function integerField(
  value: unknown,
  at: string,
  { least, most }: { readonly least: number; readonly most: number },
  expected = `a whole number from ${least} to ${most}`,
): number {
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < least || value > most)
    throw new MalformedJson(at, expected, value);
  return value;
}

export function numberField(value: unknown, at: string): number {
  if (typeof value !== "number") throw new MalformedJson(at, "a number", value);
  return value;
}

export function booleanField(value: unknown, at: string): boolean {
  if (typeof value !== "boolean") throw new MalformedJson(at, "true or false", value);
  return value;
}

/** The field, or undefined when it is absent. */
export const optionalField = <T>(value: unknown, read: (value: unknown) => T): T | undefined =>
  value === undefined ? undefined : read(value);

/** The field, or null. */
export const nullableField = <T>(value: unknown, read: (value: unknown) => T): T | null =>
  value === null ? null : read(value);

export function naturalField(value: unknown, at: string): string {
  // A real node accepts decimal texts only. More digits than any balance has are refused before they cost time.
  return BigInt(
    textField(value, at, "a natural number as text", (text) => /^[0-9]{1,78}$/.test(text)),
  ).toString();
}

export function michelineField(value: unknown, at: string): Micheline {
  const parsed = parseMicheline(value);
  if (parsed === undefined) throw new MalformedJson(at, "a Micheline expression", value);
  return parsed;
}

/**
 * Decodes a JSON text with `read`; undefined when it is not JSON or has another shape. For files that others may have
 * written, where a malformed one counts as absent.
 */
export function tryDecode<T>(text: string, read: (json: unknown) => T): T | undefined {
  try {
    return read(parseShallow(text));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof MalformedJson) return undefined;
    throw error;
  }
}
