// Bytes as text. With one character per byte (Latin-1) they are keys of maps, and what the interpreter holds: such texts
// compare as bytes do, share memory when they are joined or cut, and convert to bytes and back by a plain copy.

/** Bytes. Longer arrays have memory of their own, of which a Buffer is made at once. */
const SHORT = 256;
const desk = Buffer.allocUnsafeSlow(SHORT);

/**
 * Text of the bytes. Short ones are copied to a Buffer that is there: to make one of a small array, V8 first has to move its
 * bytes out of the heap, which takes three times as long.
 */
export function textOfBytes(bytes: Uint8Array, encoding: "latin1" | "hex"): string {
  const { length } = bytes;
  if (length > SHORT) return Buffer.from(bytes.buffer, bytes.byteOffset, length).toString(encoding);
  desk.set(bytes);
  return desk.toString(encoding, 0, length);
}

/** One character per byte. */
export const toByteText = (bytes: Uint8Array): string => textOfBytes(bytes, "latin1");
export const fromByteText = (text: string): Buffer => Buffer.from(text, "latin1");

/** @param hex of even length */
export const byteTextOfHex = (hex: string): string => Buffer.from(hex, "hex").toString("latin1");
export const hexOfByteText = (text: string): string => Buffer.from(text, "latin1").toString("hex");
