// What the bundles take of hash-wasm: the whole package carries all of its hash functions, each with its bytes. By path,
// because the name of the package leads here.
export { createBLAKE2b } from "../node_modules/hash-wasm/dist/blake2b.umd.min.js";
export { createKeccak } from "../node_modules/hash-wasm/dist/keccak.umd.min.js";
