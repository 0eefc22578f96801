// Turns the source given to `deploy` (file or code text) into the JavaScript to deploy. TypeScript and imports are
// bundled with esbuild: the project's own if installed, otherwise ours.
import { existsSync, readFileSync, statSync } from "node:fs";
import { createRequire, isBuiltin } from "node:module";
import { basename, dirname, extname, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { BuildFailure, BuildOptions, BuildResult } from "esbuild";
import { reasonOf, SandboxError } from "../daemon/protocol/errors.ts";

export interface FunctionCode {
  readonly code: string;
  /** Absolute path of the source, if it is a file. */
  readonly file?: string;
  /** True for output of esbuild. */
  readonly bundled: boolean;
  /** Absolute paths of the files that the code was built from. */
  readonly inputs: readonly string[];
  /** Source map (JSON) of bundled code, if asked for. Its sources are relative to the folder of `file`. */
  readonly map?: string;
}

export interface LoadOptions {
  readonly withMap?: boolean;
  /** Runs nothing of the project: what only reads must not execute a bundler that lies in its folder. */
  readonly ownBundler?: boolean;
}

/** Twice what a network takes: comments and types do not count there. */
const MAX_SOURCE_BYTES = 20 * 1024 * 1024;

const SOURCE_ENDINGS = [".ts", ".mts", ".js", ".mjs", ".tsx", ".jsx"];

/**
 * Code of a file path or of code text.
 * @throws SandboxError FILE_UNREADABLE, BUILD_FAILED
 */
export async function loadFunction(
  source: string,
  cwd: string,
  options: LoadOptions = {},
): Promise<FunctionCode> {
  const file = resolve(cwd, source);
  const looksLikePath = SOURCE_ENDINGS.includes(extname(source)) && !source.includes("\n");
  if (!existsSync(file)) {
    if (!looksLikePath) return { code: source, bundled: false, inputs: [] };
    throw new SandboxError("FILE_UNREADABLE", { file: source, reason: "there is no such file" });
  }
  const found = statSync(file);
  if (!found.isFile()) {
    const reason = found.isDirectory() ? "it is a folder; name a file in it" : "it is no regular file";
    throw new SandboxError("FILE_UNREADABLE", { file: source, reason });
  }
  if (found.size > MAX_SOURCE_BYTES)
    throw new SandboxError("FILE_UNREADABLE", {
      file: source,
      reason: `it has ${found.size} bytes; no smart function has more than ${MAX_SOURCE_BYTES}`,
    });
  const bytes = readFileSync(file);
  if (bytes.includes(0))
    throw new SandboxError("FILE_UNREADABLE", { file: source, reason: "it is a binary file" });
  const text = bytes.toString("utf8");
  if (isPlainJavaScript(file, text)) return { code: text, file, bundled: false, inputs: [file] };
  return { ...(await bundle(file, options)), file, bundled: true };
}

/** JavaScript without imports is deployed unchanged, so that its address is that of its exact text. */
function isPlainJavaScript(file: string, text: string): boolean {
  return (
    [".js", ".mjs"].includes(extname(file)) &&
    !/^[ \t]*(import\b|export\s{1,100}(\*|\{[^}]{0,10000}\})\s{1,100}from\b)/m.test(text)
  );
}

/** Nothing is written. */
const OUTPUT = "functez-function.js";

type Esbuild = { build(options: BuildOptions): Promise<BuildResult> };

async function bundle(
  file: string,
  { withMap = false, ownBundler = false }: LoadOptions,
): Promise<Pick<FunctionCode, "code" | "inputs" | "map">> {
  const esbuild = loadEsbuild(file, ownBundler);
  try {
    const result = await esbuild.build({
      entryPoints: [basename(file)],
      absWorkingDir: dirname(file),
      bundle: true,
      write: false,
      metafile: true,
      format: "esm",
      // "neutral" would ignore the replacements of files and built-in modules in a package's `browser` field.
      platform: "browser",
      mainFields: ["browser", "module", "main"],
      conditions: ["worker", "browser"],
      define: { "process.env.NODE_ENV": '"production"' },
      target: "es2022",
      charset: "utf8",
      treeShaking: true,
      legalComments: "none",
      logLevel: "silent",
      // A map of its own leaves the code as it is. It needs a name for the output, in whose folder its sources begin.
      ...(withMap && ({ sourcemap: "external", sourcesContent: false, outfile: OUTPUT } as const)),
    });
    const inputs = Object.keys(result.metafile?.inputs ?? {}).map((path) => resolve(dirname(file), path));
    const outputs = result.outputFiles ?? [];
    const code = outputs.find(({ path }) => !path.endsWith(".map"))?.text ?? "";
    const map = outputs.find(({ path }) => path.endsWith(".map"))?.text;
    return { code, inputs, ...(map !== undefined && { map }) };
  } catch (error) {
    const { errors } = error as Partial<BuildFailure>;
    if (!errors) throw new SandboxError("BUILD_FAILED", { file, reason: reasonOf(error) }, { cause: error });
    const lines = errors.map(({ text, location }) =>
      location
        ? `  ${fromHere(resolve(dirname(file), location.file))}:${location.line}:${location.column + 1}: ${text}${hintFor(text)}`
        : `  ${text}`,
    );
    throw new SandboxError("BUILD_FAILED", { file, reason: lines.join("\n"), errors }, { cause: error });
  }
}

/** @param text an error of esbuild */
function hintFor(text: string): string {
  const [, name] = /^Could not resolve "([^"]+)"$/.exec(text) ?? [];
  return name !== undefined && isBuiltin(name)
    ? ` (a module of Node.js, which smart functions do not have: use a package, or a build of it, that is made for browsers)`
    : "";
}

/** A path for the terminal: relative if shorter. */
function fromHere(path: string): string {
  const here = relative(process.cwd(), path);
  return here.startsWith("..") ? path : here;
}

/** The project's esbuild, else the one installed with functez, else the portable one in the editor package. */
function loadEsbuild(file: string, ownOnly: boolean): Esbuild {
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
