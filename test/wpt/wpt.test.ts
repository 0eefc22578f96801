// Compares a run of the web-platform-tests with the committed list: a file may improve, but never get worse.

import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { beforeAll, describe, expect, it } from "vitest";

import type { Engine } from "../../daemon/runtime/engine/engine.ts";
import { testEngine } from "../../daemon/runtime/engine/test-engine.ts";
import { fillCache } from "./cache.ts";
import { runFile } from "./run-file.ts";
import { selectedFiles, sumByFolder } from "./suite.ts";

/** Share of passed subtests over the whole selection that the product promises. */
const GOAL = 0.75;

const reason = await fillCache(AbortSignal.timeout(100_000));
const files = reason === undefined ? await selectedFiles() : [];
const expected = JSON.parse(await readFile(join(import.meta.dirname, "expected.json"), "utf8")) as Record<
  string,
  [passed: number, failed: number]
>;

if (reason !== undefined) process.stdout.write(`web-platform-tests skipped: ${reason}\n`);

describe.skipIf(reason !== undefined)("web-platform-tests", () => {
  let engine: Engine;
  let passed = 0;
  let failed = 0;
  beforeAll(async () => {
    engine = await testEngine();
  });

  it.each(files)("%s passes at least as much as before", async (path) => {
    const result = await runFile(engine, path);
    passed += result.passed;
    failed += result.failed;
    const [least, most] = expected[path] ?? [0, Infinity];
    expect(result.passed, JSON.stringify(result.failures.slice(0, 3))).toBeGreaterThanOrEqual(least);
    expect(result.failed).toBeLessThanOrEqual(most);
  });

  it(`passes at least ${GOAL * 100} % over all`, () => {
    expect(passed / (passed + failed)).toBeGreaterThanOrEqual(GOAL);
  });
});

describe("sums per folder", () => {
  it("count each file under its folder of the selection", () => {
    const sums = sumByFolder([
      { path: "url/a.any.js", passed: 2, failed: 1, failures: [] },
      { path: "url/b.any.js", passed: 3, failed: 0, failures: [] },
      { path: "console/c.any.js", passed: 1, failed: 0, failures: [] },
    ]);
    expect(sums).toEqual([
      { folder: "console", files: 1, passed: 1, failed: 0 },
      { folder: "url", files: 2, passed: 5, failed: 1 },
    ]);
  });
});
