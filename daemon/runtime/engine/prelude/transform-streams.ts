// Streams that transform bytes and text: encoding, decoding, compression. The host does the work and keeps no state for
// the guest: a compressor passes its whole input at the end, a decompressor all input so far.
/* oxlint-disable prefer-rest-params -- counts arguments; rest parameters would change the length of the methods */

import { concatenate, encodeUtf8, viewBytes } from "./bytes.ts";
import { TextDecoder } from "./encoding.ts";
import { callHost } from "./host.ts";
import { type ReadableStream, TransformStream } from "./streams.ts";
import { defineInterface, domString, enumeration, required } from "./webidl.ts";

interface Controller {
  enqueue(chunk: unknown): void;
}
interface Pair {
  readonly readable: ReadableStream;
  readonly writable: unknown;
}

const pair = (transformer: object): Pair => new TransformStream(transformer) as unknown as Pair;

function bytesIn(chunk: unknown): Uint8Array {
  const bytes = viewBytes(chunk);
  if (bytes === undefined) throw new TypeError("The chunk is not an ArrayBuffer or a view of one");
  return bytes;
}

export class TextEncoderStream {
  #pair: Pair;

  constructor() {
    let high = "";
    this.#pair = pair({
      transform(chunk: unknown, controller: Controller) {
        let text = high + domString(chunk);
        high = "";
        const last = text.charCodeAt(text.length - 1);
        if (last >= 0xd800 && last <= 0xdbff) {
          high = text.slice(-1);
          text = text.slice(0, -1);
        }
        if (text !== "") controller.enqueue(encodeUtf8(text));
      },
      flush(controller: Controller) {
        if (high !== "") controller.enqueue(new Uint8Array([0xef, 0xbf, 0xbd]));
      },
    });
  }
  get encoding(): string {
    return this.#pair && "utf-8";
  }
  get readable(): ReadableStream {
    return this.#pair.readable;
  }
  get writable(): unknown {
    return this.#pair.writable;
  }
}
defineInterface(TextEncoderStream);

export class TextDecoderStream {
  #pair: Pair;
  #decoder: TextDecoder;

  constructor(label: unknown = "utf-8", options: unknown = undefined) {
    const decoder = new TextDecoder(label, options);
    this.#decoder = decoder;
    this.#pair = pair({
      transform(chunk: unknown, controller: Controller) {
        const text = decoder.decode(bytesIn(chunk), { stream: true });
        if (text !== "") controller.enqueue(text);
      },
      flush(controller: Controller) {
        const text = decoder.decode();
        if (text !== "") controller.enqueue(text);
      },
    });
  }
  get encoding(): string {
    return this.#decoder.encoding;
  }
  get fatal(): boolean {
    return this.#decoder.fatal;
  }
  get ignoreBOM(): boolean {
    return this.#decoder.ignoreBOM;
  }
  get readable(): ReadableStream {
    return this.#pair.readable;
  }
  get writable(): unknown {
    return this.#pair.writable;
  }
}
defineInterface(TextDecoderStream);

const FORMATS = ["deflate", "deflate-raw", "gzip"] as const;

function compressor(format: string): Pair {
  const chunks: Uint8Array[] = [];
  return pair({
    transform(chunk: unknown) {
      chunks.push(bytesIn(chunk).slice());
    },
    flush(controller: Controller) {
      enqueue(controller, callHost("compress", format, concatenate(chunks)));
    },
  });
}

/** Readers may wait for output before the input ends, so each chunk yields the output that it completes. */
function decompressor(format: string): Pair {
  let input = new Uint8Array(0);
  let given = 0;
  const advance = (controller: Controller, end: string): void => {
    const output = callHost("decompress", format, input, end);
    enqueue(controller, output.subarray(given));
    given = output.length;
  };
  return pair({
    transform(chunk: unknown, controller: Controller) {
      input = concatenate([input, bytesIn(chunk)]);
      advance(controller, "");
    },
    flush: (controller: Controller) => advance(controller, "end"),
  });
}

function enqueue(controller: Controller, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; at += 65_536) controller.enqueue(bytes.slice(at, at + 65_536));
}

export class CompressionStream {
  #pair: Pair;

  constructor(format: unknown) {
    required(arguments, 1, "CompressionStream constructor");
    this.#pair = compressor(enumeration(format, FORMATS, "format"));
  }
  get readable(): ReadableStream {
    return this.#pair.readable;
  }
  get writable(): unknown {
    return this.#pair.writable;
  }
}
defineInterface(CompressionStream);

export class DecompressionStream {
  #pair: Pair;

  constructor(format: unknown) {
    required(arguments, 1, "DecompressionStream constructor");
    this.#pair = decompressor(enumeration(format, FORMATS, "format"));
  }
  get readable(): ReadableStream {
    return this.#pair.readable;
  }
  get writable(): unknown {
    return this.#pair.writable;
  }
}
defineInterface(DecompressionStream);
