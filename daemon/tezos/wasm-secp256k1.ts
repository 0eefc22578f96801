// libsecp256k1 in WebAssembly: a bundle of its own (`wasm-secp256k1.cjs`), loaded when somebody checks a signature. Six
// times as fast as JavaScript.
import { initWasmSecp256k1 } from "@solar-republic/wasm-secp256k1";

/** Whether 64 bytes (r and s) are the key's signature over a digest of 32 bytes; false for anything malformed. */
export type VerifySecp256k1 = (key: Uint8Array, digest: Uint8Array, signature: Uint8Array) => boolean;

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
/** As bytes, to see at a glance which signatures the library refuses for the size of s. */
const HALF_ORDER = Buffer.from((ORDER >> 1n).toString(16), "hex");

const COMPRESSED_LENGTH = 33;
const UNCOMPRESSED_LENGTH = 65;
const UNCOMPRESSED = 4;

/** The same accounts sign repeatedly, and a root is a tenth of the work. */
const KEY_LIMIT = 1_024;

export async function instantiateSecp256k1(): Promise<VerifySecp256k1> {
  const library = await initWasmSecp256k1();
  const keys = new Map<string, Uint8Array>();

  /** Both coordinates of a point of the curve. @throws Error when it is none */
  const readKey = (key: Uint8Array): Uint8Array => {
    const name = Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString("latin1");
    const known = keys.get(name);
    if (known) return known;
    const read = library.reformat_pk(key, true);
    if (keys.size >= KEY_LIMIT) keys.clear();
    keys.set(name, read);
    return read;
  };

  return (key, digest, signature) => {
    // The library also takes uncompressed keys that repeat the parity.
    const isKey =
      key.length === COMPRESSED_LENGTH || (key.length === UNCOMPRESSED_LENGTH && key[0] === UNCOMPRESSED);
    if (!isKey) return false;
    try {
      return library.verify(withLowS(signature), digest, readKey(key));
    } catch {
      return false; // points and numbers outside the curve
    }
  };
}

/** The same signature with the lower of the two values that s may have: the library takes no other. */
function withLowS(signature: Uint8Array): Uint8Array {
  const s = signature.subarray(32);
  if (Buffer.compare(s, HALF_ORDER) <= 0) return signature;
  const value = BigInt(`0x${Buffer.from(s).toString("hex")}`);
  if (value >= ORDER) return signature;
  const low = Buffer.from((ORDER - value).toString(16).padStart(64, "0"), "hex");
  return Buffer.concat([signature.subarray(0, 32), low]);
}
