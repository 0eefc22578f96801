// TextEncoder and TextDecoder. The host does UTF-8 in one step; the state of a streaming decoder (an unfinished
// sequence, the byte order mark) stays in the guest.

import { concatenate, encodeUtf8, viewBytes } from "./bytes.ts";
import { callHost } from "./host.ts";
import { defineInterface, dictionary, domString, usvString } from "./webidl.ts";

export class TextEncoder {
  get encoding(): string {
    return "utf-8";
  }

  encode(input: unknown = ""): Uint8Array {
    return encodeUtf8(usvString(input));
  }

  encodeInto(source: unknown, destination: unknown): { read: number; written: number } {
    if (!(destination instanceof Uint8Array)) throw new TypeError("encodeInto needs a Uint8Array");
    const text = usvString(source);
    let read = 0;
    let written = 0;
    for (const character of text) {
      const point = character.codePointAt(0) as number;
      const size = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
      if (written + size > destination.length) break;
      written += size;
      read += character.length;
    }
    destination.set(encodeUtf8(text.slice(0, read)));
    return { read, written };
  }
}
defineInterface(TextEncoder);

/** Bytes at the end of `bytes` that begin a UTF-8 sequence which more input could complete. */
function unfinishedUtf8(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] as number;
    if (byte < 0x80) return 0;
    if (byte < 0xc0) continue;
    const size =
      byte >= 0xf0 && byte <= 0xf4
        ? 4
        : byte >= 0xe0 && byte < 0xf0
          ? 3
          : byte >= 0xc2 && byte < 0xe0
            ? 2
            : 1;
    if (size <= back) return 0;
    if (back > 1) {
      const next = bytes[bytes.length - back + 1] as number;
      const low = byte === 0xe0 ? 0xa0 : byte === 0xf0 ? 0x90 : 0x80;
      const high = byte === 0xed ? 0x9f : byte === 0xf4 ? 0x8f : 0xbf;
      if (next < low || next > high) return 0;
    }
    return back;
  }
  return 0;
}

/** Bytes at the end that could belong to a longer unit of UTF-16: half a unit or a high surrogate. */
function unfinishedUtf16(bytes: Uint8Array, bigEndian: boolean): number {
  const odd = bytes.length % 2;
  const high = bytes[bytes.length - odd - (bigEndian ? 2 : 1)];
  return odd + (high !== undefined && high >= 0xd8 && high <= 0xdb ? 2 : 0);
}

const BOMS: Record<string, readonly number[]> = {
  "utf-8": [0xef, 0xbb, 0xbf],
  "utf-16le": [0xff, 0xfe],
  "utf-16be": [0xfe, 0xff],
};

export class TextDecoder {
  #encoding: string;
  #fatal: boolean;
  #ignoreBom: boolean;
  #kept: Uint8Array = new Uint8Array(0);
  #started = false;
  /** Length of the text returned so far, for multi-byte encodings. */
  #given = 0;
  readonly #severalBytes: boolean;
  #streaming = false;

  constructor(label: unknown = "utf-8", options: unknown = undefined) {
    const text = domString(label);
    const encoding = text === "utf-8" ? text : callHost("encoding.label", text);
    if (encoding === undefined) throw new RangeError(`The encoding label "${text}" is not known`);
    const bag = dictionary(options, "TextDecoder options");
    this.#encoding = encoding;
    this.#severalBytes = !encoding.startsWith("utf-") && callHost("encoding.single", encoding) !== "1";
    this.#fatal = Boolean(bag["fatal"]);
    this.#ignoreBom = Boolean(bag["ignoreBOM"]);
  }

  get encoding(): string {
    return this.#encoding;
  }

  get fatal(): boolean {
    return this.#fatal;
  }

  get ignoreBOM(): boolean {
    return this.#ignoreBom;
  }

  decode(input: unknown = undefined, options: unknown = undefined): string {
    let bytes: Uint8Array | undefined = new Uint8Array(0);
    if (input !== undefined) {
      bytes = viewBytes(input);
      if (bytes === undefined) throw new TypeError("decode needs an ArrayBuffer or a view of one");
    }
    const stream = Boolean(dictionary(options, "decode options")["stream"]);
    if (!this.#streaming) {
      this.#kept = new Uint8Array(0);
      this.#started = false;
      this.#given = 0;
    }
    this.#streaming = stream;
    let all = this.#kept.length === 0 ? bytes : concatenate([this.#kept, bytes]);
    this.#kept = new Uint8Array(0);
    if (this.#severalBytes) return this.#whole(all, stream);
    if (stream) {
      const unfinished = this.#unfinished(all);
      if (unfinished > 0) {
        this.#kept = all.slice(all.length - unfinished);
        all = all.subarray(0, all.length - unfinished);
      }
    }
    if (!this.#started && all.length > 0) {
      const bom = BOMS[this.#encoding];
      this.#started = true;
      if (!this.#ignoreBom && bom?.every((byte, at) => all[at] === byte)) all = all.subarray(bom.length);
    }
    return this.#text(all);
  }

  #unfinished(all: Uint8Array): number {
    const bom = BOMS[this.#encoding];
    if (
      !this.#started &&
      bom !== undefined &&
      all.length < bom.length &&
      all.every((byte, at) => byte === bom[at])
    ) {
      return all.length;
    }
    if (this.#encoding === "utf-8") return unfinishedUtf8(all);
    if (this.#encoding === "utf-16le") return unfinishedUtf16(all, false);
    if (this.#encoding === "utf-16be") return unfinishedUtf16(all, true);
    return 0;
  }

  /**
   * Multi-byte encodings: the host keeps no state between chunks, so all input so far is decoded again and the text
   * already returned is cut off. In a stream, an ending that up to three more bytes could change is held back.
   */
  #whole(all: Uint8Array, stream: boolean): string {
    let ready = all;
    for (let back = 0; stream && back <= Math.min(3, all.length); back += 1) {
      const shorter = all.subarray(0, all.length - back);
      const text = callHost("encoding.decode", shorter, this.#encoding, "") as string;
      if (text.endsWith("\ufffd")) continue;
      ready = shorter;
      break;
    }
    const text = this.#text(ready);
    const fresh = text.slice(this.#given);
    this.#given = text.length;
    this.#kept = stream ? all : new Uint8Array(0);
    return fresh;
  }

  #text(bytes: Uint8Array): string {
    if (bytes.length === 0) return "";
    const fatal = this.#fatal ? "1" : "";
    const text =
      this.#encoding === "utf-8"
        ? callHost("utf8.decode", bytes, fatal)
        : callHost("encoding.decode", bytes, this.#encoding, fatal);
    if (text === undefined) {
      this.#streaming = false;
      throw new TypeError(`The bytes are not valid ${this.#encoding}`);
    }
    return text as string;
  }
}
defineInterface(TextDecoder);
