// The engine's own TypeScript, bundled for benchmarks that drive it without a sandbox.
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import { build } from "esbuild";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
/** Folder of the built engine and of the bundles. */
export const work = join(root, ".cache", "engine");

/** @returns the module of one source file, with all that it imports */
export async function bundle(entry) {
  const outfile = join(work, `bench-${entry.replaceAll("/", "-")}.mjs`);
  await build({
    entryPoints: [join(root, entry)],
    bundle: true,
    outfile,
    format: "esm",
    platform: "node",
    target: "node20",
    logLevel: "error",
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
  });
  return import(pathToFileURL(outfile).href);
}
