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

/** Bytes. The library makes views of what it hashes, for which V8 moves short arrays out of the heap: those are copied here. */
const SHORT = 128;
const desk = new Uint8Array(new ArrayBuffer(SHORT));
const firstBytes = Array.from({ length: SHORT + 1 }, (_, length) => desk.subarray(0, length));

function outsideOfHeap(data: Uint8Array | string): Uint8Array | string {
  if (typeof data === "string" || data.length > SHORT) return data;
  desk.set(data);
  return firstBytes[data.length]!;
}

/** Instances of the functions; each is one region of memory, which is used for one hash at a time. */
export async function instantiateHashes(): Promise<WasmHashes> {
  const [blake2b256, blake2b160, keccak256] = await Promise.all(
    [createBLAKE2b(256), createBLAKE2b(160), createKeccak(KECCAK_256)].map(
      async (instance): Promise<Hash> => {
        const hasher = await instance;
        return (data) => hasher.init().update(outsideOfHeap(data)).digest("binary");
      },
    ),
  );
  return { blake2b256: blake2b256!, blake2b160: blake2b160!, keccak256: keccak256! };
}
