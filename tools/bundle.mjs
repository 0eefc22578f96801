// Our own TypeScript as one module that Node runs: for build steps, benchmarks, and tests that start a worker thread.
import { pathToFileURL } from "node:url";

import { build } from "esbuild";

/** CommonJS dependencies inside an ES module need a `require`. */
export const REQUIRE_BANNER =
  'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);';

/** Bundles a source file, or a text, with all its imports. `options` are additional esbuild options. */
export async function bundleForNode(source, outfile, options = {}) {
  await build({
    ...(typeof source === "string" ? { entryPoints: [source] } : { stdin: { ...source, loader: "ts" } }),
    bundle: true,
    outfile,
    format: "esm",
    platform: "node",
    target: "node20",
    logLevel: "error",
    banner: { js: REQUIRE_BANNER },
    ...options,
  });
}

/** The exports of a bundled source file. */
export async function importBundled(source, outfile, options = {}) {
  await bundleForNode(source, outfile, options);
  return import(pathToFileURL(outfile).href);
}
