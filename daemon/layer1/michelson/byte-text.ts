// The interpreter holds bytes as text with one character per byte. Such texts compare as bytes do, share memory when they
// are joined or cut, and convert to bytes and back by a plain copy.

export const toByteText = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
export const fromByteText = (text: string): Buffer => Buffer.from(text, "latin1");

/** @param hex of even length */
export const byteTextOfHex = (hex: string): string => Buffer.from(hex, "hex").toString("latin1");
export const hexOfByteText = (text: string): string => Buffer.from(text, "latin1").toString("hex");
