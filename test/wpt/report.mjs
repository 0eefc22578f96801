// Runs the web-platform-tests and rewrites test/wpt/expected.json and the table of docs/web-platform.md.
// Run: node test/wpt/report.mjs [filter]   (a filter prints failures and writes nothing)
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker, isMainThread, parentPort, workerData } from "node:worker_threads";

import { importBundled } from "../../tools/bundle.mjs";
import { buildEngine } from "../../tools/engine/build-engine.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

async function importEntry(entry) {
  const file = join(root, ".cache", "engine", `wpt-${entry.split("/").pop()}.mjs`);
  await mkdir(dirname(file), { recursive: true });
  return importBundled(join(root, entry), file, {
    define: { "import.meta.dirname": JSON.stringify(join(root, "test", "wpt")) },
  });
}

if (isMainThread) {
  const worker = new Worker(fileURLToPath(import.meta.url), {
    workerData: { filter: process.argv[2] ?? "" },
    resourceLimits: { stackSizeMb: 64 },
  });
  worker.on("message", (message) => process.stdout.write(message));
  worker.on("error", (error) => {
    throw error;
  });
} else {
  const { filter } = workerData;
  const print = (text) => parentPort.postMessage(`${text}\n`);
  const { key } = await buildEngine(join(root, ".cache", "engine", "current"));
  const { loadEngine } = await importEntry("daemon/runtime/engine/engine.ts");
  const { fillCache } = await importEntry("test/wpt/cache.ts");
  const { runSuite, sumByFolder } = await importEntry("test/wpt/suite.ts");
  const reason = await fillCache(AbortSignal.timeout(300_000));
  if (reason !== undefined) throw new Error(reason);
  const engine = await loadEngine({ directory: join(root, ".cache", "engine", key) });
  const started = performance.now();
  const results = await runSuite(engine, filter);
  for (const { path, passed, failed, failures, stopped } of results) {
    if (failed === 0) continue;
    print(
      `${path}: ${passed} passed, ${failed} failed${stopped ? ` (stopped: ${stopped.slice(0, 300)})` : ""}`,
    );
    if (filter !== "")
      for (const { name, message } of failures) print(`    ${name}: ${message.slice(0, 200)}`);
  }
  const sums = sumByFolder(results);
  const passed = sums.reduce((sum, row) => sum + row.passed, 0);
  const failed = sums.reduce((sum, row) => sum + row.failed, 0);
  for (const row of sums)
    print(`${row.folder.padEnd(30)} ${row.files} files, ${row.passed} passed, ${row.failed} failed`);
  print(
    `${passed} passed, ${failed} failed (${((100 * passed) / (passed + failed)).toFixed(1)} %) in ${((performance.now() - started) / 1000).toFixed(0)} s`,
  );
  if (filter === "") {
    const { renderTable, replaceTable } = await importEntry("test/wpt/table.ts");
    const lines = results.map((r) => `  ${JSON.stringify(r.path)}: [${r.passed}, ${r.failed}]`);
    await writeFile(join(root, "test", "wpt", "expected.json"), `{\n${lines.join(",\n")}\n}\n`);
    const page = join(root, "docs", "web-platform.md");
    await writeFile(page, replaceTable(await readFile(page, "utf8"), renderTable(sums)));
  }
}
