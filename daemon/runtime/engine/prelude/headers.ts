// Headers of the fetch standard. Names are kept in lower case, which is how they are shown and sent.
/* oxlint-disable prefer-rest-params -- counts arguments; rest parameters would change the length of the methods */

import { byteString, defineInterface, domString, pairIterator, required } from "./webidl.ts";

export type HeaderList = [string, string][];
export type Guard = "none" | "immutable" | "request" | "request-no-cors" | "response";

/** Header names that a no-cors request may set; it may also delete `range`. */
const NO_CORS_NAMES = ["accept", "accept-language", "content-language", "content-type"];
const PLAIN_TYPES = ["application/x-www-form-urlencoded", "multipart/form-data", "text/plain"];
const UNSAFE_BYTE = /[\0-\x08\x0a-\x1f"():<>?@[\\\]{}\x7f]/;

/** "No-CORS-safelisted request-header" of the fetch standard. */
function noCorsSafe(name: string, value: string): boolean {
  if (!NO_CORS_NAMES.includes(name) || value.length > 128) return false;
  if (name === "accept") return !UNSAFE_BYTE.test(value);
  if (name === "content-type") {
    const essence = (value.split(";")[0] as string).trim().toLowerCase();
    return !UNSAFE_BYTE.test(value) && PLAIN_TYPES.includes(essence);
  }
  return /^[0-9A-Za-z *,\-.;=]*$/.test(value);
}

/** Names accepted without checking their characters. */
const FAMILIAR = new Set([
  "accept",
  "authorization",
  "cache-control",
  "content-length",
  "content-type",
  "location",
  "referer",
  "x-jstz-amount",
  "x-jstz-transfer",
]);
const NO_TOKEN = /[^!#$%&'*+\-.^_`|~0-9A-Za-z]/;
const NOT_VISIBLE = /[^ -~]/;
const FORBIDDEN_VALUE = /[\0\r\n]/;
const OUTER_SPACE = /^[\t\n\r ]+|[\t\n\r ]+$/g;

// One test suffices for an ordinary text; only others are checked by character: headers are most of the work of a small
// function.

function headerName(value: unknown): string {
  const name = domString(value);
  if (FAMILIAR.has(name)) return name;
  if (name !== "" && !NO_TOKEN.test(name)) return name.toLowerCase();
  throw new TypeError(`"${byteString(name, "A header name")}" is not a valid header name`);
}

function headerValue(value: unknown): string {
  const ordinary = domString(value);
  if (!NOT_VISIBLE.test(ordinary)) return ordinary.trim();
  const text = byteString(ordinary, "A header value").replace(OUTER_SPACE, "");
  if (FORBIDDEN_VALUE.test(text)) throw new TypeError("A header value has a forbidden character");
  return text;
}

let listOf: (headers: Headers) => HeaderList;
let withList: (list: HeaderList, guard: Guard) => Headers;
let setGuard: (headers: Headers, guard: Guard) => void;
let append: (headers: Headers, name: unknown, value: unknown) => void;
let imply: (headers: Headers, type: string) => void;

export class Headers {
  #list: HeaderList = [];
  #guard: Guard = "none";
  #sorted: HeaderList | undefined;

  static {
    listOf = (headers) => headers.#list;
    withList = (list, guard) => {
      const headers = new Headers();
      headers.#list = list;
      headers.#guard = guard;
      return headers;
    };
    setGuard = (headers, guard) => {
      headers.#guard = guard;
    };
    append = (headers, name, value) => headers.#append(name, value);
    imply = (headers, type) => {
      if (headers.#list.some((entry) => entry[0] === "content-type")) return;
      if (headers.#guard === "request-no-cors") return headers.#append("content-type", type);
      headers.#list.push(["content-type", type]);
    };
  }

  constructor(init: unknown = undefined) {
    if (init !== undefined) fill(this, init);
  }

  append(name: unknown, value: unknown): void {
    required(arguments, 2, "Headers.append");
    this.#append(name, value);
  }

  #append(name: unknown, value: unknown): void {
    const key = headerName(name);
    const text = headerValue(value);
    this.#writable();
    if (this.#guard === "request-no-cors") {
      const before = this.get(key);
      if (!noCorsSafe(key, before === null ? text : `${before}, ${text}`)) return;
    }
    this.#list.push([key, text]);
  }

  delete(name: unknown): void {
    required(arguments, 1, "Headers.delete");
    const key = headerName(name);
    this.#writable();
    if (this.#guard === "request-no-cors" && ![...NO_CORS_NAMES, "range"].includes(key)) return;
    this.#list = this.#list.filter((entry) => entry[0] !== key);
  }

  get(name: unknown): string | null {
    required(arguments, 1, "Headers.get");
    const key = headerName(name);
    let found: string | null = null;
    for (const entry of this.#list) {
      if (entry[0] === key) found = found === null ? entry[1] : `${found}, ${entry[1]}`;
    }
    return found;
  }

  getSetCookie(): string[] {
    return this.#list.filter((entry) => entry[0] === "set-cookie").map((entry) => entry[1]);
  }

  has(name: unknown): boolean {
    required(arguments, 1, "Headers.has");
    const key = headerName(name);
    return this.#list.some((entry) => entry[0] === key);
  }

  set(name: unknown, value: unknown): void {
    required(arguments, 2, "Headers.set");
    const key = headerName(name);
    const text = headerValue(value);
    this.#writable();
    if (this.#guard === "request-no-cors" && !noCorsSafe(key, text)) return;
    const first = this.#list.findIndex((entry) => entry[0] === key);
    if (first < 0) {
      this.#list.push([key, text]);
      return;
    }
    this.#list = this.#list.filter((entry, index) => entry[0] !== key || index === first);
    this.#list[first] = [key, text];
  }

  forEach(callback: unknown, self: unknown = undefined): void {
    required(arguments, 1, "Headers.forEach");
    if (typeof callback !== "function") throw new TypeError("Headers.forEach needs a function");
    for (let index = 0; ; index += 1) {
      const entry = this.#combined()[index];
      if (entry === undefined) return;
      Reflect.apply(callback, self, [entry[1], entry[0], this]);
    }
  }

  keys(): IterableIterator<unknown> {
    return iterate(this, "key");
  }

  values(): IterableIterator<unknown> {
    return iterate(this, "value");
  }

  entries(): IterableIterator<unknown> {
    return iterate(this, "entry");
  }

  #writable(): void {
    this.#sorted = undefined;
    if (this.#guard === "immutable") throw new TypeError("These headers are immutable");
  }

  /** Sorted and combined by name; set-cookie headers stay separate. */
  #combined(): HeaderList {
    if (this.#sorted !== undefined) return this.#sorted;
    const combined = new Map<string, string>();
    const cookies: HeaderList = [];
    for (const [name, value] of this.#list) {
      if (name === "set-cookie") cookies.push([name, value]);
      else combined.set(name, combined.has(name) ? `${combined.get(name) as string}, ${value}` : value);
    }
    const all = [...combined.entries(), ...cookies] as HeaderList;
    this.#sorted = all.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0));
    return this.#sorted;
  }

  static combined(headers: Headers): HeaderList {
    return headers.#combined();
  }
}

const combinedOf = Headers.combined;
delete (Headers as unknown as { combined?: unknown }).combined;
const iterate = pairIterator<Headers>("Headers", combinedOf);
Object.defineProperty(Headers.prototype, Symbol.iterator, {
  value: Headers.prototype.entries,
  writable: true,
  configurable: true,
});
defineInterface(Headers);
Object.defineProperty(Headers, "length", { value: 0, configurable: true });

/** Adds a sequence of pairs or a record, the two forms of the constructor's argument. */
export function fill(headers: Headers, init: unknown): void {
  if (init === null || (typeof init !== "object" && typeof init !== "function")) {
    throw new TypeError("Headers need an object or a sequence of pairs");
  }
  const iterator = (init as Iterable<unknown>)[Symbol.iterator];
  if (iterator !== undefined && iterator !== null) {
    if (typeof iterator !== "function") throw new TypeError("The header sequence is not iterable");
    const pairs: [unknown, unknown][] = [];
    for (const pair of init as Iterable<unknown>) {
      if (pair === null || typeof pair !== "object") throw new TypeError("A header pair must be a sequence");
      const parts = [...(pair as Iterable<unknown>)];
      if (parts.length !== 2) throw new TypeError("A header pair must have exactly two items");
      pairs.push([byteString(parts[0], "A header name"), byteString(parts[1], "A header value")]);
    }
    for (const [name, value] of pairs) append(headers, name, value);
    return;
  }
  const record: [string, string][] = [];
  for (const key of Reflect.ownKeys(init)) {
    const property = Reflect.getOwnPropertyDescriptor(init, key);
    if (property === undefined || !property.enumerable) continue;
    if (typeof key === "symbol") throw new TypeError("A header name cannot be a symbol");
    const name = byteString(key, "A header name");
    record.push([name, byteString((init as Record<string, unknown>)[key], "A header value")]);
  }
  for (const [name, value] of record) append(headers, name, value);
}

/** The raw list, for sending. */
export const headerList = (headers: Headers): HeaderList => listOf(headers);
/** Headers over a list that the caller owns; names must be in lower case. */
export const headersOf = (list: HeaderList, guard: Guard): Headers => withList(list, guard);
/** Adds the content type that a body implies, if missing. Only for headers not yet visible to the program. */
export const implyContentType = (headers: Headers, type: string): void => imply(headers, type);
export const guardHeaders = (headers: Headers, guard: Guard): void => setGuard(headers, guard);
