// Shows what the debugger reads of the probe program in a built engine; with --write it becomes what the build expects.
// Compare before that: what it shows must be what the program says.
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { importBundled } from "../bundle.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "..", "..");
const [folder = join(root, "dist")] = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const { readProbe } = await importBundled(
  join(root, "daemon", "runtime", "debug", "probe.ts"),
  join(root, ".cache", "probe.mjs"),
);
const text = `${JSON.stringify(await readProbe(folder), null, 2)}\n`;
if (process.argv.includes("--write")) await writeFile(join(here, "probe.json"), text);
else process.stdout.write(text);
