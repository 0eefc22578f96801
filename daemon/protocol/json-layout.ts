// The white space of JSON text, without reading its values: numbers beyond a double, `1.0` and names given twice stay as
// they were written.
import { endOfString } from "../tezos/json-strings.ts";

/** Deeper text is left as it is: its indentation would be far larger than itself. */
const MAX_DEPTH = 100;

/** Whether `text` is JSON. */
export function isJsonText(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** JSON text on one line, without white space between its parts. @param text correct JSON */
export function compactJson(text: string): string {
  let result = "";
  for (const part of partsOf(text)) result += part;
  return result;
}

/** JSON text indented by two spaces, laid out as JSON.stringify does. @param text correct JSON */
export function indentJson(text: string): string {
  let result = "";
  let depth = 0;
  let before = "";
  const newLine = (): string => `\n${"  ".repeat(depth)}`;
  for (const part of partsOf(text)) {
    const opened = before === "[" || before === "{";
    if (part === "]" || part === "}") {
      depth--;
      result += opened ? part : newLine() + part;
    } else {
      if (opened || before === ",") result += newLine();
      result += part === ":" ? ": " : part;
      if ((part === "[" || part === "{") && ++depth > MAX_DEPTH) return text;
    }
    before = part;
  }
  return result;
}

/** Brackets, commas, colons, strings and other values, in their order. */
function* partsOf(text: string): Generator<string> {
  const part = /[[\]{},:"]|[^\s[\]{},:"]+/g;
  for (let found = part.exec(text); found; found = part.exec(text)) {
    if (found[0] !== '"') {
      yield found[0];
      continue;
    }
    part.lastIndex = endOfString(text, found.index);
    yield text.slice(found.index, part.lastIndex);
  }
}
