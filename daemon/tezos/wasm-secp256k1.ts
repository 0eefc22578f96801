// libsecp256k1 in WebAssembly: a bundle of its own (`wasm-secp256k1.cjs`), loaded when somebody checks a signature. Ten
// times as fast as JavaScript.
// The package as a whole instantiates all of its libraries, which a bundle in CommonJS cannot.
import { instantiateSecp256k1 as instantiateLibrary } from "@bitauth/libauth/build/lib/crypto/secp256k1.js";

/** Whether 64 bytes (r and s) are the key's signature over a digest of 32 bytes; false for anything malformed. */
export type VerifySecp256k1 = (key: Uint8Array, digest: Uint8Array, signature: Uint8Array) => boolean;

const DIGEST_LENGTH = 32;
const SIGNATURE_LENGTH = 64;
const COMPRESSED_LENGTH = 33;
const UNCOMPRESSED_LENGTH = 65;
const UNCOMPRESSED = 4;

/** The same accounts sign repeatedly, and a root is a tenth of the work. */
const KEY_LIMIT = 1_024;

export async function instantiateSecp256k1(): Promise<VerifySecp256k1> {
  const library = await instantiateLibrary();
  const keys = new Map<string, Uint8Array>();

  /** Both coordinates of a point of the curve; undefined when it is none. */
  const readKey = (key: Uint8Array): Uint8Array | undefined => {
    const name = Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString("latin1");
    const known = keys.get(name);
    if (known) return known;
    const read = library.uncompressPublicKey(key);
    if (typeof read === "string") return undefined; // a text says that it is none
    if (keys.size >= KEY_LIMIT) keys.clear();
    keys.set(name, read);
    return read;
  };

  return (key, digest, signature) => {
    // The library pads what is too short, ignores what follows, and takes uncompressed keys that repeat the parity.
    if (digest.length !== DIGEST_LENGTH || signature.length !== SIGNATURE_LENGTH) return false;
    const isKey =
      key.length === COMPRESSED_LENGTH || (key.length === UNCOMPRESSED_LENGTH && key[0] === UNCOMPRESSED);
    const point = isKey ? readKey(key) : undefined;
    return point !== undefined && library.verifySignatureCompact(signature, point, digest);
  };
}
