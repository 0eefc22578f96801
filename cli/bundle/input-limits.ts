// Looks at every file before the bundler opens it: it would read a device for ever, wait at a named pipe, and take a huge
// file into memory. What this does not find, such as a package.json deep inside a package, the limits of the bundler's
// process end (bundler-process.ts).
import { lstatSync, realpathSync, type Stats } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import type { Plugin } from "esbuild";
import { checkRegularFile, readRegularFile, UnreadableFile } from "../../daemon/local/regular-file.ts";
import { IMPORTED_FROM_OUTSIDE, isOfFolders } from "../../daemon/local/source-in-folders.ts";
import { reasonOf, SandboxError } from "../../daemon/protocol/errors.ts";
import { fromHere } from "../render/from-here.ts";
import { type MappedNames, namesOfConfig, namesOfManifest, placesOf } from "./mapped-names.ts";
import { realPath } from "./real-path.ts";
import { isSameAsSecret, isSecretPlace, SECRET_LINK } from "./secret-places.ts";
import { inlineMap, mapNames, MAX_COMMENTS, pathsOf, sourcesWithoutText } from "./source-map-names.ts";
import { StarExports, starExportsOf } from "./star-exports.ts";
import { basesOf, packageFolders } from "./tsconfig-bases.ts";

/** Of all files of a build together, with source maps and configurations. */
const INPUT_LIMITS = { files: 20_000, bytes: 128 * 1024 * 1024 } as const;

/** Names that one file may give to others: bases of a configuration, sources of a map. Real ones have some hundred. */
const MAX_NAMES = 10_000;

/** Places that one package.json or tsconfig.json names. Packages with a module for each icon have some thousand. */
const MAX_MAPPED = 50_000;

/** Names of files and packages that do not exist. Packages try a few, and modules of Node.js are among them. */
const MAX_MISSING = 1_000;

/** Ways through `export *`. Libraries have some thousand. */
const MAX_WAYS = 200_000;

/** Looking takes milliseconds; names by the hundred thousand are no accident. */
const MAX_MS = 30_000;

/** Files that the bundler reads in each folder on the way to a source. */
const CONFIGS = ["package.json", "tsconfig.json", "jsconfig.json", ".pnp.data.json", ".pnp.cjs", ".pnp.js"];

/** Endings that an import may omit. */
const OMITTED = ["", ".tsx", ".ts", ".jsx", ".js", ".css", ".json"];

/** Endings that TypeScript writes as those of the JavaScript that it would become. */
const WRITTEN_AS_JS = [".ts", ".tsx", ".mts", ".cts"];

export interface InputLimits {
  readonly plugin: Plugin;
  /** Checks what a search for a package from a folder reads. @throws SandboxError FILE_UNREADABLE */
  lookForPackage(name: string, folder: string): void;
  /** Aborted by the first file that is refused during a build, with the SandboxError as the reason. */
  readonly refusal: AbortSignal;
}

/**
 * @param alias of the project, see project-settings.ts
 * @param withMaps whether the bundler follows source map comments
 */
export function inputLimits({
  project,
  alias = {},
  withMaps,
  within,
}: {
  /** Its folder: outside of it, hidden folders are closed. */
  readonly project: string;
  readonly alias?: Readonly<Record<string, string>> | undefined;
  readonly withMaps: boolean;
  /** Folders outside of which only packages are read; by default any file may be. */
  readonly within?: readonly string[] | undefined;
}): InputLimits {
  const roots = within?.map((folder) => realpathSync.native(folder));
  const sizes = new Map<string, number>();
  const folders = new Set<string>();
  const bases = new Map<string, readonly string[]>();
  const manifests = new Map<string, MappedNames["patterns"]>();
  const configured: MappedNames["patterns"][] = [];
  const missing = new Set<string>();
  const starred = new Map<string, ReadonlySet<string> | undefined>();
  const stars = new StarExports();
  const refused = new AbortController();
  let files = 0;
  let bytes = 0;

  function refuse(file: string, reason: string, next: string): never {
    refused.abort(new SandboxError("FILE_UNREADABLE", { file: fromHere(file), reason, next }));
    throw refused.signal.reason;
  }

  const started = performance.now();
  function checkTime(path: string): void {
    if (performance.now() - started > MAX_MS)
      refuse(path, `it takes more than ${MAX_MS / 1000} s to look at the names before it`, "Import less.");
  }

  /** @returns whether it is seen for the first time, and exists */
  function look(file: string, next: string): boolean {
    checkTime(file);
    if (sizes.has(file)) return false;
    const copy = "Copy what the function needs into the project.";
    if (isSecretPlace(realPath(file) ?? file, project))
      refuse(
        file,
        "it is hidden outside of the project, or in a folder of the system, where secrets are kept",
        copy,
      );
    if (isSameAsSecret(file, project)) refuse(file, SECRET_LINK, copy);
    try {
      const size = checkRegularFile(file);
      if (size === undefined) return false;
      sizes.set(file, size);
    } catch (error) {
      if (!(error instanceof UnreadableFile)) throw error;
      refuse(file, error.message, next);
    }
    count(file);
    return true;
  }

  /** An error in a file quotes it, so it must not be read in the first place. */
  function requireWithin(file: string): void {
    if (roots === undefined) return;
    const real = realPath(file);
    if (real !== undefined && !isOfFolders(real, roots))
      refuse(file, IMPORTED_FROM_OUTSIDE.reason, IMPORTED_FROM_OUTSIDE.next);
  }

  /** Configurations out there, such as those of the folders above, are what their owner means them to be. */
  const isOutside = (folder: string): boolean => {
    const real = realPath(folder);
    return roots === undefined || (real !== undefined && !isOfFolders(join(real, "any"), roots));
  };

  function read(file: string, next: string): Buffer {
    try {
      return readRegularFile(file);
    } catch (error) {
      refuse(file, reasonOf(error), next);
    }
  }

  /** Counts one reading of a file. */
  function count(file: string): void {
    bytes += sizes.get(file) ?? 0;
    files += 1;
    if (files > INPUT_LIMITS.files)
      refuse(file, `the code is made of more than ${INPUT_LIMITS.files} files`, "Import less.");
    if (bytes > INPUT_LIMITS.bytes) {
      const limit = `${INPUT_LIMITS.bytes / 1024 ** 2} MiB`;
      refuse(file, `with it the files that the code is made of have more than ${limit}`, "Import less.");
    }
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
    if (!isOutside(dirname(first))) requireWithin(first);
    const pending = [first];
    for (let file = pending.pop(); file !== undefined; file = pending.pop()) {
      if (!look(file, "The bundler reads it: remove it, or put a regular file in its place.")) continue;
      if (/[\\/]\.pnp\.[^\\/]*$/.test(file)) continue;
      const text = read(file, "The bundler reads it: put a readable file in its place.").toString("utf8");
      if (/[\\/]package\.json$/.test(file)) {
        lookAtNames(file, namesOfManifest(file, text));
        continue;
      }
      const own = basesOf(file, text);
      if (!isOutside(dirname(file))) own.forEach(requireWithin);
      if (own.length > MAX_NAMES) refuse(file, "it extends too many files", "Extend fewer.");
      bases.set(file, own);
      lookAtNames(file, namesOfConfig(file, text));
      for (const base of own) lookInFolder(dirname(base));
      pending.push(...own);
    }
    if (bases.has(first)) countBases(first);
  }

  /** The bundler reads a base again for each file that extends it, and stops only where one extends itself. */
  function countBases(first: string): void {
    const above = new Set<string>();
    const pending: { readonly file: string; readonly left?: boolean }[] = [{ file: first }];
    for (let next = pending.pop(); next; next = pending.pop()) {
      const { file } = next;
      if (next.left) above.delete(file);
      else if (!above.has(file)) {
        checkTime(file);
        if (file !== first) count(file);
        above.add(file);
        pending.push({ file, left: true });
        for (const base of bases.get(file) ?? []) if (sizes.has(base)) pending.push({ file: base });
      }
    }
  }

  function lookAtNames(file: string, { places, patterns }: MappedNames): void {
    if (places.length + patterns.length > MAX_MAPPED) refuse(file, "it names too many files", "Name fewer.");
    if (patterns.length > 0) {
      if (/package\.json$/.test(file)) manifests.set(dirname(file), patterns);
      else if (!/[\\/]node_modules[\\/]/.test(file)) configured.push(patterns);
    }
    for (const place of places) lookAtPath(place);
  }

  /** What a path in an import, without its ending or with it, makes the bundler read before it loads the file. */
  function lookAtPath(path: string): boolean {
    checkTime(path);
    lookInFolder(dirname(path));
    let exists = false;
    for (const ending of OMITTED) {
      const found = entryAt(`${path}${ending}`);
      exists ||= found !== undefined;
      if (found?.isDirectory()) lookInFolder(`${path}${ending}`);
      if (!found?.isSymbolicLink()) continue;
      const real = realPath(`${path}${ending}`);
      if (real !== undefined) lookInFolder(folderOf(real));
    }
    return exists;
  }

  function lookForPackage(name: string, folder: string): void {
    lookInFolder(folder);
    let exists = false;
    for (const patterns of configured)
      for (const place of placesOf(name, patterns)) exists = lookAtPath(place) || exists;
    if (name.startsWith("#"))
      for (const patterns of manifests.values()) placesOf(name, patterns).forEach(lookAtPath);
    for (const modules of packageFolders(folder)) {
      const [scope = "", own = ""] = name.split("/");
      const root = join(modules, scope, scope.startsWith("@") ? own : "");
      if (!entryAt(root)) continue;
      exists = true;
      lookInFolder(root);
      lookAtPath(join(modules, name));
      const inside = `.${join(modules, name).slice(root.length)}`.replaceAll("\\", "/");
      placesOf(inside, manifests.get(root) ?? []).forEach(lookAtPath);
    }
    if (!exists) countMissing(name);
  }

  function countMissing(name: string): void {
    missing.add(name);
    if (missing.size > MAX_MISSING)
      refuse(name, `the code imports more than ${MAX_MISSING} files that do not exist`, "Import less.");
  }

  function lookAtMaps(file: string, content: Buffer): void {
    const next = "A source map comment names it: remove the comment.";
    const names = mapNames(content);
    if (names.length > MAX_COMMENTS)
      refuse(file, `it has more than ${MAX_COMMENTS} source map comments`, "Keep the last one.");
    for (const name of names) {
      const inline = inlineMap(name);
      if (inline !== undefined) lookAtSources(inline, file, next);
      else
        for (const path of pathsOf(name, file)) {
          requireWithin(path);
          if (look(path, next)) lookAtSources(read(path, next).toString("utf8"), path, next);
        }
    }
  }

  function lookAtSources(map: string, file: string, next: string): void {
    const sources = sourcesWithoutText(map, file);
    if (sources.length > MAX_NAMES) refuse(file, "its source map names too many sources without text", next);
    for (const source of sources) {
      requireWithin(source);
      look(source, next);
    }
  }

  const plugin: Plugin = {
    name: "functez-input-limits",
    setup(build) {
      build.onResolve({ filter: /.*/ }, async ({ path, resolveDir, importer, kind, pluginData }) => {
        if (pluginData === FOR_STARS) return undefined;
        refused.signal.throwIfAborted();
        if (resolveDir === "") return undefined;
        const to = resolveAlias(path, alias);
        lookInFolder(resolveDir);
        if (/^\.{0,2}[\\/]|^\.\.?$/.test(to) || isAbsolute(to)) {
          const path_ = resolve(resolveDir, to);
          if (!lookAtPath(path_) && writtenAsJs(path_) === undefined) countMissing(path_);
        } else lookForPackage(to, resolveDir);
        if (kind !== "import-statement" || !starred.has(importer)) return undefined;
        if (starred.get(importer)?.has(path) === false) return undefined;
        // The bundler's own answer takes milliseconds, and a library may have a thousand of them.
        const target =
          plainFile(resolve(resolveDir, to)) ??
          (await build.resolve(path, { importer, resolveDir, kind, pluginData: FOR_STARS })).path;
        if (target === "") return undefined;
        stars.add(importer, target);
        if (stars.ways > MAX_WAYS)
          refuse(importer, `there are more than ${MAX_WAYS} ways through "export *"`, "Export names.");
        return undefined;
      });
      build.onLoad({ filter: /.*/, namespace: "file" }, ({ path }) => {
        requireWithin(path);
        const next = "Change what imports it, or put a regular file in its place.";
        if (!look(path, next)) return undefined;
        const content = read(path, next);
        const names = starExportsOf(content.toString("utf8"));
        if (names?.size !== 0) starred.set(path, names);
        if (withMaps) lookAtMaps(path, content);
        return undefined;
      });
    },
  };
  return { plugin, lookForPackage, refusal: refused.signal };
}

/** Marks our own question where an import leads. */
const FOR_STARS = Symbol("for stars");

function resolveAlias(name: string, alias: Readonly<Record<string, string>>): string {
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

/** The file that an import of a path leads to, if it is one, perhaps without its ending. */
function plainFile(path: string): string | undefined {
  const found =
    OMITTED.map((ending) => `${path}${ending}`).find((file) => entryAt(file)) ?? writtenAsJs(path);
  const real = found === undefined ? undefined : realPath(found);
  return real !== undefined && entryAt(real)?.isFile() === true ? real : undefined;
}

/** The file of TypeScript for an import with the ending of the JavaScript that it would become. */
function writtenAsJs(path: string): string | undefined {
  const [, stem] = /^(.*)\.[cm]?jsx?$/s.exec(path) ?? [];
  if (stem === undefined) return undefined;
  return WRITTEN_AS_JS.map((ending) => `${stem}${ending}`).find((file) => entryAt(file));
}

const folderOf = (path: string): string => (entryAt(path)?.isDirectory() ? path : dirname(path));
