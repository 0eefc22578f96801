// Messages from the guest to the host: a list of texts, numbers and headers, as JSON. A function can replace everything
// on its side, so the input is untrusted: depth and number of headers are limited, and slow work is charged before it
// is done.
import { GuestError } from "./guest-error.ts";

export type Headers = [string, string][];
export type Part = string | number | null | Headers;

/** Headers of one message, far more than any client or server accepts. */
const MAX_HEADERS = 32_768;
const MAX_PARTS = 8;
/** Texts of a message, and characters of those with escapes, that are free of charge. */
const FREE_TEXTS = 64;
const FREE_ESCAPED = 1_024;
/** Gas for each text beyond them. */
const PER_TEXT = 80;
const PER_ESCAPED = 6;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN = 0x5b;
const CLOSE = 0x5d;
const PRIMITIVE = /(?:-?\d{1,15}(?:\.\d{1,6})?|null|true|false)(?=[,\]])/y;

const malformedMessage = (): GuestError => new GuestError("TypeError", "Malformed message to the host");

class MessageReader {
  readonly #source: string;
  readonly #pay: (gas: number) => void;
  #at = 0;
  #texts = 0;
  #escaped = 0;

  constructor(source: string, pay: (gas: number) => void) {
    this.#source = source;
    this.#pay = pay;
  }

  parts(): Part[] {
    const parts = this.#list(MAX_PARTS, () => this.#part());
    if (this.#at < this.#source.length) throw malformedMessage();
    return parts;
  }

  #part(): Part {
    const code = this.#source.charCodeAt(this.#at);
    if (code === QUOTE) return this.#text();
    if (code === OPEN) return this.#list(MAX_HEADERS, () => this.#header());
    PRIMITIVE.lastIndex = this.#at;
    const word = PRIMITIVE.exec(this.#source)?.[0];
    if (word === undefined) throw malformedMessage();
    this.#at += word.length;
    return word === "null" ? null : word === "true" || word === "false" ? word : Number(word);
  }

  #header(): [string, string] {
    const pair = this.#list(2, () => this.#text());
    if (pair.length !== 2) throw malformedMessage();
    return pair as [string, string];
  }

  #list<T>(most: number, item: () => T): T[] {
    this.#pass(OPEN);
    const items: T[] = [];
    if (this.#source.charCodeAt(this.#at) === CLOSE) {
      this.#at++;
      return items;
    }
    for (;;) {
      if (items.length >= most) throw malformedMessage();
      items.push(item());
      if (this.#source.charCodeAt(this.#at) !== COMMA) break;
      this.#at++;
    }
    this.#pass(CLOSE);
    return items;
  }

  #pass(code: number): void {
    if (this.#source.charCodeAt(this.#at) !== code) throw malformedMessage();
    this.#at++;
  }

  #text(): string {
    this.#pass(QUOTE);
    if (++this.#texts > FREE_TEXTS) this.#pay(PER_TEXT);
    const source = this.#source;
    const start = this.#at;
    const quote = source.indexOf('"', start);
    if (quote < 0) throw malformedMessage();
    const plain = source.slice(start, quote);
    if (!plain.includes("\\")) {
      this.#at = quote + 1;
      return plain;
    }
    let end = start;
    for (; source.charCodeAt(end) !== QUOTE; end++) {
      if (end >= source.length) throw malformedMessage();
      if (++this.#escaped > FREE_ESCAPED) this.#pay(PER_ESCAPED);
      if (source.charCodeAt(end) === BACKSLASH) end++;
    }
    this.#at = end + 1;
    try {
      return JSON.parse(source.slice(start - 1, end + 1)) as string;
    } catch {
      throw malformedMessage();
    }
  }
}

/**
 * Parses a message.
 * @param pay charges gas before work that is slow for the message's length
 * @throws GuestError TypeError when the message is malformed
 */
export const readMessage = (source: string, pay: (gas: number) => void): Part[] =>
  new MessageReader(source, pay).parts();
