// Writes docs/commands.md and the tables of the README from the command tree and the manifest.
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

const bundle = resolve(".cache/command-docs.mjs");
await build({
  stdin: {
    contents:
      'export { createProgram } from "./cli/program.ts"; export { commandReference, withTables } from "./cli/command-docs.ts";',
    resolveDir: process.cwd(),
    loader: "ts",
  },
  bundle: true,
  platform: "node",
  format: "esm",
  outfile: bundle,
  packages: "external",
  logLevel: "warning",
});
const { createProgram, commandReference, withTables } = await import(pathToFileURL(bundle).href);
const read = (path) => JSON.parse(readFileSync(path, "utf8"));
const program = createProgram(
  () => undefined,
  () => undefined,
);
const sources = [program, read("package.json"), read("package.nls.json")];
writeFileSync("docs/commands.md", commandReference(...sources));
writeFileSync("README.md", withTables(readFileSync("README.md", "utf8"), ...sources));
