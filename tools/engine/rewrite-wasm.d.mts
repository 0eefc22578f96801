/** See rewrite-wasm.mjs. */
export function rewriteWasm(original: Uint8Array, keep: readonly string[], expectedLoops: number): Uint8Array;
