// Strict conversion between hex text and bytes.
import { textOfBytes } from "./byte-text.ts";

/** Whether the text is hex of whole bytes. Checks the length apart: a pattern of pairs would count them one by one. */
export const isHex = (text: string): boolean => text.length % 2 === 0 && /^[0-9a-fA-F]*$/.test(text);

/** Lower-case hex of the bytes. */
export const toHex = (bytes: Uint8Array): string => textOfBytes(bytes, "hex");

/** Bytes of a hex text, or undefined when its length is odd or a character is not a hex digit. */
export function fromHex(text: string): Uint8Array | undefined {
  return isHex(text) ? new Uint8Array(Buffer.from(text, "hex")) : undefined;
}
