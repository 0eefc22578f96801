/** See shared-engine.mjs. */
export const sharedEngine: import("esbuild").Plugin;
