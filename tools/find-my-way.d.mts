import type { Plugin } from "esbuild";

export const routerWithoutText: Plugin;
