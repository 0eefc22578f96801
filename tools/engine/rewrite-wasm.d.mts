/** See rewrite-wasm.mjs. */
export function rewriteWasm(
  original: Uint8Array,
  keep: readonly string[],
  expected: { readonly loops: number; readonly stackChanges: number },
): Uint8Array;
