// Loads a bundle with V8's code cache, so that a start need not parse and compile again: that saves a quarter of its
// processor time. Node has this built in only since version 22.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { cachedDataVersionTag } from "node:v8";
import { constants, Script } from "node:vm";
import { configFolder } from "./local/config-folder.ts";
import { makeFolder } from "./local/make-folder.ts";

/** Number of cache files kept, about 1 MB each; the least recently written ones are removed first. */
const KEPT_FILES = 8;

export interface LoadedBundle<Exports> {
  readonly exports: Exports;
  /**
   * Writes the code compiled so far. Call it when idle. Does nothing when the cache was used, and when V8's flags have
   * changed since the load: the next one, under the usual flags, would refuse that code.
   */
  keep(): void;
}

/** Folder of the compiled code, in the configuration folder. */
export const codeCacheFolder = (env: NodeJS.ProcessEnv): string => join(configFolder(env), "code-cache");

/**
 * Runs a CommonJS bundle of ASCII text.
 * The name of a cache file identifies the bundle's content and the build of V8; the file begins with the hash of the
 * rest, because V8 trusts its input. A file that is missing, damaged or rejected by V8 costs a compilation.
 */
export function loadBundle<Exports>(file: string, folder: string): LoadedBundle<Exports> {
  const flags = cachedDataVersionTag();
  const source = readFileSync(file, "latin1");
  const stem = basename(file, ".cjs");
  const version = `${process.versions.v8}-${process.arch}`;
  const cacheFile = join(folder, `${stem}-${sha256(source).toString("hex").slice(0, 16)}-${version}.bin`);
  const cachedData = read(cacheFile);
  const script = new Script(`(function(exports,require,module,__filename,__dirname){${source}\n})`, {
    filename: file,
    ...(cachedData && { cachedData }),
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  const module_ = { exports: {} as Exports };
  const run = script.runInThisContext() as (...scope: unknown[]) => void;
  run(module_.exports, createRequire(file), module_, file, dirname(file));
  const isFresh = cachedData !== undefined && script.cachedDataRejected !== true;
  return {
    exports: module_.exports,
    keep() {
      if (!isFresh && cachedDataVersionTag() === flags) write(cacheFile, script.createCachedData());
    },
  };
}

const HASH_BYTES = 32;
const sha256 = (data: string | Uint8Array): Buffer => createHash("sha256").update(data).digest();

function read(file: string): Buffer | undefined {
  try {
    const bytes = readFileSync(file);
    const data = bytes.subarray(HASH_BYTES);
    return sha256(data).equals(bytes.subarray(0, HASH_BYTES)) ? data : undefined;
  } catch {
    return undefined;
  }
}

/** Atomic, and never an error: on a read-only or full disk every start compiles. */
function write(file: string, data: Buffer): void {
  const part = `${file}.${process.pid}`;
  try {
    makeFolder(dirname(file));
    writeFileSync(part, Buffer.concat([sha256(data), data]), { mode: 0o600 });
    renameSync(part, file);
    removeOldest(dirname(file));
  } catch {
    remove(part);
  }
}

function removeOldest(folder: string): void {
  const byAge = readdirSync(folder)
    .map((name) => join(folder, name))
    .map((path) => ({ path, writtenAt: statSync(path).mtimeMs }))
    .sort((a, b) => b.writtenAt - a.writtenAt);
  for (const { path } of byAge.slice(KEPT_FILES)) remove(path);
}

function remove(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // A folder that is not writable has nothing to remove.
  }
}
