// JSON with integers beyond 2^53. The runtime's wire format has 64-bit amounts as JSON numbers, which must be read and
// written exactly. Ordinary bodies take the fast built-in path.

import { randomUUID } from "node:crypto";
import { endOfString } from "../tezos/json-strings.ts";
import { parseShallow } from "../tezos/shallow-json.ts";

// Node 20 has neither JSON.rawJSON nor source text access in revivers, hence the marker. It is random per process, so
// that no string of a guest or client can imitate it.
const MARK = `bigint:${randomUUID()}:`;
const MARKED = new RegExp(`"${MARK}(-?\\d+)"`, "g");

/** A value of {@link stringifyExact} that is JSON text already, and is written as it is. */
export class JsonText {
  readonly text: string;

  /** @param text correct JSON */
  constructor(text: string) {
    this.text = text;
  }
}

const TEXT_MARK = `json:${randomUUID()}:`;
const MARKED_TEXT = new RegExp(`"${TEXT_MARK}(\\d+)"`, "g");

/**
 * JSON text in which `bigint` values are written as plain numbers, and JSON text as it is; indented by `indent` spaces if
 * given.
 */
export function stringifyExact(value: unknown, indent?: number): string {
  let marked = false;
  const texts: string[] = [];
  const text = JSON.stringify(
    value,
    (_key, item: unknown) => {
      if (item instanceof JsonText) return `${TEXT_MARK}${texts.push(item.text) - 1}`;
      if (typeof item !== "bigint") return item;
      if (item >= BigInt(Number.MIN_SAFE_INTEGER) && item <= BigInt(Number.MAX_SAFE_INTEGER))
        return Number(item);
      marked = true;
      return `${MARK}${item}`;
    },
    indent,
  );
  const numbers = marked ? text.replace(MARKED, "$1") : text;
  return texts.length === 0
    ? numbers
    : numbers.replace(MARKED_TEXT, (_found, index: string) => texts[Number(index)]!);
}

/** Limits on elements of a text that cost far more memory or time than their characters. */
export interface JsonLimits {
  /** Integers of 16 digits and more. */
  readonly longIntegers: number;
  /** Lists and objects. */
  readonly containers: number;
  /** Names in all objects together. */
  readonly members: number;
}

/**
 * Parses JSON; integers too large for a double become `bigint`, all others `number`.
 * @throws SyntaxError as JSON.parse does, or when a limit is exceeded
 */
export function parseExact(text: string, limits?: JsonLimits): unknown {
  const marked = withMarks(text, limits);
  const plain = parseShallow(text); // first, because a mark would turn a number into a valid key
  if (marked === undefined) return plain;
  try {
    return JSON.parse(marked, (_key, item: unknown) => {
      if (typeof item !== "string" || !item.startsWith(MARK)) return item;
      const integer = BigInt(item.slice(MARK.length));
      const number = Number(integer);
      return Number.isSafeInteger(number) ? number : integer;
    });
  } catch (error) {
    // Revivers are recursive, unlike the parser.
    if (error instanceof RangeError) throw new SyntaxError("JSON nested too deeply", { cause: error });
    throw error;
  }
}

/** No amount is longer. Longer integers stay doubles, for parsing a million digits as bigint takes minutes. */
const MAX_DIGITS = 40;

/** What precedes a number, and the digits of a long integer. A string may contain the same. */
const MAYBE_LONG = /(?:^|[:,[\s])-?[1-9]\d{15}/;

/**
 * Puts integers of 16 or more digits into marked strings for the reviver; undefined when there are none. Matches whole
 * numbers, so that the digits of a fraction do not count as an integer.
 */
function withMarks(text: string, limits?: JsonLimits): string | undefined {
  // Each takes at least two characters, so short texts need no count.
  const mustCount = limits !== undefined && text.length > 2 * Math.min(limits.containers, limits.members);
  if (!mustCount && !MAYBE_LONG.test(text)) return undefined;
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
