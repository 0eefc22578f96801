import type { BuildOptions } from "esbuild";

type Source = string | { readonly contents: string; readonly resolveDir: string };

export function bundleForNode(source: Source, outfile: string, options?: BuildOptions): Promise<void>;
export function importBundled(source: Source, outfile: string, options?: BuildOptions): Promise<unknown>;
