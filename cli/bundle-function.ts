// From what a user gives to `deploy` (file, code text) to the JavaScript that is deployed. TypeScript and
// imports are bundled with esbuild: the one of the user's project if there is one, else ours.
import { existsSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, extname, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { BuildFailure, BuildOptions, BuildResult } from "esbuild";
import { reasonOf, SandboxError } from "../daemon/protocol/errors.ts";

export interface FunctionCode {
  readonly code: string;
  /** Absolute path of the source, when it was a file. */
  readonly file?: string;
  /** True when esbuild made the code. */
  readonly bundled: boolean;
  /** Absolute paths of the files that the code was made of. */
  readonly inputs: readonly string[];
}

const SOURCE_ENDINGS = [".ts", ".mts", ".js", ".mjs", ".tsx", ".jsx"];

/**
 * Code of a file path or of code text.
 * @throws SandboxError FILE_UNREADABLE, BUILD_FAILED
 */
export async function loadFunction(source: string, cwd: string): Promise<FunctionCode> {
  const file = resolve(cwd, source);
  const looksLikePath = SOURCE_ENDINGS.includes(extname(source)) && !source.includes("\n");
  if (!existsSync(file)) {
    if (!looksLikePath) return { code: source, bundled: false, inputs: [] };
    throw new SandboxError("FILE_UNREADABLE", { file: source, reason: "there is no such file" });
  }
  if (statSync(file).isDirectory()) {
    throw new SandboxError("FILE_UNREADABLE", {
      file: source,
      reason: "it is a folder; name the file in it",
    });
  }
  const bytes = readFileSync(file);
  if (bytes.includes(0))
    throw new SandboxError("FILE_UNREADABLE", { file: source, reason: "it is a binary file" });
  const text = bytes.toString("utf8");
  if (isPlainJavaScript(file, text)) return { code: text, file, bundled: false, inputs: [file] };
  return { ...(await bundle(file)), file, bundled: true };
}

/** JavaScript without imports is deployed as it stands, so that its address is that of its very text. */
function isPlainJavaScript(file: string, text: string): boolean {
  return (
    [".js", ".mjs"].includes(extname(file)) &&
    !/^[ \t]*(import\b|export\s{1,100}(\*|\{[^}]{0,10000}\})\s{1,100}from\b)/m.test(text)
  );
}

type Esbuild = { build(options: BuildOptions): Promise<BuildResult> };

async function bundle(file: string): Promise<Pick<FunctionCode, "code" | "inputs">> {
  const esbuild = loadEsbuild(file);
  try {
    const result = await esbuild.build({
      entryPoints: [basename(file)],
      absWorkingDir: dirname(file),
      bundle: true,
      write: false,
      metafile: true,
      format: "esm",
      platform: "neutral",
      mainFields: ["browser", "module", "main"],
      conditions: ["worker", "browser"],
      target: "es2022",
      charset: "utf8",
      treeShaking: true,
      legalComments: "none",
      logLevel: "silent",
    });
    const inputs = Object.keys(result.metafile?.inputs ?? {}).map((path) => resolve(dirname(file), path));
    return { code: result.outputFiles?.[0]?.text ?? "", inputs };
  } catch (error) {
    const { errors } = error as Partial<BuildFailure>;
    if (!errors) throw new SandboxError("BUILD_FAILED", { file, reason: reasonOf(error) }, { cause: error });
    const lines = errors.map(({ text, location }) =>
      location
        ? `  ${fromHere(resolve(dirname(file), location.file))}:${location.line}:${location.column + 1}: ${text}`
        : `  ${text}`,
    );
    throw new SandboxError("BUILD_FAILED", { file, reason: lines.join("\n"), errors }, { cause: error });
  }
}

/** A path that the terminal can open: relative where that is shorter. */
function fromHere(path: string): string {
  const here = relative(process.cwd(), path);
  return here.startsWith("..") ? path : here;
}

/** The project's esbuild, else the one installed with functez, else the portable one inside the editor package. */
function loadEsbuild(file: string): Esbuild {
  const places = [
    () => createRequire(file).resolve("esbuild"),
    () => createRequire(import.meta.url).resolve("esbuild"),
    () => fileURLToPath(new URL("./esbuild-wasm/lib/main.js", import.meta.url)),
    () => fileURLToPath(new URL("../esbuild-wasm/lib/main.js", import.meta.url)),
  ];
  // Required, not imported: the test kit's CommonJS form runs where import() does not exist (Jest).
  const load = createRequire(import.meta.url);
  for (const place of places) {
    try {
      return load(place()) as Esbuild;
    } catch {
      continue; // not there, or not for this platform: the next place is asked
    }
  }
  throw new SandboxError("BUILD_FAILED", {
    file,
    reason: "  no bundler was found. Install one in your project: npm install --save-dev esbuild",
  });
}
