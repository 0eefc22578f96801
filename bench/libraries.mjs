// Calls of functions with large libraries: `node bench/libraries.mjs` after a build and `npm ci --ignore-scripts --prefix
// tools/libraries`. For each package of test/libraries whose bundle is large: its size, milliseconds of the first call,
// which evaluates the module, and of the fastest and the median later call.
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
const { FURTHER } = await importBundled(
  join(root, "test/libraries/cases.ts"),
  join(temporaryFolder("cases"), "cases.mjs"),
);
const { startSandbox } = await import(pathToFileURL(join(root, "dist/testing.mjs")).href);
const folder = join(packages, ".cache");
mkdirSync(folder, { recursive: true });
const sandbox = await startSandbox();
try {
  const from = await sandbox.createAccount();
  process.stdout.write("package".padEnd(28) + "      kB    first   fastest    median  ms\n");
  for (const { package: name, imports, run } of FURTHER) {
    const file = join(folder, `${name.replaceAll(/\W+/g, "-")}-bench.js`);
    writeFileSync(
      file,
      `${imports}\nexport default async () => Response.json(await (async () => { ${run} })());`,
    );
    const bytes = await bundleSize(file);
    if (bytes < LARGE) continue;
    try {
      const deployed = await sandbox.deploy(file, { from });
      const times = [];
      for (let call = 0; call <= LATER_CALLS; call++) {
        const started = performance.now();
        const { status } = await deployed.call("/", { from, gasLimit: GAS_LIMIT });
        times.push(performance.now() - started);
        if (status !== 200) throw new Error(`status ${status}`);
      }
      const [first, ...later] = times;
      const figures = [bytes / 1000, first, Math.min(...later), median(later)];
      process.stdout.write(
        name.padEnd(28) + figures.map((value) => value.toFixed(1).padStart(9)).join("") + "\n",
      );
    } catch (error) {
      process.stdout.write(`${name.padEnd(28)} ${error.message.split("\n")[0].slice(0, 100)}\n`);
    }
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
