// Request of the fetch standard, with the runtime's `withTransfer`. Requests made by the host skip URL parsing.
/* oxlint-disable prefer-rest-params -- counts arguments; rest parameters would change the length of the methods */

import { AbortSignal, followingSignal } from "./abort.ts";
import type { Blob } from "./blob.ts";
import { assertUsable, type Body, bodyStream, bodyUsed, cloneBody, consume, extractBody } from "./body.ts";
import type { FormData } from "./form-data.ts";
import { fill, type HeaderList, headerList, type Headers, headersOf, implyContentType } from "./headers.ts";
import { ReadableStream } from "./streams.ts";
import { parseReference } from "./url.ts";
import {
  byteString,
  defineInterface,
  dictionary,
  domString,
  enumeration,
  required,
  usvString,
} from "./webidl.ts";

const MODES = ["same-origin", "no-cors", "cors", "navigate"] as const;
const CREDENTIALS = ["omit", "same-origin", "include"] as const;
const CACHES = ["default", "no-store", "reload", "no-cache", "force-cache", "only-if-cached"] as const;
const REDIRECTS = ["follow", "error", "manual"] as const;
const POLICIES = [
  "",
  "no-referrer",
  "no-referrer-when-downgrade",
  "same-origin",
  "origin",
  "strict-origin",
  "origin-when-cross-origin",
  "strict-origin-when-cross-origin",
  "unsafe-url",
] as const;

interface RequestParts {
  url: string;
  method: string;
  headers: Headers;
  body: Body | null;
  mode: string;
  credentials: string;
  cache: string;
  redirect: string;
  referrer: string;
  referrerPolicy: string;
  integrity: string;
  keepalive: boolean;
  signal: AbortSignal | undefined;
}

let partsOf: (request: Request) => RequestParts;
let make: (parts: RequestParts) => Request;
let isRequest: (value: object) => boolean;
const SKIP = Symbol("made by the prelude");

const newParts = (url: string, method: string, headers: HeaderList, body: Body | null): RequestParts => ({
  url,
  method,
  headers: headersOf(headers, "request"),
  body,
  mode: "cors",
  credentials: "same-origin",
  cache: "default",
  redirect: "follow",
  referrer: "about:client",
  referrerPolicy: "",
  integrity: "",
  keepalive: false,
  signal: undefined,
});

function parseUrl(value: unknown): string {
  const url = parseReference(usvString(value));
  if (url.username !== "" || url.password !== "")
    throw new TypeError("A request URL cannot have credentials");
  return url.href;
}

function methodOf(value: unknown): string {
  const text = byteString(value, "A method");
  if (!/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(text)) throw new TypeError(`"${text}" is not a valid method`);
  const upper = text.toUpperCase();
  if (upper === "CONNECT" || upper === "TRACE" || upper === "TRACK")
    throw new TypeError(`The method ${upper} is forbidden`);
  return ["DELETE", "GET", "HEAD", "OPTIONS", "POST", "PUT"].includes(upper) ? upper : text;
}

function build(input: unknown, init: unknown): RequestParts {
  const original =
    typeof input === "object" && input !== null && isRequest(input) ? partsOf(input as Request) : undefined;
  const parts = original === undefined ? newParts(parseUrl(input), "GET", [], null) : { ...original };
  const bag = dictionary(init, "Request init");
  if (bag["window"] !== undefined && bag["window"] !== null) throw new TypeError("window must be null");
  if (Object.keys(bag).length > 0 && parts.mode === "navigate") parts.mode = "same-origin";
  if (bag["referrer"] !== undefined) {
    const text = usvString(bag["referrer"]);
    parts.referrer = text === "" ? "" : text === "about:client" ? text : referrerUrl(text);
  }
  if (bag["referrerPolicy"] !== undefined)
    parts.referrerPolicy = enumeration(bag["referrerPolicy"], POLICIES, "referrerPolicy");
  if (bag["mode"] !== undefined) {
    parts.mode = enumeration(bag["mode"], MODES, "mode");
    if (parts.mode === "navigate") throw new TypeError("The mode navigate cannot be asked for");
  }
  if (bag["credentials"] !== undefined)
    parts.credentials = enumeration(bag["credentials"], CREDENTIALS, "credentials");
  if (bag["cache"] !== undefined) parts.cache = enumeration(bag["cache"], CACHES, "cache");
  if (parts.cache === "only-if-cached" && parts.mode !== "same-origin") {
    throw new TypeError("only-if-cached goes only with the mode same-origin");
  }
  if (bag["redirect"] !== undefined) parts.redirect = enumeration(bag["redirect"], REDIRECTS, "redirect");
  if (bag["integrity"] !== undefined) parts.integrity = domString(bag["integrity"]);
  if (bag["keepalive"] !== undefined) parts.keepalive = Boolean(bag["keepalive"]);
  if (bag["duplex"] !== undefined) enumeration(bag["duplex"], ["half"], "duplex");
  if (bag["priority"] !== undefined) enumeration(bag["priority"], ["high", "low", "auto"], "priority");
  if (bag["method"] !== undefined) parts.method = methodOf(bag["method"]);
  if (bag["signal"] !== undefined) {
    const signal = bag["signal"];
    if (signal !== null && !(signal instanceof AbortSignal))
      throw new TypeError("signal is not an AbortSignal");
    parts.signal = signal === null ? undefined : followingSignal(signal);
  } else if (original?.signal !== undefined) parts.signal = followingSignal(original.signal);

  const list: HeaderList = original === undefined ? [] : copyList(headerList(original.headers));
  const guard = parts.mode === "no-cors" ? "request-no-cors" : "request";
  parts.headers = headersOf(bag["headers"] === undefined && guard === "request" ? list : [], guard);
  if (bag["headers"] !== undefined) fill(parts.headers, bag["headers"]);
  else if (guard === "request-no-cors") for (const [name, text] of list) parts.headers.append(name, text);
  if (parts.mode === "no-cors" && !["GET", "HEAD", "POST"].includes(parts.method)) {
    throw new TypeError("no-cors allows only GET, HEAD and POST");
  }

  const given = bag["body"];
  const hasGiven = given !== undefined && given !== null;
  if (
    (hasGiven || (original?.body ?? null) !== null) &&
    (parts.method === "GET" || parts.method === "HEAD")
  ) {
    throw new TypeError("A GET or HEAD request cannot have a body");
  }
  if (hasGiven) {
    if (given instanceof ReadableStream && bag["duplex"] === undefined)
      throw new TypeError('A stream body needs duplex: "half"');
    if (given instanceof ReadableStream && parts.keepalive)
      throw new TypeError("A stream body cannot be kept alive");
    const extracted = extractBody(given);
    parts.body = extracted.body;
    if (extracted.type !== null) implyContentType(parts.headers, extracted.type);
  } else if (original !== undefined && original.body !== null) {
    assertUsable(original.body);
    const taken = original.body;
    parts.body = { source: taken.source, stream: undefined, used: false };
    if (taken.stream !== undefined) {
      const [mine, other] = taken.stream.tee();
      void (mine as ReadableStream).cancel().catch(() => undefined);
      parts.body = { source: undefined, stream: other as ReadableStream, used: false };
    }
    taken.used = true;
  }
  return parts;
}

function referrerUrl(text: string): string {
  const url = parseReference(text);
  return url.protocol === "about:" && url.pathname === "client" ? "about:client" : url.href;
}

const copyList = (list: HeaderList): HeaderList => list.map(([name, value]) => [name, value]);

export class Request {
  #parts: RequestParts;

  static {
    partsOf = (request) => request.#parts;
    isRequest = (value) => #parts in value;
    make = (parts) => new Request(SKIP, parts);
  }

  constructor(input: unknown, init: unknown = undefined) {
    required(arguments, 1, "Request constructor");
    this.#parts = input === SKIP ? (init as RequestParts) : build(input, init);
  }

  static withTransfer(input: unknown, amount: unknown, init: unknown = undefined): Request {
    const request = new Request(input, init);
    request.headers.set("x-jstz-transfer", `${amount as string}`);
    return request;
  }

  get method(): string {
    return this.#parts.method;
  }
  get url(): string {
    return this.#parts.url;
  }
  get headers(): Headers {
    return this.#parts.headers;
  }
  get destination(): string {
    return partsOf(this) && "";
  }
  get referrer(): string {
    return this.#parts.referrer;
  }
  get referrerPolicy(): string {
    return this.#parts.referrerPolicy;
  }
  get mode(): string {
    return this.#parts.mode;
  }
  get credentials(): string {
    return this.#parts.credentials;
  }
  get cache(): string {
    return this.#parts.cache;
  }
  get redirect(): string {
    return this.#parts.redirect;
  }
  get integrity(): string {
    return this.#parts.integrity;
  }
  get keepalive(): boolean {
    return this.#parts.keepalive;
  }
  get isReloadNavigation(): boolean {
    return Boolean(partsOf(this)) && false;
  }
  get isHistoryNavigation(): boolean {
    return Boolean(partsOf(this)) && false;
  }
  get signal(): AbortSignal {
    this.#parts.signal ??= followingSignal(undefined);
    return this.#parts.signal;
  }
  get duplex(): string {
    return partsOf(this) && "half";
  }
  get body(): ReadableStream | null {
    return this.#parts.body === null ? null : bodyStream(this.#parts.body);
  }
  get bodyUsed(): boolean {
    return bodyUsed(this.#parts.body);
  }

  clone(): Request {
    const parts = this.#parts;
    assertUsable(parts.body);
    return make({
      ...parts,
      headers: headersOf(copyList(headerList(parts.headers)), "request"),
      body: parts.body === null ? null : cloneBody(parts.body),
      signal: parts.signal === undefined ? undefined : followingSignal(parts.signal),
    });
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return consume.arrayBuffer(owner(this.#parts));
  }
  async blob(): Promise<Blob> {
    return consume.blob(owner(this.#parts));
  }
  async bytes(): Promise<Uint8Array> {
    return consume.bytes(owner(this.#parts));
  }
  async formData(): Promise<FormData> {
    return consume.formData(owner(this.#parts));
  }
  async json(): Promise<unknown> {
    return consume.json(owner(this.#parts));
  }
  async text(): Promise<string> {
    return consume.text(owner(this.#parts));
  }
}
defineInterface(Request);

const owner = (parts: RequestParts): { body(): Body | null; contentType(): string | null } => ({
  body: () => parts.body,
  contentType: () => parts.headers.get("content-type"),
});

/** The handler's request: created by the host, its URL already normalised. */
export const hostRequest = (url: string, method: string, headers: HeaderList, body: Body | null): Request =>
  make(newParts(url, method, headers, body));

/** The internals of a request object. */
export const requestParts = (request: Request): RequestParts => partsOf(request);
