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

function installPackage(name: string, manifest: object, files: Readonly<Record<string, string>>): void {
  const place = join(folder, "node_modules", name);
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, "package.json"), JSON.stringify({ name, ...manifest }));
  for (const [file, text] of Object.entries(files)) writeFileSync(join(place, file), text);
}

it("takes what a package replaces for browsers: files, and modules of Node.js", async () => {
  installPackage(
    "signer",
    { main: "main.js", browser: { "./random.js": "./random-browser.js", crypto: false } },
    {
      "main.js": 'require("crypto"); exports.random = require("./random.js");',
      "random.js": 'module.exports = "from Node.js";',
      "random-browser.js": 'module.exports = "from the browser";',
    },
  );
  installPackage(
    "parts",
    { exports: { ".": { worker: "./worker.js", node: "./node.js", default: "./node.js" } } },
    { "worker.js": 'export default "for workers";', "node.js": 'export default "for Node.js";' },
  );
  const source =
    'import { random } from "signer";\nimport parts from "parts";\nexport default [random, parts];';
  writeFileSync(join(folder, "index.ts"), source);
  const { code } = await loadFunction("index.ts", folder);
  expect(code).toContain("from the browser");
  expect(code).toContain("for workers");
  expect(code).not.toContain("Node.js");
});

it("decides for production, and leaves out what is for development", async () => {
  installPackage(
    "view",
    { main: "main.js" },
    {
      "main.js":
        'module.exports = process.env.NODE_ENV === "production" ? require("./a.js") : require("./b.js");',
      "a.js": 'module.exports = "small";',
      "b.js": 'require("fs"); module.exports = "verbose";',
    },
  );
  writeFileSync(join(folder, "index.ts"), 'import view from "view";\nexport default () => view;');
  const { code } = await loadFunction("index.ts", folder);
  expect(code).toContain("small");
  expect(code).not.toMatch(/verbose|process/);
});

it("says of a module of Node.js who imports it, and what to do", async () => {
  installPackage("disk", { main: "main.js" }, { "main.js": 'module.exports = require("node:fs");' });
  writeFileSync(join(folder, "index.ts"), 'import disk from "disk";\nexport default disk;');
  const failed = loadFunction("index.ts", folder);
  await expect(failed).rejects.toMatchObject({
    code: "BUILD_FAILED",
    data: {
      reason: expect.stringMatching(/disk\/main\.js:1:26: .*"node:fs" \(a module of Node\.js, /) as string,
    },
  });
  writeFileSync(join(folder, "index.ts"), 'import "not-installed";');
  await expect(loadFunction("index.ts", folder)).rejects.toMatchObject({
    data: { reason: expect.not.stringContaining("Node.js") as string },
  });
});
