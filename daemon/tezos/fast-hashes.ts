// Loads the hash functions in WebAssembly for those that hash much. Until then, and where WebAssembly is off, the same
// digests come from JavaScript.
import type { WasmHashes } from "./wasm-hashes.ts";

export type { WasmHashes };

let hashes: WasmHashes | undefined;
let loading: Promise<void> | undefined;

/** The fast functions, once they are loaded. */
export const fastHashes = (): WasmHashes | undefined => hashes;

/** Loads the fast functions; resolves at once when they are loaded. @throws WebAssembly.CompileError, out of memory */
export function loadHashes(): Promise<void> {
  loading ??= import("./wasm-hashes.ts")
    .then(({ instantiateHashes }) => instantiateHashes())
    .then((instances) => void (hashes = instances));
  return loading;
}

/** Begins to load the fast functions, if nobody has. */
export function wantHashes(): void {
  if (!loading) loadHashes().catch(() => {}); // the slow ones go on
}
