// Turns the source given to `deploy` (file or code text) into the JavaScript to deploy. TypeScript and imports are
// bundled with esbuild: the project's own if installed, otherwise ours.
import { existsSync, statSync } from "node:fs";
import { extname, resolve } from "node:path";
import { readRegularFile } from "../daemon/local/regular-file.ts";
import { requireInFolders } from "../daemon/local/source-in-folders.ts";
import { reasonOf, SandboxError } from "../daemon/protocol/errors.ts";
import { bundle, type Bundle, type BundleOptions } from "./bundle/bundle.ts";
import { leadsToSecret, SECRET_LINK } from "./bundle/secret-places.ts";

export interface FunctionCode extends Bundle {
  /** Absolute path of the source, if it is a file. */
  readonly file?: string;
  /** True for output of esbuild. */
  readonly bundled: boolean;
}

const SOURCE_ENDINGS = [".ts", ".mts", ".js", ".mjs", ".tsx", ".jsx"];

/**
 * Code of a file path or of code text.
 * @throws SandboxError FILE_UNREADABLE, BUILD_FAILED, BUILD_STOPPED, PROJECT_INVALID
 */
export async function loadFunction(
  source: string,
  cwd: string,
  options: BundleOptions = {},
): Promise<FunctionCode> {
  const file = resolve(cwd, source);
  const looksLikePath = SOURCE_ENDINGS.includes(extname(source)) && !source.includes("\n");
  if (!existsSync(file)) {
    if (!looksLikePath) return { code: source, bundled: false, inputs: [], absent: [] };
    throw new SandboxError("FILE_UNREADABLE", { file: source, reason: "there is no such file" });
  }
  if (statSync(file).isDirectory())
    throw new SandboxError("FILE_UNREADABLE", { file: source, reason: "it is a folder; name a file in it" });
  if (leadsToSecret(file)) throw new SandboxError("FILE_UNREADABLE", { file: source, reason: SECRET_LINK });
  if (options.within) requireInFolders([file], options.within);
  let bytes: Buffer;
  try {
    bytes = readRegularFile(file);
  } catch (error) {
    throw new SandboxError("FILE_UNREADABLE", { file: source, reason: reasonOf(error) }, { cause: error });
  }
  if (bytes.includes(0))
    throw new SandboxError("FILE_UNREADABLE", { file: source, reason: "it is a binary file" });
  const text = bytes.toString("utf8");
  const plain = { code: text, file, bundled: false, inputs: [file], absent: [] };
  if (isJavaScript(file) && !mayImport(text)) return plain;
  const { imports, ...bundled } = await bundle(file, options);
  if (options.within) requireInFolders(bundled.inputs, options.within);
  // JavaScript without imports is deployed unchanged, so that its address is that of its exact text.
  return isJavaScript(file) && !imports ? plain : { ...bundled, file, bundled: true };
}

const isJavaScript = (file: string): boolean => [".js", ".mjs"].includes(extname(file));

/** Whether the bundler has to look: the words may as well be in a text or a comment. */
const mayImport = (text: string): boolean => /\bimport\b|\bfrom\b|\brequire\b/.test(text);
