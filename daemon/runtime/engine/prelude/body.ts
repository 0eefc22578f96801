// Bodies of requests and responses. A body given as text or bytes stays that way until its stream is read: most smart
// functions never read it, and a stream costs more than the rest of a response.

import { type Blob, blobBytes, blobOf, isBlob } from "./blob.ts";
import { concatenate, decodeText, decodeUtf8, encodeUtf8, viewBytes } from "./bytes.ts";
import { decodeMultipart, encodeMultipart, FormData } from "./form-data.ts";
import { isDisturbed, readAll, ReadableStream } from "./streams.ts";
import { structuredClone } from "./structured-clone.ts";
import { pairsOf, parseForm, serializeForm, URLSearchParams } from "./url-search-params.ts";
import { usvString } from "./webidl.ts";

export interface Body {
  /** What the body was created from; absent for bodies that are only a stream. */
  source: string | Uint8Array<ArrayBuffer> | undefined;
  stream: ReadableStream | undefined;
  /** The source was consumed without a stream. */
  used: boolean;
}

/** @returns a body over text or bytes that must not change */
export const bodyOf = (source: string | Uint8Array<ArrayBuffer>): Body => ({
  source,
  stream: undefined,
  used: false,
});

const TEXT_TYPE = "text/plain;charset=UTF-8";

/** "Extract a body" of the fetch standard; @returns the body and the content type that it implies */
export function extractBody(value: unknown): { body: Body; type: string | null } {
  if (typeof value === "string") return { body: bodyOf(usvString(value)), type: TEXT_TYPE };
  if (value instanceof ReadableStream) {
    if (isDisturbed(value) || value.locked) throw new TypeError("The body stream is locked or was read from");
    return { body: { source: undefined, stream: value, used: false }, type: null };
  }
  if (isBlob(value)) return { body: bodyOf(blobBytes(value)), type: value.type === "" ? null : value.type };
  if (value instanceof FormData) {
    const boundary = nextBoundary();
    return {
      body: bodyOf(encodeMultipart(value, boundary)),
      type: `multipart/form-data; boundary=${boundary}`,
    };
  }
  if (value instanceof URLSearchParams) {
    return {
      body: bodyOf(serializeForm(pairsOf(value))),
      type: "application/x-www-form-urlencoded;charset=UTF-8",
    };
  }
  const view = typeof value === "object" ? viewBytes(value) : undefined;
  if (view !== undefined) return { body: bodyOf(view.slice()), type: null };
  return { body: bodyOf(usvString(value)), type: TEXT_TYPE };
}

let boundaries = 0;
function nextBoundary(): string {
  boundaries += 1;
  return `----functezFormBoundary${boundaries.toString(36).padStart(16, "0")}`;
}

/** The body's stream, created on first call. */
export function bodyStream(body: Body): ReadableStream {
  if (body.stream !== undefined) return body.stream;
  const source = body.source ?? "";
  const bytes = typeof source === "string" ? encodeUtf8(source) : source;
  const stream = new ReadableStream({
    type: "bytes",
    start(controller: {
      enqueue(chunk: Uint8Array): void;
      close(): void;
      byobRequest: { respond(n: number): void } | null;
    }) {
      if (bytes.length > 0) controller.enqueue(bytes.slice());
      controller.close();
      controller.byobRequest?.respond(0);
    },
  });
  if (body.used) {
    // Already consumed: the stream must appear read to its end.
    void stream
      .getReader()
      .cancel()
      .catch(() => undefined);
  }
  body.stream = stream;
  return stream;
}

export const bodyUsed = (body: Body | null): boolean =>
  body !== null && (body.used || (body.stream !== undefined && isDisturbed(body.stream)));

const unusable = (body: Body | null): boolean =>
  body !== null && (bodyUsed(body) || body.stream?.locked === true);

export function assertUsable(body: Body | null): void {
  if (unusable(body)) throw new TypeError("The body is locked or was already consumed");
}

/** Splits a body in two, for clone(). */
export function cloneBody(body: Body): Body {
  if (body.stream === undefined && body.source !== undefined) return bodyOf(body.source);
  const [mine, other] = bodyStream(body).tee();
  body.stream = mine as ReadableStream;
  body.source = undefined;
  return { source: undefined, stream: copyChunks(other as ReadableStream), used: false };
}

/** The two halves of a cloned body must not share buffers. */
function copyChunks(stream: ReadableStream): ReadableStream {
  const reader = stream.getReader();
  return new ReadableStream(
    {
      async pull(controller: { enqueue(chunk: unknown): void; close(): void }) {
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(structuredClone(value));
      },
      cancel: (reason: unknown) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

/** Consumes the body's content when it is text or bytes. Fails when it was already consumed. */
export function takeSource(body: Body): string | Uint8Array<ArrayBuffer> | undefined {
  assertUsable(body);
  if (body.stream !== undefined || body.source === undefined) return undefined;
  body.used = true;
  return body.source;
}

/** Consumes the body's content, also from a stream. Rejects when it was already consumed. */
export async function takeBody(body: Body | null): Promise<string | Uint8Array<ArrayBuffer>> {
  if (body === null) return "";
  return takeSource(body) ?? concatenate(await readAll(bodyStream(body)));
}

const asBytes = (content: string | Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> =>
  typeof content === "string" ? (encodeUtf8(content) as Uint8Array<ArrayBuffer>) : content.slice();
const asText = (content: string | Uint8Array): string => {
  if (typeof content !== "string") return decodeText(content);
  return content.charCodeAt(0) === 0xfeff ? content.slice(1) : content;
};

/** A parameter's value in a MIME type, or undefined. */
function parameter(type: string, name: string): string | undefined {
  const found = new RegExp(`;[ \\t]*${name}=(?:"([^"]*)"|([^;\\s]*))`, "i").exec(type);
  return found?.[1] ?? found?.[2];
}

/** A MIME type as in Blob.type, empty when invalid. */
function mimeType(value: string | null): string {
  if (value === null) return "";
  const last = value.trim();
  const match = /^([!#$%&'*+\-.^_`|~\w]+\/[!#$%&'*+\-.^_`|~\w]+)[ \t]*(;.*)?$/.exec(last);
  if (match === null) return "";
  let result = (match[1] as string).toLowerCase();
  const seen = new Set<string>();
  for (const part of (match[2] ?? "").split(";")) {
    const found = /^[ \t]*([!#$%&'*+\-.^_`|~\w]+)=(?:"((?:[^"\\]|\\.)*)"|([^"]*?))[ \t]*$/.exec(part);
    if (found === null) continue;
    const name = (found[1] as string).toLowerCase();
    const text = found[2] !== undefined ? found[2].replace(/\\(.)/g, "$1") : (found[3] ?? "");
    if (seen.has(name) || (found[2] === undefined && text === "")) continue;
    seen.add(name);
    const plain = /^[!#$%&'*+\-.^_`|~\w]+$/.test(text);
    result += `;${name}=${plain ? text : `"${text.replace(/(["\\])/g, "\\$1")}"`}`;
  }
  return result;
}

/** The mixin for the six consuming methods of Request and Response. */
export interface BodyOwner {
  body(): Body | null;
  contentType(): string | null;
}

export const consume = {
  async arrayBuffer(owner: BodyOwner): Promise<ArrayBuffer> {
    return asBytes(await takeBody(owner.body())).buffer;
  },
  async bytes(owner: BodyOwner): Promise<Uint8Array> {
    return asBytes(await takeBody(owner.body()));
  },
  async text(owner: BodyOwner): Promise<string> {
    return asText(await takeBody(owner.body()));
  },
  async json(owner: BodyOwner): Promise<unknown> {
    return JSON.parse(asText(await takeBody(owner.body())));
  },
  async blob(owner: BodyOwner): Promise<Blob> {
    return blobOf(asBytes(await takeBody(owner.body())), mimeType(owner.contentType()));
  },
  async formData(owner: BodyOwner): Promise<FormData> {
    const content = await takeBody(owner.body());
    const type = owner.contentType() ?? "";
    const essence = mimeType(type).split(";")[0];
    if (essence === "multipart/form-data") {
      const boundary = parameter(type, "boundary");
      if (boundary === undefined) throw new TypeError("The multipart body has no boundary");
      return decodeMultipart(asBytes(content), boundary);
    }
    if (essence === "application/x-www-form-urlencoded") {
      const form = new FormData();
      const text = typeof content === "string" ? content : decodeUtf8(content);
      for (const [name, value] of parseForm(text)) form.append(name, value);
      return form;
    }
    throw new TypeError("The body is not form data");
  },
};
