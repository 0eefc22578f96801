// Results of tools for language models. A model pays for all its input, and functions choose how much they write: their
// texts are bounded one by one and together.
import { JsonText } from "./exact-json.ts";

/** Characters of a text. */
const MAX_TEXT = 20_000;
/** Characters of a result, about: five long texts. */
export const MAX_RESULT = 100_000;
/** Counted for each value besides its text: quotation marks, comma, name of a field. */
const PER_VALUE = 8;

export function shorten(text: string, most = MAX_TEXT): string {
  return text.length <= most ? text : `${text.slice(0, most)}… (${text.length - most} more characters)`;
}

/**
 * A result as portable JSON: large numbers and JSON texts as text. What comes first is kept: further texts are truncated,
 * further elements counted. The result's own fields are all there.
 */
export function agentOutput(result: Readonly<Record<string, unknown>>): Record<string, unknown> {
  let left = MAX_RESULT;

  function textOf(value: string): string {
    const shown = shorten(value, Math.max(0, Math.min(MAX_TEXT, left)));
    left -= shown.length;
    return shown;
  }

  function valueOf(value: unknown): unknown {
    left -= PER_VALUE;
    if (typeof value === "bigint") return value.toString();
    if (typeof value === "string") return textOf(value);
    if (value instanceof JsonText) return textOf(value.text);
    if (Array.isArray(value)) return listOf(value);
    return typeof value === "object" && value !== null ? objectOf(value) : value;
  }

  function listOf(values: readonly unknown[]): unknown[] {
    const shown: unknown[] = [];
    for (const value of values) {
      if (left <= 0) return [...shown, `… (${values.length - shown.length} more)`];
      shown.push(valueOf(value));
    }
    return shown;
  }

  function objectOf(value: object): Record<string, unknown> {
    const shown: [string, unknown][] = [];
    const fields = fieldsOf(value);
    for (const [name, field] of fields) {
      if (left <= 0) return Object.fromEntries([...shown, ["…", `${fields.length - shown.length} more`]]);
      left -= name.length;
      shown.push([shorten(name), valueOf(field)]);
    }
    return Object.fromEntries(shown);
  }

  return Object.fromEntries(fieldsOf(result).map(([name, field]) => [name, valueOf(field)]));
}

const fieldsOf = (value: object): [string, unknown][] =>
  Object.entries(value).filter(([, field]) => field !== undefined);
