// The streams standard, from web-streams-polyfill, and two queries that its public API lacks.

import {
  ByteLengthQueuingStrategy,
  CountQueuingStrategy,
  ReadableByteStreamController,
  ReadableStream as PolyfilledReadableStream,
  ReadableStreamBYOBReader,
  ReadableStreamBYOBRequest,
  ReadableStreamDefaultController,
  ReadableStreamDefaultReader,
  TransformStream,
  TransformStreamDefaultController,
  WritableStream,
  WritableStreamDefaultController,
  WritableStreamDefaultWriter,
} from "web-streams-polyfill";

/** The polyfill's class with the loose constructor that this prelude uses. */
export type ReadableStream = PolyfilledReadableStream<unknown>;
export const ReadableStream = PolyfilledReadableStream as unknown as {
  new (source?: object, strategy?: object): ReadableStream;
  prototype: ReadableStream;
};

export const streamGlobals = {
  ByteLengthQueuingStrategy,
  CountQueuingStrategy,
  ReadableByteStreamController,
  ReadableStream: PolyfilledReadableStream,
  ReadableStreamBYOBReader,
  ReadableStreamBYOBRequest,
  ReadableStreamDefaultController,
  ReadableStreamDefaultReader,
  TransformStream,
  TransformStreamDefaultController,
  WritableStream,
  WritableStreamDefaultController,
  WritableStreamDefaultWriter,
};

export { TransformStream };

/** Read from or cancelled. The polyfill keeps this in a private field. */
export const isDisturbed = (stream: ReadableStream): boolean =>
  (stream as unknown as { _disturbed?: boolean })._disturbed === true;

/** @returns all chunks of a byte stream; rejects when a chunk is not a Uint8Array */
export async function readAll(stream: ReadableStream): Promise<Uint8Array[]> {
  const reader = stream.getReader();
  const chunks: Uint8Array[] = [];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return chunks;
    if (!(value instanceof Uint8Array)) {
      const error = new TypeError("A body stream gave a chunk that is not a Uint8Array");
      void reader.cancel(error).catch(() => undefined);
      throw error;
    }
    chunks.push(value);
  }
}
