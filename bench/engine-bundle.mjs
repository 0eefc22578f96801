// The engine's own TypeScript, bundled for benchmarks that drive it without a sandbox.
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { importBundled } from "../tools/bundle.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
/** Folder of the built engine and of the bundles. */
export const work = join(root, ".cache", "engine");

/** @returns the module of one source file, with all its imports */
export async function bundle(entry) {
  const outfile = join(work, `bench-${entry.replaceAll("/", "-")}.mjs`);
  return importBundled(join(root, entry), outfile);
}
