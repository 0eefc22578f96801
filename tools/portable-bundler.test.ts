import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { copyPortableBundler } from "./portable-bundler.mjs";

const exec = promisify(execFile);
const SOURCE = resolve(import.meta.dirname, "../node_modules/esbuild-wasm");

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "functez-bundler-"));
  copyPortableBundler(SOURCE, join(folder, "esbuild-wasm"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The bundler's result for a file, run as in the editor: by its own program, with nothing on the PATH. */
async function bundle(text: string): Promise<unknown> {
  writeFileSync(join(folder, "function.ts"), text);
  const script = `
    const { build } = require("./esbuild-wasm/lib/main.js");
    const options = { entryPoints: ["function.ts"], bundle: true, write: false, format: "esm", logLevel: "silent" };
    build(options)
      .then((result) => result.outputFiles[0].text, (error) => error.errors?.[0]?.location?.line ?? String(error))
      .then((answer) => { process.stdout.write(JSON.stringify(answer)); process.exit(0); });`;
  const { stdout } = await exec(process.execPath, ["-e", script], { cwd: folder, env: { PATH: "" } });
  return JSON.parse(stdout);
}

it("bundles without a node on the PATH", async () => {
  expect(await bundle("const n: number = 1;\nexport default (): number => n;\n")).toContain(
    "var function_default = () => n;",
  );
});

it("names the line of an error", async () => {
  expect(await bundle("export default function (\n  request: Request {\n}\n")).toBe(2);
});
