// FormData and its two encodings in bodies: multipart/form-data and application/x-www-form-urlencoded.
/* oxlint-disable prefer-rest-params -- counts arguments; rest parameters would change the length of the methods */

import { blobBytes, blobOf, File, isBlob } from "./blob.ts";
import { concatenate, decodeText, decodeUtf8, encodeUtf8 } from "./bytes.ts";
import { defineInterface, pairIterator, required, usvString } from "./webidl.ts";

type Entry = [string, string | File];

function makeEntry(name: unknown, value: unknown, fileName: unknown, given: boolean): Entry {
  const key = usvString(name);
  if (!isBlob(value)) {
    if (given) throw new TypeError("A file name goes only with a Blob");
    return [key, usvString(value)];
  }
  if (value instanceof File && !given) return [key, value];
  const file = new File([value], given ? usvString(fileName) : "blob", {
    type: value.type,
    lastModified: value instanceof File ? value.lastModified : undefined,
  });
  return [key, file];
}

export class FormData {
  #entries: Entry[] = [];

  constructor(form: unknown = undefined) {
    if (form !== undefined) throw new TypeError("FormData of a form element is not available here");
  }

  append(name: unknown, value: unknown, fileName: unknown = undefined): void {
    required(arguments, 2, "FormData.append");
    this.#entries.push(makeEntry(name, value, fileName, arguments.length > 2 && fileName !== undefined));
  }

  delete(name: unknown): void {
    required(arguments, 1, "FormData.delete");
    const key = usvString(name);
    this.#entries = this.#entries.filter((entry) => entry[0] !== key);
  }

  get(name: unknown): string | File | null {
    required(arguments, 1, "FormData.get");
    const key = usvString(name);
    return this.#entries.find((entry) => entry[0] === key)?.[1] ?? null;
  }

  getAll(name: unknown): (string | File)[] {
    required(arguments, 1, "FormData.getAll");
    const key = usvString(name);
    return this.#entries.filter((entry) => entry[0] === key).map((entry) => entry[1]);
  }

  has(name: unknown): boolean {
    required(arguments, 1, "FormData.has");
    const key = usvString(name);
    return this.#entries.some((entry) => entry[0] === key);
  }

  set(name: unknown, value: unknown, fileName: unknown = undefined): void {
    required(arguments, 2, "FormData.set");
    const made = makeEntry(name, value, fileName, arguments.length > 2 && fileName !== undefined);
    const first = this.#entries.findIndex((entry) => entry[0] === made[0]);
    if (first < 0) {
      this.#entries.push(made);
      return;
    }
    this.#entries = this.#entries.filter((entry, index) => entry[0] !== made[0] || index === first);
    this.#entries[first] = made;
  }

  forEach(callback: unknown, self: unknown = undefined): void {
    required(arguments, 1, "FormData.forEach");
    if (typeof callback !== "function") throw new TypeError("FormData.forEach needs a function");
    for (let index = 0; index < this.#entries.length; index += 1) {
      const [name, value] = this.#entries[index] as Entry;
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

  static list(form: FormData): readonly Entry[] {
    return form.#entries;
  }
}

const entriesOf = FormData.list;
delete (FormData as unknown as { list?: unknown }).list;
const iterate = pairIterator<FormData>("FormData", entriesOf);
Object.defineProperty(FormData.prototype, Symbol.iterator, {
  value: FormData.prototype.entries,
  writable: true,
  configurable: true,
});
defineInterface(FormData);

const escapeName = (text: string): string =>
  text
    .replace(/\r\n?|\n/g, "\r\n")
    .replace(/\n/g, "%0A")
    .replace(/\r/g, "%0D")
    .replace(/"/g, "%22");
const escapeFileName = (text: string): string =>
  text.replace(/\n/g, "%0A").replace(/\r/g, "%0D").replace(/"/g, "%22");

/** @param boundary chosen by the caller */
export function encodeMultipart(form: FormData, boundary: string): Uint8Array<ArrayBuffer> {
  const chunks: Uint8Array[] = [];
  for (const [name, value] of entriesOf(form)) {
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${escapeName(name)}"`;
    if (typeof value === "string") {
      chunks.push(encodeUtf8(`${head}\r\n\r\n${value.replace(/\r\n?|\n/g, "\r\n")}\r\n`));
    } else {
      const type = value.type || "application/octet-stream";
      chunks.push(
        encodeUtf8(`${head}; filename="${escapeFileName(value.name)}"\r\nContent-Type: ${type}\r\n\r\n`),
      );
      chunks.push(blobBytes(value), encodeUtf8("\r\n"));
    }
  }
  chunks.push(encodeUtf8(`--${boundary}--\r\n`));
  return concatenate(chunks);
}

const latin1 = (bytes: Uint8Array): string => {
  let text = "";
  for (let at = 0; at < bytes.length; at += 8192)
    text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return text;
};

const unescape = (text: string): string =>
  decodeUtf8(Uint8Array.from(text, (character) => character.charCodeAt(0)))
    .replace(/%0A/gi, "\n")
    .replace(/%0D/gi, "\r")
    .replace(/%22/g, '"');

/** @throws TypeError when the bytes are not a multipart body with that boundary */
export function decodeMultipart(bytes: Uint8Array, boundary: string): FormData {
  const form = new FormData();
  const text = latin1(bytes);
  const marker = `--${boundary}`;
  const fail = (): never => {
    throw new TypeError("The body is not valid multipart/form-data");
  };
  let at = text.startsWith("\r\n") ? 2 : 0;
  if (!text.startsWith(marker, at)) fail();
  at += marker.length;
  for (;;) {
    if (text.startsWith("--", at)) return form;
    if (!text.startsWith("\r\n", at)) fail();
    at += 2;
    const headEnd = text.indexOf("\r\n\r\n", at - 2);
    if (headEnd < 0) fail();
    const head = text.slice(at, Math.max(at, headEnd));
    const end = text.indexOf(`\r\n${marker}`, headEnd + 2);
    if (end < 0) fail();
    const disposition =
      /^content-disposition:[ \t]*form-data;[ \t]*name="([^"]*)"(?:;[ \t]*filename="([^"]*)")?/im.exec(head);
    if (disposition === null) throw new TypeError("A part has no valid content-disposition");
    const type = /^content-type:[ \t]*([^\r\n]*?)[ \t]*$/im.exec(head)?.[1] ?? "text/plain";
    const content = bytes.slice(headEnd + 4, Math.max(headEnd + 4, end));
    const name = unescape(disposition[1] ?? "");
    if (disposition[2] === undefined) form.append(name, decodeText(content));
    else form.append(name, new File([blobOf(content, type)], unescape(disposition[2]), { type }));
    at = end + 2 + marker.length;
  }
}
