// Calls of functions with large libraries: `node bench/libraries.mjs [package ...]` after a build and `npm ci
// --ignore-scripts --prefix tools/libraries`. For each package of test/libraries whose bundle is large: its size,
// milliseconds of the first call, which evaluates the module, and of the fastest and the median later call; the same for
// the program that makes at its top level what it needs once. Prints the table of docs/libraries.md.
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { importBundled } from "../tools/bundle.mjs";
import { median, temporaryFolder } from "./machine.mjs";
import { root } from "./peers.mjs";

/** Bundles from this size on, in bytes. */
const LARGE = 60_000;
const LATER_CALLS = 9;
const GAS_LIMIT = 240_000_000;
const packages = join(root, "tools/libraries");

if (!existsSync(join(packages, "node_modules")))
  throw new Error("install the packages first: npm ci --ignore-scripts --prefix tools/libraries");
const { FURTHER, preparedProgramOf, programOf } = await importBundled(
  join(root, "test/libraries/cases.ts"),
  join(temporaryFolder("cases"), "cases.mjs"),
);
const { startSandbox } = await import(pathToFileURL(join(root, "dist/testing.mjs")).href);
const folder = join(packages, ".cache");
mkdirSync(folder, { recursive: true });
const only = process.argv.slice(2);
const row = (cells) => process.stdout.write(`| ${cells.join(" | ")} |\n`);
const sandbox = await startSandbox();
try {
  const from = await sandbox.createAccount();
  row(["package", "kB", "first call, ms", "later, fastest", "later, median"]);
  row(["---", "---:", "---:", "---:", "---:"]);
  for (const library of FURTHER) {
    if (only.length > 0 && !only.includes(library.package)) continue;
    const file = join(folder, `${library.package.replaceAll(/\W+/g, "-")}-bench.js`);
    const name = `\`${library.package}\``;
    const prepared = preparedProgramOf(library);
    if (!library.differs) await measure(name, file, programOf(library));
    if (prepared !== undefined) await measure(`${name}, prepared`, file, prepared);
  }

  async function measure(name, file, program) {
    writeFileSync(file, program);
    const bytes = await bundleSize(file);
    if (bytes < LARGE) return;
    const deployed = await sandbox.deploy(file, { from });
    const times = [];
    for (let call = 0; call <= LATER_CALLS; call++) {
      const started = performance.now();
      const response = await deployed.call("/", { from, gasLimit: GAS_LIMIT });
      times.push(performance.now() - started);
      if (response.status !== 200) throw new Error(`${name}: ${response.status} ${await response.text()}`);
    }
    const [first, ...later] = times;
    const figures = [first, Math.min(...later), median(later)];
    row([name, Math.round(bytes / 1000), ...figures.map((value) => Math.round(value))]);
  }
} finally {
  await sandbox.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** Size of the code as deploy makes it, about; 0 for what it refuses. */
async function bundleSize(file) {
  try {
    const { outputFiles } = await build({
      entryPoints: [file],
      bundle: true,
      minify: true,
      write: false,
      format: "esm",
      platform: "browser",
      logLevel: "silent",
    });
    return outputFiles[0].contents.length;
  } catch {
    return 0;
  }
}
