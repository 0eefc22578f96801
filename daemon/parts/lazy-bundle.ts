// Bundles of dist/ that are loaded when somebody needs them, so that a start does not read them.
import { createRequire } from "node:module";
import { join } from "node:path";

/** @param file in the folder of the engine's files */
export function lazyBundle<Exports>(directory: string, file: string): () => Exports {
  const path = join(directory, file);
  let loaded: Exports | undefined;
  return () => (loaded ??= createRequire(path)(path) as Exports); // Jest's takes the path of a file only
}
