// URLSearchParams: application/x-www-form-urlencoded lists, alone or tied to a URL.
/* oxlint-disable prefer-rest-params -- counts arguments; rest parameters would change the length of the methods */

import { decodeUtf8, encodeUtf8 } from "./bytes.ts";
import { defineInterface, pairIterator, required, usvString } from "./webidl.ts";

export type PairList = [string, string][];

const PLAIN = /^[*\-.0-9A-Z_a-z]*$/;

/** application/x-www-form-urlencoded byte serialisation */
function encodeFormPart(text: string): string {
  if (PLAIN.test(text)) return text;
  let result = "";
  for (const byte of encodeUtf8(text)) {
    const plain =
      (byte >= 0x30 && byte <= 0x39) ||
      (byte >= 0x41 && byte <= 0x5a) ||
      (byte >= 0x61 && byte <= 0x7a) ||
      byte === 0x2a ||
      byte === 0x2d ||
      byte === 0x2e ||
      byte === 0x5f;
    if (plain) result += String.fromCharCode(byte);
    else result += byte === 0x20 ? "+" : `%${byte < 16 ? "0" : ""}${byte.toString(16).toUpperCase()}`;
  }
  return result;
}

function decodeFormPart(part: string): string {
  const spaced = part.includes("+") ? part.replaceAll("+", " ") : part;
  if (!spaced.includes("%")) return spaced;
  const bytes = encodeUtf8(spaced);
  let length = 0;
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index] as number;
    const hex =
      byte === 0x25 && index + 2 < bytes.length
        ? String.fromCharCode(bytes[index + 1] as number, bytes[index + 2] as number)
        : "";
    if (/^[0-9a-fA-F]{2}$/.test(hex)) {
      bytes[length] = parseInt(hex, 16);
      index += 2;
    } else bytes[length] = byte;
    length += 1;
  }
  return decodeUtf8(bytes.subarray(0, length));
}

export function parseForm(text: string): PairList {
  const list: PairList = [];
  for (const part of text.split("&")) {
    if (part === "") continue;
    const equals = part.indexOf("=");
    if (equals < 0) list.push([decodeFormPart(part), ""]);
    else list.push([decodeFormPart(part.slice(0, equals)), decodeFormPart(part.slice(equals + 1))]);
  }
  return list;
}

export const serializeForm = (list: PairList): string =>
  list.map(([name, value]) => `${encodeFormPart(name)}=${encodeFormPart(value)}`).join("&");

let tie: (params: URLSearchParams, list: PairList, changed: (query: string) => void) => void;
let replace: (params: URLSearchParams, list: PairList) => void;

export class URLSearchParams {
  #list: PairList = [];
  #changed: ((query: string) => void) | undefined;

  static {
    tie = (params, list, changed) => {
      params.#list = list;
      params.#changed = changed;
    };
    replace = (params, list) => {
      params.#list = list;
    };
  }

  constructor(init: unknown = "") {
    if (init !== null && (typeof init === "object" || typeof init === "function")) this.#fill(init);
    else {
      const text = usvString(init);
      this.#list = parseForm(text.startsWith("?") ? text.slice(1) : text);
    }
  }

  get size(): number {
    return this.#list.length;
  }

  append(name: unknown, value: unknown): void {
    required(arguments, 2, "URLSearchParams.append");
    this.#list.push([usvString(name), usvString(value)]);
    this.#update();
  }

  delete(name: unknown, value: unknown = undefined): void {
    required(arguments, 1, "URLSearchParams.delete");
    const key = usvString(name);
    const wanted = value === undefined ? undefined : usvString(value);
    this.#list = this.#list.filter((pair) => pair[0] !== key || (wanted !== undefined && pair[1] !== wanted));
    this.#update();
  }

  get(name: unknown): string | null {
    required(arguments, 1, "URLSearchParams.get");
    const key = usvString(name);
    return this.#list.find((pair) => pair[0] === key)?.[1] ?? null;
  }

  getAll(name: unknown): string[] {
    required(arguments, 1, "URLSearchParams.getAll");
    const key = usvString(name);
    return this.#list.filter((pair) => pair[0] === key).map((pair) => pair[1]);
  }

  has(name: unknown, value: unknown = undefined): boolean {
    required(arguments, 1, "URLSearchParams.has");
    const key = usvString(name);
    const wanted = value === undefined ? undefined : usvString(value);
    return this.#list.some((pair) => pair[0] === key && (wanted === undefined || pair[1] === wanted));
  }

  set(name: unknown, value: unknown): void {
    required(arguments, 2, "URLSearchParams.set");
    const key = usvString(name);
    const text = usvString(value);
    const first = this.#list.findIndex((pair) => pair[0] === key);
    if (first < 0) this.#list.push([key, text]);
    else {
      this.#list = this.#list.filter((pair, index) => pair[0] !== key || index === first);
      this.#list[first] = [key, text];
    }
    this.#update();
  }

  sort(): void {
    this.#list.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0));
    this.#update();
  }

  forEach(callback: unknown, self: unknown = undefined): void {
    required(arguments, 1, "URLSearchParams.forEach");
    if (typeof callback !== "function") throw new TypeError("URLSearchParams.forEach needs a function");
    for (let index = 0; index < this.#list.length; index += 1) {
      const [name, value] = this.#list[index] as [string, string];
      Reflect.apply(callback, self, [value, name, this]);
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

  toString(): string {
    return serializeForm(this.#list);
  }

  static list(params: URLSearchParams): PairList {
    return params.#list;
  }

  #update(): void {
    this.#changed?.(serializeForm(this.#list));
  }

  #fill(init: object): void {
    const iterator = (init as Iterable<unknown>)[Symbol.iterator];
    if (iterator !== undefined && iterator !== null) {
      for (const pair of init as Iterable<unknown>) {
        if (pair === null || typeof pair !== "object") throw new TypeError("A pair must be a sequence");
        const parts = [...(pair as Iterable<unknown>)];
        if (parts.length !== 2) throw new TypeError("A pair must have exactly two items");
        this.#list.push([usvString(parts[0]), usvString(parts[1])]);
      }
      return;
    }
    const record = new Map<string, string>();
    for (const key of Reflect.ownKeys(init)) {
      if (!Reflect.getOwnPropertyDescriptor(init, key)?.enumerable) continue;
      record.set(usvString(key), usvString((init as Record<string | symbol, unknown>)[key]));
    }
    this.#list = [...record];
  }
}

/** The pairs, for a body. */
export const pairsOf = URLSearchParams.list;
delete (URLSearchParams as unknown as { list?: unknown }).list;
const iterate = pairIterator<URLSearchParams>("URLSearchParams", pairsOf);
Object.defineProperty(URLSearchParams.prototype, Symbol.iterator, {
  value: URLSearchParams.prototype.entries,
  writable: true,
  configurable: true,
});
defineInterface(URLSearchParams);

/** Search parameters that report each change to their URL. */
export function tiedParams(query: string, changed: (query: string) => void): URLSearchParams {
  const params = new URLSearchParams();
  tie(params, parseForm(query), changed);
  return params;
}

/** Updates tied parameters after a change of the URL's query, without reporting back. */
export const replacePairs = (params: URLSearchParams, query: string): void =>
  replace(params, parseForm(query));
