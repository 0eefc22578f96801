// Finds a bundler: the project's esbuild, else the one installed with functez, else the portable one in the editor package.
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import type { BuildOptions, BuildResult } from "esbuild";
import { SandboxError } from "../../daemon/protocol/errors.ts";

export interface Esbuild {
  build(options: BuildOptions): Promise<BuildResult>;
  /** Ends its process; the next build starts another. Older versions lack it. */
  stop?(): void | Promise<void>;
}

/**
 * @param file that is to be bundled
 * @param ownOnly never takes that of the project
 * @throws SandboxError BUILD_FAILED
 */
export function loadEsbuild(file: string, ownOnly: boolean): Esbuild {
  const places = [
    ...(ownOnly ? [] : [() => createRequire(file).resolve("esbuild")]),
    () => createRequire(import.meta.url).resolve("esbuild"),
    () => fileURLToPath(new URL("./esbuild-wasm/lib/main.js", import.meta.url)),
    () => fileURLToPath(new URL("../esbuild-wasm/lib/main.js", import.meta.url)),
  ];
  // `require` instead of `import()`: the test kit's CommonJS form runs where `import()` does not exist (Jest).
  const load = createRequire(import.meta.url);
  for (const place of places) {
    try {
      return load(place()) as Esbuild;
    } catch {
      continue; // not installed, or not for this platform: try the next place
    }
  }
  throw new SandboxError("BUILD_FAILED", {
    file,
    reason: "  no bundler was found. Install one in your project: npm install --save-dev esbuild",
  });
}
