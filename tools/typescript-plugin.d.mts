import type { BuildOptions } from "esbuild";

export const TYPESCRIPT_PLUGIN: string;
export function typescriptPlugin(folder: string): BuildOptions;
