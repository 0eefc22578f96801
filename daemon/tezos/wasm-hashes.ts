// Hash functions in WebAssembly: a bundle of its own (`wasm-hashes.cjs`), loaded when somebody hashes much. Five times as
// fast as JavaScript for short data, twenty times for long.
import { createBLAKE2b, createKeccak } from "hash-wasm";

/** A hash function for data in one piece; UTF-8 for text. */
export type Hash = (data: Uint8Array | string) => Uint8Array;

export interface WasmHashes {
  readonly blake2b256: Hash;
  readonly blake2b160: Hash;
  readonly keccak256: Hash;
}

const KECCAK_256 = 256;

/** Instances of the functions; each is one region of memory, which is used for one hash at a time. */
export async function instantiateHashes(): Promise<WasmHashes> {
  const [blake2b256, blake2b160, keccak256] = await Promise.all(
    [createBLAKE2b(256), createBLAKE2b(160), createKeccak(KECCAK_256)].map(
      async (instance): Promise<Hash> => {
        const hasher = await instance;
        return (data) => hasher.init().update(data).digest("binary");
      },
    ),
  );
  return { blake2b256: blake2b256!, blake2b160: blake2b160!, keccak256: keccak256! };
}
