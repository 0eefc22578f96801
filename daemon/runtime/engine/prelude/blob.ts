// Blob and File. A blob's bytes are immutable and created once.
/* oxlint-disable prefer-rest-params -- counts arguments; rest parameters would change the length of the methods */

import { concatenate, decodeText, encodeUtf8, viewBytes } from "./bytes.ts";
import { ReadableStream } from "./streams.ts";
import { defineInterface, dictionary, enumeration, required, usvString } from "./webidl.ts";

let bytesOf: (blob: Blob) => Uint8Array<ArrayBuffer>;
let fromBytes: (bytes: Uint8Array<ArrayBuffer>, type: string) => Blob;
let isBlobObject: (value: object) => boolean;

const blobType = (value: unknown): string => {
  const text = `${value as string}`;
  return /[^\x20-\x7e]/.test(text) ? "" : text.toLowerCase();
};

function position(value: unknown, fallback: number, size: number): number {
  if (value === undefined) return fallback;
  const number = Number(value);
  const integer = Number.isNaN(number) ? 0 : Math.max(-(2 ** 53), Math.min(2 ** 53, Math.trunc(number)));
  return integer < 0 ? Math.max(size + integer, 0) : Math.min(integer, size);
}

export class Blob {
  #bytes: Uint8Array<ArrayBuffer> = new Uint8Array(0);
  #type = "";

  static {
    bytesOf = (blob) => blob.#bytes;
    isBlobObject = (value) => #bytes in value;
    fromBytes = (bytes, type) => {
      const blob = new Blob();
      blob.#bytes = bytes;
      blob.#type = type;
      return blob;
    };
  }

  constructor(parts: unknown = undefined, options: unknown = undefined) {
    const chunks: Uint8Array[] = [];
    const sources: unknown[] = [];
    if (parts !== undefined) {
      if ((typeof parts !== "object" && typeof parts !== "function") || parts === null) {
        throw new TypeError("Blob parts must be a sequence");
      }
      if (typeof (parts as Iterable<unknown>)[Symbol.iterator] !== "function") {
        throw new TypeError("Blob parts must be a sequence");
      }
      for (const part of parts as Iterable<unknown>) {
        sources.push(part instanceof Blob || viewBytes(part) !== undefined ? part : usvString(part));
      }
    }
    const bag = dictionary(options, "Blob options");
    const endings =
      bag["endings"] === undefined
        ? "transparent"
        : enumeration(bag["endings"], ["transparent", "native"], "endings");
    const type = bag["type"] === undefined ? "" : blobType(bag["type"]);
    for (const source of sources) {
      if (source instanceof Blob) chunks.push(source.#bytes);
      else if (typeof source === "string") {
        chunks.push(encodeUtf8(endings === "native" ? source.replace(/\r\n?/g, "\n") : source));
      } else chunks.push(viewBytes(source) as Uint8Array);
    }
    this.#bytes = concatenate(chunks);
    this.#type = type;
  }

  get size(): number {
    return this.#bytes.length;
  }

  get type(): string {
    return this.#type;
  }

  slice(start: unknown = undefined, end: unknown = undefined, contentType: unknown = undefined): Blob {
    const size = this.#bytes.length;
    const from = position(start, 0, size);
    const to = position(end, size, size);
    return fromBytes(
      this.#bytes.slice(from, Math.max(from, to)),
      contentType === undefined ? "" : blobType(contentType),
    );
  }

  async text(): Promise<string> {
    return decodeText(this.#bytes);
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return this.#bytes.slice().buffer;
  }

  async bytes(): Promise<Uint8Array> {
    return this.#bytes.slice();
  }

  stream(): ReadableStream {
    const bytes = this.#bytes;
    return new ReadableStream({
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
  }
}
defineInterface(Blob);

export class File extends Blob {
  #name: string;
  #lastModified: number;

  constructor(parts: unknown, name: unknown, options: unknown = undefined) {
    required(arguments, 2, "File constructor");
    const bag = dictionary(options, "File options");
    if (parts === undefined) throw new TypeError("File parts must be a sequence");
    super(parts, options);
    this.#name = usvString(name);
    const modified = bag["lastModified"];
    this.#lastModified = modified === undefined ? Date.now() : Math.trunc(Number(modified)) || 0;
  }

  get name(): string {
    return this.#name;
  }

  get lastModified(): number {
    return this.#lastModified;
  }

  get webkitRelativePath(): string {
    return "";
  }
}
defineInterface(File);

/** The blob's own bytes; never change them. */
export const blobBytes = (blob: Blob): Uint8Array<ArrayBuffer> => bytesOf(blob);
/** A blob over bytes that the caller hands over. */
export const blobOf = (bytes: Uint8Array<ArrayBuffer>, type: string): Blob =>
  fromBytes(bytes, blobType(type));
export const isBlob = (value: unknown): value is Blob =>
  typeof value === "object" && value !== null && isBlobObject(value);
