// The content of the VSIX, read from `.vscodeignore`: the packer copies these files, and the editor suite compares with
// them.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { TYPESCRIPT_PLUGIN } from "./typescript-plugin.mjs";

/** Programs of dist/ that are useless inside the editor: the test kit and the stand-alone parts. */
const LEFT_OUT = ["dist/layer1-node.mjs", "dist/runtime-node.mjs", "dist/testing.cjs", "dist/testing.mjs"];

/** Programs are the scripts directly in dist/. */
const isProgram = (path) => /^dist\/[^/]+\.[cm]js$/.test(path);

/** Files named by `.vscodeignore`, without its pattern for chunks. */
function listedFiles(root) {
  const lines = readFileSync(join(root, ".vscodeignore"), "utf8").split(/\r?\n/);
  return lines.filter((line) => line.startsWith("!") && !line.includes("*")).map((line) => line.slice(1));
}

/** The packer writes these itself, beside `extension/`. */
export const PACKER_FILES = ["[Content_Types].xml", "extension.vsixmanifest"];

/** Size limit of the packed file, in bytes. */
export const VSIX_LIMIT = 8 * 1024 * 1024;

/** Where a shipped file lies in the repository. A package for the editor's TypeScript server is built into dist/. */
export const sourceOf = (path) =>
  path.replace(`node_modules/${TYPESCRIPT_PLUGIN}/`, "dist/typescript-plugin/");

/**
 * Paths below the extension's folder of all files that ship, sorted.
 * @throws Error when one is missing, or when the build produces a program that is not on a list
 */
export function vsixFiles(root) {
  const listed = listedFiles(root);
  const unknown = readdirSync(join(root, "dist"))
    .map((name) => `dist/${name}`)
    .filter((path) => isProgram(path) && ![...listed, ...LEFT_OUT].includes(path));
  if (unknown.length > 0)
    throw new Error(`neither in .vscodeignore nor left out by tools/vsix-files.mjs: ${unknown.join(", ")}`);
  const files = [...listed, ...chunksOf(root, listed.filter(isProgram))].sort();
  const missing = files.filter((path) => !existsSync(join(root, sourceOf(path))));
  if (missing.length > 0) throw new Error(`missing for the VSIX: ${missing.join(", ")}`);
  return files;
}

/** Name of a file inside the VSIX: the packer renames the texts shown in the gallery. */
export function nameInVsix(path) {
  const renamed = {
    "README.md": "readme.md",
    "CHANGELOG.md": "changelog.md",
    LICENSE: "LICENSE.txt",
  };
  return `extension/${renamed[path] ?? path}`;
}

/** The chunks imported by the programs, directly or indirectly. Their names change with their content. */
function chunksOf(root, programs) {
  const found = new Set();
  const visit = (path) => {
    for (const [, specifier] of readFileSync(join(root, path), "utf8").matchAll(
      /["'](\.\.?\/[\w./-]+\.mjs)["']/g,
    )) {
      const chunk = posix.join(dirname(path), specifier);
      if (!/^dist\/chunks\//.test(chunk) || found.has(chunk)) continue;
      found.add(chunk);
      visit(chunk);
    }
  };
  for (const program of programs) if (existsSync(join(root, program))) visit(program);
  return [...found];
}

/** Names of the entries of a zip file in order, read from its central directory. */
export function zipEntries(zip) {
  const end = zip.lastIndexOf(Buffer.from("PK\x05\x06", "latin1"));
  if (end < 0) throw new Error("not a zip file");
  const count = zip.readUInt16LE(end + 10);
  const names = [];
  for (let i = 0, at = zip.readUInt32LE(end + 16); i < count; i++) {
    const length = zip.readUInt16LE(at + 28);
    names.push(zip.toString("utf8", at + 46, at + 46 + length));
    at += 46 + length + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  return names;
}
