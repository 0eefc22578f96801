// Writes the table of docs/libraries.md: `npm run docs`.
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { importBundled } from "../../tools/bundle.mjs";

const root = resolve(import.meta.dirname, "../..");
const file = join(root, "docs/libraries.md");
const { withTable } = await importBundled(
  join(root, "test/libraries/table.ts"),
  join(root, ".cache/libraries-table.mjs"),
);
writeFileSync(file, withTable(readFileSync(file, "utf8")));
