// Looks at every file before the bundler opens it: it would read a device for ever, wait at a named pipe, and take a huge
// file into memory. What this does not find, such as a package.json deep inside a package, the limits of the bundler's
// process end (bundler-process.ts).
import { lstatSync, realpathSync, type Stats } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import type { Plugin } from "esbuild";
import { checkRegularFile, readRegularFile, UnreadableFile } from "../../daemon/local/regular-file.ts";
import { SandboxError } from "../../daemon/protocol/errors.ts";
import { fromHere } from "../render/from-here.ts";
import { isSecretPlace } from "./secret-places.ts";
import { inlineMap, mapNames, MAX_COMMENTS, pathsOf, sourcesWithoutText } from "./source-map-names.ts";
import { basesOf, packageFolders } from "./tsconfig-bases.ts";

/** Of all files of a build together, with source maps and configurations. */
const INPUT_LIMITS = { files: 20_000, bytes: 128 * 1024 * 1024 } as const;

/** Names that one file may give to others: bases of a configuration, sources of a map. Real ones have some hundred. */
const MAX_NAMES = 10_000;

/** Looking takes milliseconds; names by the hundred thousand are no accident. */
const MAX_MS = 30_000;

/** Files that the bundler reads in each folder on the way to a source. */
const CONFIGS = ["package.json", "tsconfig.json", "jsconfig.json", ".pnp.data.json", ".pnp.cjs", ".pnp.js"];

/** Endings that an import may omit. */
const OMITTED = ["", ".tsx", ".ts", ".jsx", ".js", ".css", ".json"];

export interface InputLimits {
  readonly plugin: Plugin;
  /** Checks what a search for a package from a folder reads. @throws SandboxError FILE_UNREADABLE */
  lookForPackage(name: string, folder: string): void;
  /** The first file that was refused during a build. */
  refusal(): SandboxError | undefined;
}

/**
 * @param alias of the project, see project-settings.ts
 * @param withMaps whether the bundler follows source map comments
 */
export function inputLimits({
  project,
  alias = {},
  withMaps,
}: {
  /** Its folder: outside of it, hidden folders are closed. */
  readonly project: string;
  readonly alias?: Readonly<Record<string, string>> | undefined;
  readonly withMaps: boolean;
}): InputLimits {
  const files = new Set<string>();
  const folders = new Set<string>();
  let bytes = 0;
  let refused: SandboxError | undefined;

  function refuse(file: string, reason: string, next: string): never {
    refused ??= new SandboxError("FILE_UNREADABLE", { file: fromHere(file), reason, next });
    throw refused;
  }

  const started = performance.now();
  function checkTime(path: string): void {
    if (performance.now() - started > MAX_MS)
      refuse(path, `it takes more than ${MAX_MS / 1000} s to look at the names before it`, "Import less.");
  }

  /** @returns whether it is seen for the first time, and exists */
  function look(file: string, next: string): boolean {
    checkTime(file);
    if (files.has(file)) return false;
    if (isSecretPlace(realPath(file) ?? file, project))
      refuse(
        file,
        "it lies in a hidden folder outside of the project, where secrets are kept",
        "Copy what the function needs into the project.",
      );
    try {
      const size = checkRegularFile(file);
      if (size === undefined) return false;
      bytes += size;
    } catch (error) {
      if (!(error instanceof UnreadableFile)) throw error;
      refuse(file, error.message, next);
    }
    files.add(file);
    if (files.size > INPUT_LIMITS.files)
      refuse(file, `the code is made of more than ${INPUT_LIMITS.files} files`, "Import less.");
    if (bytes > INPUT_LIMITS.bytes) {
      const limit = `${INPUT_LIMITS.bytes / 1024 ** 2} MiB`;
      refuse(file, `with it the files that the code is made of have more than ${limit}`, "Import less.");
    }
    return true;
  }

  /** Configurations of a folder and those above it. */
  function lookInFolder(folder: string): void {
    if (folders.has(folder)) return;
    folders.add(folder);
    const above = dirname(folder);
    if (above !== folder) lookInFolder(above);
    for (const name of CONFIGS) lookAtConfig(join(folder, name));
    const real = realPath(folder);
    if (real !== undefined && real !== folder) lookInFolder(real);
  }

  function lookAtConfig(first: string): void {
    const pending = [first];
    for (let file = pending.pop(); file !== undefined; file = pending.pop()) {
      if (!look(file, "The bundler reads it: remove it, or put a regular file in its place.")) continue;
      if (/[\\/]package\.json$|[\\/]\.pnp\.[^\\/]*$/.test(file)) continue;
      const text = readRegularFile(file).toString("utf8");
      const bases = basesOf(file, text);
      if (bases.length > MAX_NAMES) refuse(file, "it extends too many files", "Extend fewer.");
      for (const base of bases) lookInFolder(dirname(base));
      pending.push(...bases);
    }
  }

  /** What a path in an import, without its ending or with it, makes the bundler read before it loads the file. */
  function lookAtPath(path: string): void {
    checkTime(path);
    lookInFolder(dirname(path));
    for (const ending of OMITTED) {
      const found = entryAt(`${path}${ending}`);
      if (found?.isDirectory()) lookInFolder(`${path}${ending}`);
      if (!found?.isSymbolicLink()) continue;
      const real = realPath(`${path}${ending}`);
      if (real !== undefined) lookInFolder(folderOf(real));
    }
  }

  function lookForPackage(name: string, folder: string): void {
    lookInFolder(folder);
    for (const modules of packageFolders(folder)) {
      const [scope = "", own = ""] = name.split("/");
      const root = join(modules, scope, scope.startsWith("@") ? own : "");
      if (!entryAt(root)) continue;
      lookInFolder(root);
      lookAtPath(join(modules, name));
    }
  }

  function lookAtMaps(file: string): void {
    const next = "A source map comment names it: remove the comment.";
    const names = mapNames(readRegularFile(file));
    if (names.length > MAX_COMMENTS)
      refuse(file, `it has more than ${MAX_COMMENTS} source map comments`, "Keep the last one.");
    for (const name of names) {
      const inline = inlineMap(name);
      if (inline !== undefined) lookAtSources(inline, file, next);
      else
        for (const path of pathsOf(name, file))
          if (look(path, next)) lookAtSources(readRegularFile(path).toString("utf8"), path, next);
    }
  }

  function lookAtSources(map: string, file: string, next: string): void {
    const sources = sourcesWithoutText(map, file);
    if (sources.length > MAX_NAMES) refuse(file, "its source map names too many sources without text", next);
    for (const source of sources) look(source, next);
  }

  const plugin: Plugin = {
    name: "functez-input-limits",
    setup(build) {
      build.onResolve({ filter: /.*/ }, ({ path, resolveDir }) => {
        if (resolveDir === "") return undefined;
        const to = aliased(path, alias);
        lookInFolder(resolveDir);
        if (/^\.{0,2}[\\/]|^\.\.?$/.test(to) || isAbsolute(to)) lookAtPath(resolve(resolveDir, to));
        else lookForPackage(to, resolveDir);
        return undefined;
      });
      build.onLoad({ filter: /.*/, namespace: "file" }, ({ path }) => {
        if (look(path, "Change what imports it, or put a regular file in its place.") && withMaps)
          lookAtMaps(path);
        return undefined;
      });
    },
  };
  return { plugin, lookForPackage, refusal: () => refused };
}

function aliased(name: string, alias: Readonly<Record<string, string>>): string {
  const [from, to = ""] =
    Object.entries(alias).find(([own]) => name === own || name.startsWith(`${own}/`)) ?? [];
  return from === undefined ? name : `${to}${name.slice(from.length)}`;
}

/** Undefined for names that no file can have, too. */
function entryAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

const folderOf = (path: string): string => (entryAt(path)?.isDirectory() ? path : dirname(path));

function realPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined; // missing, or a loop of links
  }
}
