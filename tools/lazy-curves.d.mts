import type { Plugin } from "esbuild";

export const lazyCurves: Plugin;
