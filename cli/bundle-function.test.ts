import { existsSync, mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { loadFunction } from "./bundle-function.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "functez-bundle-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

it.skipIf(process.platform === "win32")("reads no devices", async () => {
  await expect(loadFunction("/dev/zero", folder)).rejects.toMatchObject({ code: "FILE_UNREADABLE" });
});

it("reads no file that is too large for any function", async () => {
  const file = join(folder, "large.ts");
  writeFileSync(file, "");
  truncateSync(file, 20 * 1024 * 1024 + 1);
  await expect(loadFunction(file, folder)).rejects.toMatchObject({
    code: "FILE_UNREADABLE",
    data: { reason: expect.stringContaining("20971521 bytes") },
  });
});

it("runs no bundler of the project when it only looks at code", async () => {
  const bundler = join(folder, "node_modules/esbuild");
  mkdirSync(bundler, { recursive: true });
  writeFileSync(join(bundler, "package.json"), '{"name":"esbuild","main":"main.js"}');
  const trace = join(folder, "was-run");
  writeFileSync(join(bundler, "main.js"), `require("fs").writeFileSync(${JSON.stringify(trace)}, "");`);
  writeFileSync(join(folder, "index.ts"), "export default (): Response => new Response('hello');");
  const { code } = await loadFunction("index.ts", folder, { ownBundler: true });
  expect(code).toContain("hello");
  expect(existsSync(trace)).toBe(false);
  // The rig works: a deploy takes the project's own.
  await loadFunction("index.ts", folder).catch(() => undefined);
  expect(existsSync(trace)).toBe(true);
});
