// JSON with integers beyond 2^53. The runtime's wire format has 64-bit amounts as JSON numbers; they must be
// read and written exactly. Ordinary bodies take the fast built-in path.

import { randomUUID } from "node:crypto";
import { endOfString } from "./json-strings.ts";

// Node 20 has neither JSON.rawJSON nor source text access in revivers, hence the marker. It is random for
// each process, so that no string of a guest or client can pass for one of ours.
const MARK = `bigint:${randomUUID()}:`;
const MARKED = new RegExp(`"${MARK}(-?\\d+)"`, "g");

/** JSON text in which `bigint` values are written as plain numbers; indented by `indent` spaces if given. */
export function stringifyExact(value: unknown, indent?: number): string {
  let marked = false;
  const text = JSON.stringify(
    value,
    (_key, item: unknown) => {
      if (typeof item !== "bigint") return item;
      if (item >= BigInt(Number.MIN_SAFE_INTEGER) && item <= BigInt(Number.MAX_SAFE_INTEGER))
        return Number(item);
      marked = true;
      return `${MARK}${item}`;
    },
    indent,
  );
  return marked ? text.replace(MARKED, "$1") : text;
}

/** What a text may have of things that cost far more memory or time than their characters. */
export interface JsonLimits {
  /** Integers of 16 digits and more. */
  readonly longIntegers: number;
  /** Lists and objects. */
  readonly containers: number;
  /** Names in objects, of all together. */
  readonly members: number;
}

/**
 * Parses JSON; integers too large for a double come back as `bigint`, all others as `number`.
 * @throws SyntaxError as JSON.parse does, or when a limit is passed
 */
export function parseExact(text: string, limits?: JsonLimits): unknown {
  const marked = withMarks(text, limits);
  const plain = JSON.parse(text) as unknown; // first, because a mark would make a number pass for a key
  if (marked === undefined) return plain;
  try {
    return JSON.parse(marked, (_key, item: unknown) => {
      if (typeof item !== "string" || !item.startsWith(MARK)) return item;
      const integer = BigInt(item.slice(MARK.length));
      const number = Number(integer);
      return Number.isSafeInteger(number) ? number : integer;
    });
  } catch (error) {
    // A reviver goes down by recursion, which a parser does not.
    if (error instanceof RangeError)
      throw new SyntaxError("JSON that is nested too deeply", { cause: error });
    throw error;
  }
}

/** No amount is longer; what is stays a double, because to read an integer of a million digits takes minutes. */
const MAX_DIGITS = 40;

/**
 * The text with integers of 16 digits and more in marked strings, where the reviver finds them; undefined when it has
 * none. Numbers are taken whole, so that the digits of a fraction do not pass for an integer.
 */
function withMarks(text: string, limits?: JsonLimits): string | undefined {
  // Each of them takes two characters at least, so short texts need no count.
  const mustCount = limits !== undefined && text.length > 2 * Math.min(limits.containers, limits.members);
  const numbers = mustCount ? /[-\d][\d.eE+-]{15,}|["[{:]/g : /[-\d][\d.eE+-]{15,}|"/g;
  let marked = "";
  let copied = 0;
  let longIntegers = 0;
  let containers = 0;
  let members = 0;
  for (let found = numbers.exec(text); found; found = numbers.exec(text)) {
    const [token] = found;
    if (token === '"') {
      numbers.lastIndex = endOfString(text, found.index);
    } else if (token === ":") {
      if (++members > limits!.members) throw new SyntaxError(`more than ${limits!.members} names in objects`);
    } else if (token === "[" || token === "{") {
      if (++containers > limits!.containers)
        throw new SyntaxError(`more than ${limits!.containers} lists and objects`);
    } else if (token.length <= MAX_DIGITS && /^-?[1-9]\d{15,}$/.test(token)) {
      if (++longIntegers > (limits?.longIntegers ?? Infinity))
        throw new SyntaxError(`more than ${limits!.longIntegers} integers of 16 digits and more`);
      marked += `${text.slice(copied, found.index)}"${MARK}${token}"`;
      copied = numbers.lastIndex;
    }
  }
  return copied === 0 ? undefined : marked + text.slice(copied);
}

/** A JSON value that must be a non-negative integer, as `bigint`; undefined when it is not. */
export function toUnsigned(value: unknown): bigint | undefined {
  if (typeof value === "bigint") return value >= 0n ? value : undefined;
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? BigInt(value) : undefined;
}
