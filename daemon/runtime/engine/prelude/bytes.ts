// Text and bytes. UTF-8 conversion happens on the host, which is a hundred times faster than guest code and charges gas
// by length.

import { callHost } from "./host.ts";

/** @returns UTF-8 bytes; lone surrogates become U+FFFD */
export const encodeUtf8 = (text: string): Uint8Array<ArrayBuffer> =>
  text === "" ? new Uint8Array(0) : callHost("utf8.encode", text);

/** @returns text with each maximal invalid sequence as U+FFFD; a byte order mark is kept */
export const decodeUtf8 = (bytes: Uint8Array): string =>
  bytes.length === 0 ? "" : (callHost("utf8.decode", bytes) as string);

/** UTF-8 decode of the encoding standard: a leading byte order mark is dropped. */
export function decodeText(bytes: Uint8Array): string {
  const text = decodeUtf8(bytes);
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

/** @returns a view of the bytes behind a BufferSource, or undefined for other values */
export function viewBytes(source: unknown): Uint8Array | undefined {
  if (source instanceof ArrayBuffer) return new Uint8Array(source);
  if (ArrayBuffer.isView(source)) return new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
  return undefined;
}

export function concatenate(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  let length = 0;
  for (const chunk of chunks) length += chunk.length;
  const all = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}
