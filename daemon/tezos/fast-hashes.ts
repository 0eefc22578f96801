// Loads the hash functions in WebAssembly for those that hash much. Until then, and where WebAssembly is off, the same
// digests come from JavaScript.
import { LazyLibrary } from "./lazy-library.ts";
import type { WasmHashes } from "./wasm-hashes.ts";

export type { WasmHashes };

const library = new LazyLibrary<WasmHashes>(async () =>
  (await import("./wasm-hashes.ts")).instantiateHashes(),
);

/** The fast functions, once they are loaded. */
export const fastHashes = (): WasmHashes | undefined => library.loaded;

/** Loads the fast functions; resolves at once when they are loaded. @throws WebAssembly.CompileError, out of memory */
export const loadHashes = (): Promise<void> => library.load();

/** Begins to load the fast functions, if nobody has. */
export const wantHashes = (): void => library.want();
