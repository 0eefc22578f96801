// Text encodings other than UTF-8 for the guest's TextDecoder. From @exodus/bytes rather than the host's ICU, so that
// every Node and Electron build decodes alike.

import { normalizeEncoding, TextDecoder as LegacyDecoder } from "@exodus/bytes/encoding.js";

const SEVERAL_BYTES = new Set(["gbk", "gb18030", "big5", "euc-jp", "iso-2022-jp", "shift_jis", "euc-kr"]);

/** @returns the encoding's name in lower case, or undefined for labels that TextDecoder rejects */
export function labelToEncoding(label: string): string | undefined {
  const name = normalizeEncoding(label);
  return name === null || name === "replacement" ? undefined : name;
}

/** True when each byte decodes independently, so that a stream of chunks needs no state. */
export const isSingleByte = (encoding: string): boolean =>
  !SEVERAL_BYTES.has(encoding) && !encoding.startsWith("utf-");

/** @returns the text, or undefined when `fatal` and the bytes are not valid */
export function decodeLegacy(bytes: Uint8Array, encoding: string, fatal: boolean): string | undefined {
  const decoder = new LegacyDecoder(encoding, { fatal, ignoreBOM: true });
  try {
    return decoder.decode(bytes);
  } catch (error) {
    if (fatal && error instanceof TypeError) return undefined;
    throw error;
  }
}
