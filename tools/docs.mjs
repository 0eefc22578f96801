// Writes the reference documents generated from the code: docs/http-api.md, configuration.md, errors.md,
// runtime-differences.md.
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

const bundle = resolve(".cache/reference-docs.mjs");
await build({
  entryPoints: ["daemon/control/reference-docs.ts"],
  bundle: true,
  platform: "node",
  format: "esm",
  outfile: bundle,
  packages: "external",
  logLevel: "warning",
});
const { referenceDocs } = await import(pathToFileURL(bundle).href);
for (const [path, text] of Object.entries(referenceDocs())) writeFileSync(path, text);
