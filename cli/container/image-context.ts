// The build context of the image: the Dockerfile and the bundled files of the installed package, as one tar.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pack } from "tar-stream";
import { reasonOf, SandboxError } from "../../daemon/protocol/errors.ts";

export interface ImageContext {
  /** Changes with any file: equal fingerprints mean equal images. */
  readonly fingerprint: string;
  /** The build context; readable once. */
  tar(): NodeJS.ReadableStream;
}

/** The editor extension, the portable bundler, the test kit and source maps are useless in a container. */
const LEFT_OUT = /\.map$|^esbuild-wasm\/|^extension\.cjs$|^testing\.mjs$/;

/** Reads the files. @throws SandboxError FILE_UNREADABLE when the installation is damaged */
export function readImageContext(distFolder: string): ImageContext {
  try {
    const dockerfile = readFileSync(join(dirname(distFolder), "container", "Dockerfile"));
    const files = new Map<string, Buffer>([["Dockerfile", dockerfile]]);
    for (const name of filesBelow(distFolder)) {
      if (!LEFT_OUT.test(name)) files.set(`dist/${name}`, readFileSync(join(distFolder, name)));
    }
    return { fingerprint: fingerprintOf(files), tar: () => tarOf(files) };
  } catch (error) {
    const file = (error as NodeJS.ErrnoException).path ?? distFolder;
    throw new SandboxError("FILE_UNREADABLE", { file, reason: reasonOf(error) }, { cause: error });
  }
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll("\\", "/"),
    )
    .sort();
}

function fingerprintOf(files: ReadonlyMap<string, Buffer>): string {
  const hash = createHash("sha256");
  for (const [name, content] of files) hash.update(`${name}\0${content.length}\0`).update(content);
  return hash.digest("hex").slice(0, 16);
}

/**
 * The same tar for the same files, whoever installed them: the engine's cache then recognises it, and a strict umask
 * does not produce files that the container's user cannot read.
 */
function tarOf(files: ReadonlyMap<string, Buffer>): NodeJS.ReadableStream {
  const tar = pack();
  for (const [name, content] of files) tar.entry({ name, mode: 0o644, mtime: new Date(0) }, content);
  tar.finalize();
  return tar;
}
