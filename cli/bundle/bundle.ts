// Bundles a source file as for a worker.
import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { BuildFailure, BuildOptions, BuildResult, Message } from "esbuild";
import { reasonOf, SandboxError } from "../../daemon/protocol/errors.ts";
import { fromHere } from "../render/from-here.ts";
import {
  absentFrom,
  type AbsentImports,
  absentModulesPlugin,
  type AbsentModule,
  isAny,
  unresolvedBuiltin,
  withChains,
} from "./absent-modules.ts";
import { BuildStopped, buildWithin } from "./bundler-process.ts";
import { type InputLimits, inputLimits } from "./input-limits.ts";
import { type Esbuild, loadEsbuild } from "./load-esbuild.ts";
import { type ProjectSettings, projectSettings } from "./project-settings.ts";
import { projectFolder } from "./secret-places.ts";

export interface Bundle {
  readonly code: string;
  /** Absolute paths of the files that the code was built from. */
  readonly inputs: readonly string[];
  /** Source map (JSON), if asked for. Its sources are relative to the folder of the file. */
  readonly map?: string;
  /** Modules whose use fails at run time. */
  readonly absent: readonly AbsentModule[];
}

export interface MadeBundle extends Bundle {
  /** Whether the file imports anything. */
  readonly imports: boolean;
}

export interface BundleOptions {
  readonly withMap?: boolean;
  /** The map has the texts of its sources. */
  readonly withTexts?: boolean;
  /** Runs nothing of the project: what only reads must not execute a bundler that lies in its folder. */
  readonly ownBundler?: boolean;
  /** Folders outside of which only packages are read, for files that a language model names. Implies `ownBundler`. */
  readonly within?: readonly string[] | undefined;
}

/** @throws SandboxError BUILD_FAILED, BUILD_STOPPED, FILE_UNREADABLE, PROJECT_INVALID */
export async function bundle(file: string, options: BundleOptions): Promise<MadeBundle> {
  const withMaps = options.withMap === true;
  const { within } = options;
  // The search for a bundler and for settings reads the same files as a search for a package.
  const project = projectFolder(join(realpathSync.native(dirname(resolve(file))), basename(file)));
  inputLimits({ project, withMaps, within }).lookForPackage("esbuild", dirname(file));
  const settings = projectSettings(file);
  const limits = inputLimits({ project, alias: settings.options.alias, withMaps, within });
  const esbuild = loadEsbuild(file, options.ownBundler === true || within !== undefined);
  try {
    const result = await buildWithoutAbsent(esbuild, file, settings, limits, options);
    const outputs = result.outputFiles ?? [];
    const text = outputs.find(({ path }) => !path.endsWith(".map"))?.text ?? "";
    const map = outputs.find(({ path }) => path.endsWith(".map"))?.text;
    const inputs = Object.keys(result.metafile?.inputs ?? {})
      .filter((path) => !isVirtual(path))
      .map((path) => resolve(dirname(file), path));
    const imports = (result.metafile?.inputs[basename(file)]?.imports.length ?? 0) > 0;
    return { ...withChains(text, result.metafile), imports, inputs, ...(map !== undefined && { map }) };
  } catch (error) {
    limits.refusal.throwIfAborted();
    if (error instanceof BuildStopped)
      throw new SandboxError("BUILD_STOPPED", { file, reason: error.message }, { cause: error });
    const { errors } = error as Partial<BuildFailure>;
    if (!errors) throw new SandboxError("BUILD_FAILED", { file, reason: reasonOf(error) }, { cause: error });
    const shown = errors.slice(0, MAX_ERRORS).map(shorten);
    const more = errors.length - shown.length;
    const lines = shown.map((each) => lineOf(each, dirname(file)));
    const reason = [...lines, ...(more > 0 ? [`and ${more} more`] : [])].join("\n");
    throw new SandboxError("BUILD_FAILED", { file, reason, errors: shown }, { cause: error });
  }
}

/** A second time, if packages import modules of Node.js that they may never reach. */
async function buildWithoutAbsent(
  esbuild: Esbuild,
  file: string,
  settings: ProjectSettings,
  { plugin, refusal }: InputLimits,
  options: BundleOptions,
): Promise<BuildResult> {
  const build = (absent: AbsentImports) => {
    const { plugins = [], ...rest } = buildOptions(file, settings, absent, options);
    return buildWithin(esbuild, { ...rest, plugins: [...plugins, plugin] }, { refusal });
  };
  const everywhere = settings.absent;
  try {
    return await build({ everywhere, single: new Set() });
  } catch (error) {
    const single = absentFrom((error as Partial<BuildFailure>).errors ?? [], dirname(file));
    if (single === undefined || single.size === 0) throw error;
    return build({ everywhere, single });
  }
}

/** Errors shown: nobody reads on, and a hostile file has thousands. */
const MAX_ERRORS = 50;
/** Characters of an error's text and of its line: it repeats names from the file. */
const MAX_TEXT = 500;

const cut = (text: string): string => (text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text);

function shorten(message: Message): Message {
  // An error in a plugin of ours has the place of its code, which is none of the user's.
  const location = message.pluginName === "" ? message.location : null;
  return {
    ...message,
    location,
    text: cut(message.text),
    notes: message.notes.slice(0, 3).map((note) => ({ ...note, text: cut(note.text) })),
    ...(location && { location: { ...location, lineText: cut(location.lineText) } }),
  };
}

/** Nothing is written. */
const OUTPUT = "functez-function.js";

function buildOptions(
  file: string,
  { options: own }: ProjectSettings,
  absent: AbsentImports,
  { withMap = false, withTexts = false }: BundleOptions,
): BuildOptions {
  return {
    entryPoints: [basename(file)],
    absWorkingDir: dirname(file),
    bundle: true,
    write: false,
    metafile: true,
    format: "esm",
    // "neutral" would ignore the replacements of files and built-in modules in a package's `browser` field.
    platform: "browser",
    mainFields: ["browser", "module", "main"],
    conditions: [...(own.conditions ?? []), "worker", "browser"],
    define: { "process.env.NODE_ENV": '"production"', ...own.define },
    ...(own.alias && { alias: own.alias }),
    ...(own.loader && { loader: own.loader }),
    ...(isAny(absent) && { plugins: [absentModulesPlugin(absent)] }),
    target: "es2022",
    charset: "utf8",
    treeShaking: true,
    legalComments: "none",
    logLevel: "silent",
    logLimit: 0, // all errors: whether to build again depends on each
    // A map of its own leaves the code as it is. It needs a name for the output, in whose folder its sources begin.
    ...(withMap && ({ sourcemap: "external", sourcesContent: withTexts, outfile: OUTPUT } as const)),
  };
}

/** Inputs that are no files have a scheme; of Windows' drives only one letter is before the colon. */
const isVirtual = (path: string): boolean => /^[a-z-]{2,40}:/.test(path);

function lineOf({ text, location }: Message, folder: string): string {
  if (!location) return `  ${text}`;
  const { file, line, column } = location;
  return `  ${fromHere(resolve(folder, file))}:${line}:${column + 1}: ${text}${hintFor(text)}`;
}

/** @param text an error of esbuild */
function hintFor(text: string): string {
  return unresolvedBuiltin(text) === undefined
    ? ""
    : ` (a module of Node.js, which smart functions do not have: use a package, or a build of it, that is made for browsers, or put one in its place by "alias" in the field "functez" of package.json)`;
}
