/** Copies esbuild-wasm from its package folder, adapted to the editor. */
export function copyPortableBundler(source: string, target: string): void;
