/** See hook-wasm.mjs. */
export function hookWasm(metered: Uint8Array): Uint8Array;
