// Parses JSON of another server. The parser of V8 has no limit of depth: millions of brackets take it seconds and hundreds
// of megabytes.
import { endOfString } from "./json-strings.ts";

/** Twice the depth of the deepest Micheline, whose every level is an object with a list. */
const MAX_JSON_DEPTH = 4_096;
/** Shorter texts are parsed at once, however deep they are. */
const SHORT = 32 * 1024;

/** JSON that nests too deeply. */
export class JsonTooDeep extends SyntaxError {
  constructor() {
    super(`it nests lists and objects more than ${MAX_JSON_DEPTH} deep`);
    this.name = "JsonTooDeep";
  }
}

/** @throws SyntaxError as JSON.parse does, and for deep nesting */
export function parseShallow(text: string): unknown {
  if (text.length > SHORT && isDeep(text)) throw new JsonTooDeep();
  return JSON.parse(text) as unknown;
}

/** One pass that skips strings and ends at the limit. */
function isDeep(text: string): boolean {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case 0x22: // a quote
        i = endOfString(text, i) - 1;
        break;
      case 0x5b:
      case 0x7b:
        if (++depth > MAX_JSON_DEPTH) return true;
        break;
      case 0x5d:
      case 0x7d:
        depth--;
    }
  }
  return false;
}
