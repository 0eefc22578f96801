import type { Plugin } from "esbuild";

export const lazyIdna: Plugin;
