// URL. The host parses and serialises (one conformant parser with its IDNA tables, much faster than in the guest); this
// class holds the parsed record from the host.
/* oxlint-disable prefer-rest-params -- counts arguments; rest parameters would change the length of the methods */

import { callHost } from "./host.ts";
import { replacePairs, tiedParams, URLSearchParams } from "./url-search-params.ts";
import { defineInterface, required, usvString } from "./webidl.ts";

const FIELDS = [
  "href",
  "protocol",
  "username",
  "password",
  "host",
  "hostname",
  "port",
  "pathname",
  "search",
  "hash",
  "origin",
] as const;
type Field = (typeof FIELDS)[number];
type Settable = Exclude<Field, "origin">;

const index = Object.fromEntries(FIELDS.map((field, at) => [field, at])) as Record<Field, number>;

function parse(url: string, base: string | undefined): string[] | undefined {
  const record = callHost("url.parse", url, base);
  return record === undefined ? undefined : (JSON.parse(record) as string[]);
}

export class URL {
  #record: string[];
  #params: URLSearchParams | undefined;

  constructor(url: unknown, base: unknown = undefined) {
    required(arguments, 1, "URL constructor");
    const text = usvString(url);
    const record = parse(text, base === undefined ? undefined : usvString(base));
    if (record === undefined) throw new TypeError(`Invalid URL: '${text}'`);
    this.#record = record;
  }

  static canParse(url: unknown, base: unknown = undefined): boolean {
    required(arguments, 1, "URL.canParse");
    return parse(usvString(url), base === undefined ? undefined : usvString(base)) !== undefined;
  }

  static parse(url: unknown, base: unknown = undefined): URL | null {
    required(arguments, 1, "URL.parse");
    return URL.canParse(url, base) ? new URL(url, base) : null;
  }

  get href(): string {
    return this.#get("href");
  }
  set href(value: unknown) {
    const text = usvString(value);
    const record = parse(text, undefined);
    if (record === undefined) throw new TypeError(`Invalid URL: '${text}'`);
    this.#record = record;
    this.#follow();
  }
  get origin(): string {
    return this.#get("origin");
  }
  get protocol(): string {
    return this.#get("protocol");
  }
  set protocol(value: unknown) {
    this.#set("protocol", value);
  }
  get username(): string {
    return this.#get("username");
  }
  set username(value: unknown) {
    this.#set("username", value);
  }
  get password(): string {
    return this.#get("password");
  }
  set password(value: unknown) {
    this.#set("password", value);
  }
  get host(): string {
    return this.#get("host");
  }
  set host(value: unknown) {
    this.#set("host", value);
  }
  get hostname(): string {
    return this.#get("hostname");
  }
  set hostname(value: unknown) {
    this.#set("hostname", value);
  }
  get port(): string {
    return this.#get("port");
  }
  set port(value: unknown) {
    this.#set("port", value);
  }
  get pathname(): string {
    return this.#get("pathname");
  }
  set pathname(value: unknown) {
    this.#set("pathname", value);
  }
  get search(): string {
    return this.#get("search");
  }
  set search(value: unknown) {
    this.#set("search", value);
    this.#follow();
  }
  get searchParams(): URLSearchParams {
    this.#params ??= tiedParams(this.#get("search").slice(1), (query) => this.#set("search", query));
    return this.#params;
  }
  get hash(): string {
    return this.#get("hash");
  }
  set hash(value: unknown) {
    this.#set("hash", value);
  }

  toString(): string {
    return this.#get("href");
  }

  toJSON(): string {
    return this.#get("href");
  }

  #get(field: Field): string {
    return this.#record[index[field]] as string;
  }

  #set(field: Settable, value: unknown): void {
    const record = callHost("url.set", this.#get("href"), field, usvString(value));
    this.#record = JSON.parse(record) as string[];
  }

  #follow(): void {
    if (this.#params !== undefined) replacePairs(this.#params, this.#get("search").slice(1));
  }
}
defineInterface(URL);

/** A URL argument of fetch and its classes: relative URLs need a `location`, which smart functions lack. */
export function parseReference(value: unknown): URL {
  // Not read as a property: in strict mode that throws, as in the real runtime.
  const location = Object.getOwnPropertyDescriptor(globalThis, "location")?.value as
    | { href?: unknown }
    | undefined;
  return new URL(value, typeof location?.href === "string" ? location.href : undefined);
}

export { URLSearchParams };
