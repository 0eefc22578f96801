import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { BUILD_LIMITS, type BuildLimits, BuildStopped, buildWithin } from "./bundler-process.ts";
import { loadEsbuild } from "./load-esbuild.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "functez-bundler-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const esbuild = loadEsbuild(join(tmpdir(), "index.ts"), true);

async function build(source: string, limits: Partial<BuildLimits> = {}, settings = {}): Promise<string> {
  const file = join(folder, "index.ts");
  writeFileSync(file, source);
  const { outputFiles } = await buildWithin(
    esbuild,
    {
      entryPoints: [file],
      bundle: true,
      write: false,
      logLevel: "silent",
      absWorkingDir: folder,
      ...settings,
    },
    { limits: { ...BUILD_LIMITS, ...limits } },
  );
  return outputFiles?.[0]?.text ?? "";
}

/** The next build has a bundler again. */
const expectWorking = async () => expect(await build("console.log('works');")).toContain("works");

/** 2^30 letters, once the bundler folds them. */
const multiplying = `const enum A { a0 = "${"x".repeat(32)}",${Array.from(
  { length: 26 },
  (_, index) => `a${index + 1} = a${index} + a${index}`,
).join()} }\nconsole.log(A.a26);`;

it("ends a bundler that takes too much memory", async () => {
  const error = await build(multiplying, { memory: 256 * 1024 ** 2, output: Infinity }).catch(
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(BuildStopped);
  expect((error as Error).message).toContain("more than 256 MiB of memory");
  await expectWorking();
});

it("ends a bundler that sends too much", async () => {
  const error = await build(`console.log("${"x".repeat(3_000_000)}");`, { output: 1024 ** 2 }).catch(
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(BuildStopped);
  expect((error as Error).message).toContain("more than 1 MiB");
  await expectWorking();
});

it.skipIf(process.platform === "win32")(
  "ends a bundler that waits for a file, and says for which",
  async () => {
    mkdirSync(join(folder, "lib"));
    execFileSync("mkfifo", [join(folder, "lib/package.json")]);
    const started = performance.now();
    const error = await build('import "./lib";', { milliseconds: 300 }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(BuildStopped);
    expect((error as Error).message).toContain("has not finished within 0.3 s");
    expect(performance.now() - started).toBeLessThan(5_000);
    await expectWorking();
  },
);

it("reports a crash in one line, and starts the bundler again", async () => {
  const error = await build("[".repeat(2_000_000), { memory: 8 * 1024 ** 3 }).catch(
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(BuildStopped);
  expect((error as Error).message).toBe("the bundler has run out of stack: the code nests too deeply");
  await expectWorking();
}, 60_000);

it("leaves starting processes to others as it was", async () => {
  const module = createRequire(import.meta.url)("node:child_process") as object;
  const before = { ...module };
  await expectWorking();
  expect({ ...module }).toEqual(before);
});

it("passes on errors in the source, with their places", async () => {
  await expect(build("let a = ;")).rejects.toMatchObject({ errors: [{ location: { line: 1 } }] });
});
