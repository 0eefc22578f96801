/** Copies esbuild-wasm from its package folder, fitted to the editor. */
export function copyPortableBundler(source: string, target: string): void;
