// libsecp256k1 in WebAssembly: a bundle of its own (`wasm-secp256k1.cjs`), loaded when somebody checks a signature. Ten
// times as fast as JavaScript.
// The package as a whole instantiates all of its libraries, which a bundle in CommonJS cannot.
import { instantiateSecp256k1 as instantiateLibrary } from "@bitauth/libauth/build/lib/crypto/secp256k1.js";
import { toByteText } from "./byte-text.ts";
import { RecentMap } from "./recent-map.ts";

/** Whether 64 bytes (r and s) are the key's signature over a digest of 32 bytes; false for anything malformed. */
export type VerifySecp256k1 = (key: Uint8Array, digest: Uint8Array, signature: Uint8Array) => boolean;

const DIGEST_LENGTH = 32;
const SIGNATURE_LENGTH = 64;
const COMPRESSED_LENGTH = 33;
const UNCOMPRESSED_LENGTH = 65;
const UNCOMPRESSED = 4;

export async function instantiateSecp256k1(): Promise<VerifySecp256k1> {
  const library = await instantiateLibrary();
  /** The same accounts sign repeatedly, and a root is a tenth of the work. */
  const keys = new RecentMap<Uint8Array>(1_024);

  /** Both coordinates of a point of the curve; undefined when it is none. */
  const readKey = (key: Uint8Array): Uint8Array | undefined => {
    const read = library.uncompressPublicKey(key);
    return typeof read === "string" ? undefined : read; // a text says that it is none
  };

  return (key, digest, signature) => {
    // The library pads what is too short, ignores what follows, and takes uncompressed keys that repeat the parity.
    if (digest.length !== DIGEST_LENGTH || signature.length !== SIGNATURE_LENGTH) return false;
    const isKey =
      key.length === COMPRESSED_LENGTH || (key.length === UNCOMPRESSED_LENGTH && key[0] === UNCOMPRESSED);
    const point = isKey ? keys.getOrMake(toByteText(key), () => readKey(key)) : undefined;
    return point !== undefined && library.verifySignatureCompact(signature, point, digest);
  };
}
