// FileReader: event-based reading of blobs. Everything is in memory, so its events follow each other as microtasks.
/* oxlint-disable prefer-rest-params -- counts arguments; rest parameters would change the length of the methods */

import { type Blob, blobBytes, isBlob } from "./blob.ts";
import { TextDecoder } from "./encoding.ts";
import { ProgressEvent } from "./event-classes.ts";
import { defineHandler, EventTarget, fire } from "./events.ts";
import { defineInterface, required } from "./webidl.ts";

const JOBS_BETWEEN_EVENTS = 8;

const latin1 = (bytes: Uint8Array): string => {
  let text = "";
  for (let at = 0; at < bytes.length; at += 8192)
    text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return text;
};

/** A byte order mark overrides any label. */
function markedEncoding([a, b]: Uint8Array): string | undefined {
  if (a === 0xfe && b === 0xff) return "utf-16be";
  return a === 0xff && b === 0xfe ? "utf-16le" : undefined;
}

function textOf(blob: Blob, label: unknown): string {
  const candidates = [
    markedEncoding(blobBytes(blob)),
    label,
    /charset=([^;]+)/i.exec(blob.type)?.[1],
    "utf-8",
  ];
  for (const candidate of candidates) {
    if (candidate === undefined) continue;
    try {
      return new TextDecoder(candidate).decode(blobBytes(blob));
    } catch {
      // An unknown label: use the next candidate, as the standard requires.
    }
  }
  return "";
}

export class FileReader extends EventTarget {
  #state = 0;
  #result: string | ArrayBuffer | null = null;
  #error: DOMException | null = null;
  #run = 0;

  get readyState(): number {
    return this.#state;
  }
  get result(): string | ArrayBuffer | null {
    return this.#result;
  }
  get error(): DOMException | null {
    return this.#error;
  }
  readAsArrayBuffer(blob: unknown): void {
    required(arguments, 1, "FileReader.readAsArrayBuffer");
    this.#read(blob, (source) => blobBytes(source).slice().buffer);
  }
  readAsBinaryString(blob: unknown): void {
    required(arguments, 1, "FileReader.readAsBinaryString");
    this.#read(blob, (source) => latin1(blobBytes(source)));
  }
  readAsDataURL(blob: unknown): void {
    required(arguments, 1, "FileReader.readAsDataURL");
    this.#read(
      blob,
      (source) =>
        `data:${source.type || "application/octet-stream"};base64,${btoa(latin1(blobBytes(source)))}`,
    );
  }
  readAsText(blob: unknown, encoding: unknown = undefined): void {
    required(arguments, 1, "FileReader.readAsText");
    this.#read(blob, (source) => textOf(source, encoding));
  }
  abort(): void {
    if (this.#state !== 1) {
      this.#result = null;
      return;
    }
    this.#run += 1;
    this.#state = 2;
    this.#result = null;
    this.#error = new DOMException("The read was aborted", "AbortError");
    this.#fire("abort", 0, 0);
    if ((this.#state as number) !== 1) this.#fire("loadend", 0, 0);
  }

  #read(blob: unknown, convert: (source: Blob) => string | ArrayBuffer): void {
    if (!isBlob(blob)) throw new TypeError("A FileReader reads Blobs");
    if (this.#state === 1) throw new DOMException("The reader is busy", "InvalidStateError");
    this.#state = 1;
    this.#result = null;
    this.#error = null;
    this.#run += 1;
    const run = this.#run;
    const { size } = blob;
    // The jobs of listeners run between two events, as between tasks of a browser.
    const steps: (() => void)[] = [
      () => this.#fire("loadstart", 0, size),
      () => void (size > 0 && this.#fire("progress", size, size)),
      () => {
        this.#state = 2;
        this.#result = convert(blob);
        this.#fire("load", size, size);
      },
      () => void (this.#state === 2 && this.#fire("loadend", size, size)),
    ];
    void (async () => {
      for (const step of steps) {
        for (let turn = 0; turn < JOBS_BETWEEN_EVENTS; turn += 1) await null;
        if (run !== this.#run) return;
        step();
      }
    })();
  }

  #fire(type: string, loaded: number, total: number): void {
    fire(this, new ProgressEvent(type, { lengthComputable: true, loaded, total }));
  }
}
defineInterface(FileReader);
for (const [name, value] of [
  ["EMPTY", 0],
  ["LOADING", 1],
  ["DONE", 2],
] as const) {
  Object.defineProperty(FileReader, name, { value, enumerable: true });
  Object.defineProperty(FileReader.prototype, name, { value, enumerable: true });
}
for (const type of ["loadstart", "progress", "load", "abort", "error", "loadend"])
  defineHandler(FileReader.prototype, type);
