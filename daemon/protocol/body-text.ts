// What the bytes of a body are for people: JSON, other text, or no text.
import { isJsonText } from "./json-layout.ts";

/** The text of UTF-8 bytes, byte order mark included; undefined for other bytes. */
export function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** The media type of a `content-type` header, in small letters without its parameters; empty without the header. */
export const mediaTypeOf = (contentType: string | readonly string[] | undefined): string =>
  [contentType ?? ""].flat().join().split(";")[0]!.trim().toLowerCase();

/**
 * Text that is declared as JSON is JSON. Functions also send objects and lists without a type of their own, which arrive as
 * plain text; a plain number or word is text.
 */
export function isJsonBody(text: string, mediaType: string): boolean {
  if (/^(application|text)\/([^/]{1,100}\+)?json$/.test(mediaType)) return isJsonText(text);
  return (mediaType === "" || mediaType === "text/plain") && /^\s*[[{]/.test(text) && isJsonText(text);
}
