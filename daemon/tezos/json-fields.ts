// Fields of JSON from outside: each is checked before anything uses it.
import { type Micheline, parseMicheline } from "./micheline.ts";

/** A body that is not the JSON of an operation; `at` is the path to the wrong field. */
export class MalformedJson extends Error {
  constructor(at: string, expected: string) {
    super(`${at}: expected ${expected}`);
    this.name = "MalformedJson";
  }
}

export type Fields = Readonly<Record<string, unknown>>;

export function fieldsOf(json: unknown, at: string): Fields {
  if (typeof json !== "object" || json === null || Array.isArray(json))
    throw new MalformedJson(at, "an object");
  return json as Fields;
}

export function naturalField(value: unknown, at: string): string {
  // A real node takes decimal texts only; more digits than any balance has are refused before they cost time.
  if (typeof value !== "string" || !/^[0-9]{1,78}$/.test(value))
    throw new MalformedJson(at, "a natural number as text");
  return BigInt(value).toString();
}

/** @param accept what the text has to be; as a guard it also gives the type of the field */
export function textField<T extends string>(
  value: unknown,
  at: string,
  expected: string,
  accept: (text: string) => text is T,
): T;
export function textField(
  value: unknown,
  at: string,
  expected: string,
  accept: (text: string) => unknown,
): string;
export function textField(
  value: unknown,
  at: string,
  expected: string,
  accept: (text: string) => unknown,
): string {
  if (typeof value !== "string" || !accept(value)) throw new MalformedJson(at, expected);
  return value;
}

export function michelineField(value: unknown, at: string): Micheline {
  const parsed = parseMicheline(value);
  if (parsed === undefined) throw new MalformedJson(at, "a Micheline expression");
  return parsed;
}
