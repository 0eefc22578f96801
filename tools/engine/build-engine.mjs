// Build step of the guest engine: metered wasm, prelude bundle, base snapshot, manifest. The output depends only on the
// inputs; when their hash matches the last build, the kept files are copied and nothing is built.
import { createHash } from "node:crypto";
import { copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

import { importBundled } from "../bundle.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const engine = join(root, "daemon", "runtime", "engine");
const cache = join(root, ".cache", "engine");
/** Counts in quickjs-wasi 3.7.0 after its unused exports are removed. */
const EXPECTED = { loops: 1197, stackChanges: 937 };
const FILES = [
  "engine.wasm",
  "engine-watched.wasm",
  "engine.snapshot",
  "engine-strict.snapshot",
  "engine.json",
];
/** How the debugger reads the engine's memory, and what it must find in a program that has every kind of value. */
const READER = [
  "heap-objects.ts",
  "heap-reader.ts",
  "layout.ts",
  "positions.ts",
  "value-view.ts",
  "probe.ts",
].map((name) => join(root, "daemon", "runtime", "debug", name));
const PROBE = join(root, "tools", "engine", "probe.json");
/** What the strict prelude takes its lists from. */
const FACTS = join(root, "daemon", "protocol", "real-runtime.ts");

async function filesUnder(folder, matches) {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile() && matches(entry.name))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();
}

const packageFile = (name) => join(root, "node_modules", name, "package.json");
const PACKAGES = [
  "quickjs-wasi",
  "binaryen",
  "esbuild",
  "web-streams-polyfill",
  "urlpattern-polyfill",
  "whatwg-url",
  "@exodus/bytes",
];

async function hashOfInputs() {
  const hash = createHash("sha256");
  const isSource = (name) => /\.(ts|mjs)$/.test(name) && !name.endsWith(".test.ts");
  const files = [
    ...(await filesUnder(engine, isSource)),
    ...(await filesUnder(join(root, "tools", "engine"), isSource)),
    FACTS,
    ...READER,
    PROBE,
  ];
  for (const file of files)
    hash
      .update(relative(root, file))
      .update("\0")
      .update(await readFile(file))
      .update("\0");
  for (const name of PACKAGES)
    hash.update(JSON.parse(await readFile(packageFile(name), "utf8")).version).update("\0");
  return hash.digest("hex").slice(0, 24);
}

/**
 * @param {string} [entry] file in `prelude/`
 * @returns {Promise<string>} the prelude as one script
 */
export async function bundlePrelude(entry = "main.ts") {
  const result = await build({
    entryPoints: [join(engine, "prelude", entry)],
    bundle: true,
    write: false,
    format: "iife",
    platform: "neutral",
    mainFields: ["module", "main"],
    target: "es2023",
    minifyWhitespace: true,
    minifySyntax: true,
    keepNames: false,
    legalComments: "none",
    logLevel: "error",
    define: { "process.env.NODE_ENV": '"production"' },
  });
  return result.outputFiles[0].text;
}

/** The engine's own TypeScript makes the snapshot, bundled for this process. */
async function loadBuilder(folder) {
  const outfile = join(folder, "snapshot-builder.mjs");
  return importBundled(join(engine, "snapshot-builder.ts"), outfile);
}

async function make(folder) {
  const quickjs = join(root, "node_modules", "quickjs-wasi");
  const builder = await loadBuilder(folder);
  const original = await readFile(join(quickjs, "quickjs.wasm"));
  const wasm = await meteredWasm(original, builder.KEPT_EXPORTS);
  const { version } = JSON.parse(await readFile(packageFile("quickjs-wasi"), "utf8"));
  const [prelude, strictPrelude] = await Promise.all([bundlePrelude(), bundlePrelude("strict.ts")]);
  const { bytes, strict, manifest } = builder.buildSnapshot(wasm, prelude, strictPrelude, version);
  await writeFile(join(folder, "engine.wasm"), wasm);
  await writeFile(join(folder, "engine-watched.wasm"), await watchedWasm(wasm));
  await writeFile(join(folder, "engine.snapshot"), bytes);
  await writeFile(join(folder, "engine-strict.snapshot"), strict);
  await writeFile(join(folder, "engine.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  await checkLayout(folder);
}

/** Another QuickJS may keep its values elsewhere: the debugger would show nonsense. */
async function checkLayout(folder) {
  const { readProbe } = await importBundled(READER.at(-1), join(folder, "probe.mjs"));
  const found = await readProbe(folder);
  const expected = JSON.parse(await readFile(PROBE, "utf8"));
  const different = expected.find((line, i) => line !== found[i]) ?? found[expected.length];
  if (different === undefined) return;
  throw new Error(
    `The debugger reads the engine's memory wrongly, at: ${different}\nCorrect daemon/runtime/debug/layout.ts; node tools/engine/probe.mjs <folder> shows what it reads.`,
  );
}

/** The module that counts gas. */
const meteredWasm = (original, kept) =>
  rewritten([original, kept.join()], ["rewrite-wasm.mjs"], async () => {
    const { rewriteWasm } = await import("./rewrite-wasm.mjs");
    return rewriteWasm(original, kept, EXPECTED);
  });

/** The module of the debugger. */
const watchedWasm = (metered) =>
  rewritten([metered], ["rewrite-wasm.mjs", "hook-wasm.mjs"], async () => {
    const { hookWasm } = await import("./hook-wasm.mjs");
    return hookWasm(metered);
  });

/** A rewrite takes seconds, so its result is cached by the hash of its inputs. */
async function rewritten(inputs, tools, make_) {
  const hash = createHash("sha256");
  for (const input of inputs) hash.update(input);
  for (const tool of tools) hash.update(await readFile(join(root, "tools", "engine", tool)));
  const file = join(cache, `${hash.digest("hex").slice(0, 24)}.wasm`);
  const before = await readFile(file).catch(() => undefined);
  if (before !== undefined) return before;
  const wasm = await make_();
  await mkdir(cache, { recursive: true });
  await writeFile(`${file}.${process.pid}`, wasm);
  await rename(`${file}.${process.pid}`, file);
  return wasm;
}

/**
 * Builds the engine's files.
 * @param {string} outDir folder that gets the files of FILES
 * @returns {Promise<{ key: string, fresh: boolean }>} hash of the inputs, and whether anything was built
 */
export async function buildEngine(outDir) {
  const key = await hashOfInputs();
  const kept = join(cache, key);
  const done = await readFile(join(kept, "engine.json")).then(
    () => true,
    () => false,
  );
  if (!done) {
    const draft = `${kept}.${process.pid}`;
    await mkdir(draft, { recursive: true });
    try {
      await make(draft);
      // Another process may have finished first: its files are identical.
      await rename(draft, kept).catch(() => undefined);
    } finally {
      await rm(draft, { recursive: true, force: true });
    }
  }
  await mkdir(outDir, { recursive: true });
  if (outDir !== kept) for (const file of FILES) await copyFile(join(kept, file), join(outDir, file));
  return { key, fresh: !done };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const outDir = process.argv[2] ?? join(root, "dist");
  const { key, fresh } = await buildEngine(outDir);
  process.stdout.write(`engine ${key} ${fresh ? "built" : "unchanged"}\n`);
}
