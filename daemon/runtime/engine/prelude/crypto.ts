// crypto: digests, and "random" bytes derived from the operation, so that a replay gets the same ones. They are not
// secret. Keys, signatures and encryption are rejected by name.
/* oxlint-disable prefer-rest-params -- counts arguments; rest parameters would change the length of the methods */

import { viewBytes } from "./bytes.ts";
import { notSupported } from "./errors.ts";
import { callHost } from "./host.ts";
import { defineInterface, required } from "./webidl.ts";

const DIGESTS = ["SHA-1", "SHA-256", "SHA-384", "SHA-512"];
let allowed = false;

export class SubtleCrypto {
  constructor() {
    if (!allowed) throw new TypeError("Illegal constructor");
  }

  async digest(algorithm: unknown, data: unknown): Promise<ArrayBuffer> {
    required(arguments, 2, "SubtleCrypto.digest");
    const name =
      typeof algorithm === "object" && algorithm !== null
        ? (algorithm as { name?: unknown }).name
        : algorithm;
    if (name === undefined) throw new TypeError("The algorithm has no name");
    const bytes = viewBytes(data)?.slice();
    if (bytes === undefined) throw new TypeError("digest needs an ArrayBuffer or a view of one");
    const known = DIGESTS.find((digest) => digest === `${name as string}`.toUpperCase());
    if (known === undefined)
      throw new DOMException(`The digest ${name as string} is not known`, "NotSupportedError");
    return callHost("digest", known, bytes).slice().buffer;
  }
}
for (const name of [
  "encrypt",
  "decrypt",
  "sign",
  "verify",
  "generateKey",
  "deriveKey",
  "deriveBits",
  "importKey",
  "exportKey",
  "wrapKey",
  "unwrapKey",
]) {
  Object.defineProperty(SubtleCrypto.prototype, name, {
    value: {
      [name]: async () => {
        throw notSupported(`'crypto.subtle.${name}()' is not supported`);
      },
    }[name],
    writable: true,
    configurable: true,
  });
}
defineInterface(SubtleCrypto);

const INTEGERS = [
  "Int8Array",
  "Uint8Array",
  "Uint8ClampedArray",
  "Int16Array",
  "Uint16Array",
  "Int32Array",
  "Uint32Array",
  "BigInt64Array",
  "BigUint64Array",
];

export class Crypto {
  constructor() {
    if (!allowed) throw new TypeError("Illegal constructor");
  }

  get subtle(): SubtleCrypto {
    if (!(this instanceof Crypto)) throw new TypeError("Illegal invocation");
    return subtle;
  }

  getRandomValues<T>(array: T): T {
    required(arguments, 1, "Crypto.getRandomValues");
    const tag = ArrayBuffer.isView(array)
      ? (array as unknown as { [Symbol.toStringTag]: string })[Symbol.toStringTag]
      : "";
    if (!ArrayBuffer.isView(array)) throw new TypeError("getRandomValues needs an integer array");
    if (!INTEGERS.includes(tag))
      throw new DOMException("getRandomValues needs an integer array", "TypeMismatchError");
    if (array.byteLength > 65_536)
      throw new DOMException("At most 65536 bytes at once", "QuotaExceededError");
    const view = viewBytes(array) as Uint8Array;
    if (view.length > 0) view.set(callHost("random", `${view.length}`));
    return array;
  }

  randomUUID(): string {
    const bytes = this.getRandomValues(new Uint8Array(16));
    bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40;
    bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
    const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  }
}
defineInterface(Crypto);

allowed = true;
const subtle = new SubtleCrypto();
export const crypto = new Crypto();
allowed = false;
