// Operations that the engine itself performs for the prelude: they depend on their arguments only, so they may also run
// while a function's image is made.

import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { compress, decompress } from "./compression.ts";
import { GuestError } from "./guest-error.ts";
import type { PureOp } from "./host-ops.ts";
import { isSingleByte, decodeLegacy, labelToEncoding } from "./legacy-encodings.ts";
import { parseUrl, setUrl } from "./url-operations.ts";

export type Value = string | Uint8Array | undefined;

const text = (value: Value): string => (typeof value === "string" ? value : "");
const bytes = (value: Value): Uint8Array => (value instanceof Uint8Array ? value : Buffer.from(text(value)));

const DIGESTS: Readonly<Record<string, string>> = {
  "SHA-1": "sha1",
  "SHA-256": "sha256",
  "SHA-384": "sha384",
  "SHA-512": "sha512",
};

function decodeUtf8(input: Uint8Array, fatal: boolean): string | undefined {
  if (isUtf8(input)) return Buffer.from(input.buffer, input.byteOffset, input.length).toString("utf8");
  return fatal ? undefined : new TextDecoder("utf-8", { ignoreBOM: true }).decode(input);
}

const OPERATIONS: Readonly<Record<PureOp, (a: Value, b: Value, c: Value) => Value>> = {
  "utf8.encode": (a) => Buffer.from(text(a), "utf8"),
  "utf8.decode": (a, b) => decodeUtf8(bytes(a), b === "1"),
  "encoding.label": (a) => labelToEncoding(text(a)),
  "encoding.single": (a) => (isSingleByte(text(a)) ? "1" : ""),
  "encoding.decode": (a, b, c) => decodeLegacy(bytes(a), text(b), c === "1"),
  "url.parse": (a, b) => parseUrl(text(a), typeof b === "string" ? b : undefined),
  "url.set": (a, b, c) => setUrl(text(a), text(b), text(c)),
  compress: (a, b) => compress(text(a), bytes(b)),
  decompress: (a, b, c) => decompress(text(a), bytes(b), c === "end"),
  digest: (a, b) => {
    const name = text(a);
    if (!Object.hasOwn(DIGESTS, name))
      throw new GuestError("NotSupportedError", `The digest ${name} is not known`);
    return createHash(DIGESTS[name]!).update(bytes(b)).digest();
  },
};

/** Runs an operation. */
export const pureOperation = (name: PureOp, a: Value, b: Value, c: Value): Value => OPERATIONS[name](a, b, c);
