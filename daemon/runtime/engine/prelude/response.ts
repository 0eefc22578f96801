// Response of the fetch standard, with the runtime's `withTransfer`.
/* oxlint-disable prefer-rest-params -- counts arguments; rest parameters would change the length of the methods */

import type { Blob } from "./blob.ts";
import {
  assertUsable,
  type Body,
  bodyOf,
  bodyStream,
  bodyUsed,
  cloneBody,
  consume,
  extractBody,
} from "./body.ts";
import type { FormData } from "./form-data.ts";
import {
  fill,
  guardHeaders,
  type HeaderList,
  headerList,
  type Headers,
  headersOf,
  implyContentType,
} from "./headers.ts";
import type { ReadableStream } from "./streams.ts";
import { parseReference } from "./url.ts";
import { byteString, defineInterface, dictionary, required, unsignedShort, usvString } from "./webidl.ts";

type ResponseType = "default" | "error" | "basic";

export interface ResponseParts {
  type: ResponseType;
  url: string;
  status: number;
  statusText: string;
  headers: Headers;
  body: Body | null;
}

const REASON_PHRASE = /^[\t \x21-\x7e\x80-\xff]*$/;
const NULL_BODY = [101, 103, 204, 205, 304];

let partsOf: (response: Response) => ResponseParts;
let make: (parts: ResponseParts) => Response;
let isResponse: (value: object) => boolean;

function initialize(
  parts: ResponseParts,
  init: unknown,
  body: { body: Body; type: string | null } | null,
): void {
  const bag = dictionary(init, "Response init");
  const headers = bag["headers"];
  const status = bag["status"] === undefined ? 200 : unsignedShort(bag["status"]);
  const statusText = bag["statusText"] === undefined ? "" : byteString(bag["statusText"], "statusText");
  if (status < 200 || status > 599) throw new RangeError(`The status ${status} is outside of 200 to 599`);
  if (!REASON_PHRASE.test(statusText)) throw new TypeError("The statusText has a forbidden character");
  parts.status = status;
  parts.statusText = statusText;
  if (headers !== undefined) fill(parts.headers, headers);
  if (body === null) return;
  if (NULL_BODY.includes(status)) throw new TypeError(`A response with status ${status} cannot have a body`);
  parts.body = body.body;
  if (body.type !== null) implyContentType(parts.headers, body.type);
}

const emptyParts = (): ResponseParts => ({
  type: "default",
  url: "",
  status: 200,
  statusText: "",
  headers: headersOf([], "response"),
  body: null,
});

export class Response {
  #parts: ResponseParts;

  static {
    partsOf = (response) => response.#parts;
    isResponse = (value) => #parts in value;
    make = (parts) => {
      const response = new Response();
      response.#parts = parts;
      return response;
    };
  }

  constructor(body: unknown = null, init: unknown = undefined) {
    this.#parts = emptyParts();
    const extracted = body === null || body === undefined ? null : extractBody(body);
    initialize(this.#parts, init, extracted);
  }

  static error(): Response {
    return make({ ...emptyParts(), type: "error", status: 0, headers: headersOf([], "immutable") });
  }

  static redirect(url: unknown, status: unknown = 302): Response {
    required(arguments, 1, "Response.redirect");
    const target = parseReference(usvString(url)).href;
    const code = unsignedShort(status);
    if (![301, 302, 303, 307, 308].includes(code)) throw new RangeError(`${code} is not a redirect status`);
    return make({ ...emptyParts(), status: code, headers: headersOf([["location", target]], "immutable") });
  }

  static json(data: unknown, init: unknown = undefined): Response {
    required(arguments, 1, "Response.json");
    const text = JSON.stringify(data) as string | undefined;
    if (text === undefined) throw new TypeError("The value has no JSON form");
    const parts = emptyParts();
    initialize(parts, init, { body: bodyOf(text), type: "application/json" });
    return make(parts);
  }

  static withTransfer(body: unknown, amount: unknown, init: unknown = undefined): Response {
    const response = new Response(body, init);
    response.headers.set("x-jstz-transfer", `${amount as string}`);
    return response;
  }

  get type(): string {
    return this.#parts.type;
  }
  get url(): string {
    return this.#parts.url;
  }
  get redirected(): boolean {
    return false;
  }
  get status(): number {
    return this.#parts.status;
  }
  get ok(): boolean {
    return this.#parts.status >= 200 && this.#parts.status <= 299;
  }
  get statusText(): string {
    return this.#parts.statusText;
  }
  get headers(): Headers {
    return this.#parts.headers;
  }
  get body(): ReadableStream | null {
    return this.#parts.body === null ? null : bodyStream(this.#parts.body);
  }
  get bodyUsed(): boolean {
    return bodyUsed(this.#parts.body);
  }

  clone(): Response {
    assertUsable(this.#parts.body);
    const parts = this.#parts;
    const headers = headersOf(
      copyList(headerList(parts.headers)),
      parts.type === "error" ? "immutable" : "response",
    );
    return make({ ...parts, headers, body: parts.body === null ? null : cloneBody(parts.body) });
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
defineInterface(Response);

const copyList = (list: HeaderList): HeaderList => list.map(([name, value]) => [name, value]);
const owner = (parts: ResponseParts): { body(): Body | null; contentType(): string | null } => ({
  body: () => parts.body,
  contentType: () => parts.headers.get("content-type"),
});

/** The internals of a response object, or undefined for other values. */
export const responseParts = (value: unknown): ResponseParts | undefined =>
  typeof value === "object" && value !== null && isResponse(value) ? partsOf(value as Response) : undefined;

/** A response from the host: immutable headers. */
export function hostResponse(parts: ResponseParts): Response {
  guardHeaders(parts.headers, "immutable");
  return make(parts);
}
