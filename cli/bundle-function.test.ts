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
    data: { reason: "it has 20971521 bytes, and at most 20 MiB are read" },
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

/** What the handler of a file returns, or the message of what it throws. */
async function answerOf(source: string): Promise<unknown> {
  writeFileSync(join(folder, "index.ts"), source);
  const { code } = await loadFunction("index.ts", folder);
  const module = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as {
    default: () => unknown;
  };
  try {
    return module.default();
  } catch (error) {
    return (error as Error).message;
  }
}

it("lets packages import modules of Node.js that they do not reach, and says how a reached one came in", async () => {
  installPackage(
    "disk",
    { main: "main.js" },
    {
      "main.js": `const fs = require("fs"), { Readable } = require("node:stream");
        class Lines extends Readable {}
        exports.name = "disk";
        exports.read = () => fs.promises.readFile("a");
        exports.lines = () => new Lines();`,
    },
  );
  installPackage(
    "store",
    { module: "main.mjs" },
    {
      "main.mjs":
        'import { createHash } from "crypto"; export * from "disk"; export const hash = () => createHash("md5");',
    },
  );
  expect(await answerOf('import { name } from "store";\nexport default () => name;')).toBe("disk");
  expect(await answerOf('import { read } from "store";\nexport default () => read();')).toMatch(
    /^fs\.promises\.readFile is absent .*\(index\.ts → store → disk\)/,
  );
  expect(await answerOf('import { lines } from "store";\nexport default () => lines();')).toMatch(
    /^node:stream\.Readable is absent/,
  );
  expect(await answerOf('import { hash } from "store";\nexport default () => hash();')).toMatch(
    /^crypto\.createHash is absent .*\(index\.ts → store\)/,
  );
  expect((await loadFunction("index.ts", folder)).absent).toEqual([
    { name: "crypto", chain: ["index.ts", "store"] },
    { name: "fs", chain: ["index.ts", "store", "disk"] },
    { name: "node:stream", chain: ["index.ts", "store", "disk"] },
  ]);
});

it("leaves a package its own way without a module", async () => {
  installPackage(
    "random",
    { main: "main.js" },
    {
      "main.js":
        'let c; try { c = require("crypto") } catch {} exports.kind = c ? "Node" : "web"; require("os");',
    },
  );
  expect(await answerOf('import { kind } from "random";\nexport default () => kind;')).toBe("web");
});

it("says of a module of Node.js in one's own code where it is, and what to do", async () => {
  writeFileSync(join(folder, "index.ts"), 'import disk from "node:fs";\nexport default disk;');
  await expect(loadFunction("index.ts", folder)).rejects.toMatchObject({
    code: "BUILD_FAILED",
    data: {
      reason: expect.stringMatching(/index\.ts:1:18: .*"node:fs" \(a module of Node\.js, /) as string,
    },
  });
  writeFileSync(join(folder, "index.ts"), 'import "not-installed";');
  await expect(loadFunction("index.ts", folder)).rejects.toMatchObject({
    data: { reason: expect.not.stringContaining("Node.js") as string },
  });
});

it("follows the field functez of package.json", async () => {
  installPackage("big", { main: "main.js" }, { "main.js": 'module.exports = "big";' });
  installPackage(
    "lazy",
    { main: "main.js" },
    { "main.js": 'const n = require("native"); exports.run = () => n.run();' },
  );
  installPackage(
    "parts",
    { exports: { slim: "./slim.js", default: "./full.js" } },
    {
      "slim.js": 'export default "slim";',
      "full.js": 'export default "full";',
    },
  );
  writeFileSync(join(folder, "small.ts"), 'export default "small";');
  writeFileSync(join(folder, "query.sql"), "select 1");
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({
      functez: {
        define: { DEBUG: "false" },
        alias: { big: "./small.ts" },
        conditions: ["slim"],
        loader: { ".sql": "text" },
        absent: ["native"],
      },
    }),
  );
  mkdirSync(join(folder, "src"));
  const source = `import big from "big"; import parts from "parts"; import sql from "../query.sql"; import { run } from "lazy";
    declare const DEBUG: boolean;
    export default () => [big, parts, sql, DEBUG, typeof run].join();`;
  writeFileSync(join(folder, "src/index.ts"), source);
  const { code, absent } = await loadFunction("src/index.ts", folder);
  const module = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as {
    default: () => string;
  };
  expect(module.default()).toBe("small,slim,select 1,false,function");
  expect(absent).toEqual([{ name: "native", chain: ["index.ts", "lazy"] }]);
});

it.each([
  [[], ""],
  ["functez", ""],
  [{ functez: 1 }, "functez"],
  [{ functez: { plugins: ["./plugin.js"] } }, "functez.plugins"],
  [{ functez: { define: { A: 1 } } }, "functez.define.A"],
  [{ functez: { alias: { a: "../outside.ts" } } }, "functez.alias.a"],
  [{ functez: { alias: { a: "/etc/hosts" } } }, "functez.alias.a"],
  [{ functez: { alias: { a: "./a/../../b" } } }, "functez.alias.a"],
  [{ functez: { loader: { ".a": "file" } } }, "functez.loader..a"],
  [{ functez: { absent: "fs" } }, "functez.absent"],
  [{ functez: { conditions: [1] } }, "functez.conditions"],
])("refuses settings that it does not know: %j", async (manifest, key) => {
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(folder, "index.ts"), "export default () => 1;");
  await expect(loadFunction("index.ts", folder)).rejects.toMatchObject({
    code: "PROJECT_INVALID",
    data: { key: expect.stringContaining(key) as string, line: 1 },
  });
});

it("bundles JavaScript that imports in whatever way, and changes no other", async () => {
  writeFileSync(join(folder, "other.js"), "export const value = 'other';");
  const importing = [
    '/* header */ import { value } from "./other.js"; export default () => value;',
    'const a = 1; import { value } from "./other.js"; export default () => value;',
    'export default async () => (await import("./other.js")).value;',
    'export {\n  value\n} from "./other.js"; export default () => 1;',
    'export default () => require("./other.js").value;',
  ];
  for (const source of importing) {
    writeFileSync(join(folder, "index.js"), source);
    const { code, bundled } = await loadFunction("index.js", folder);
    expect([source, bundled, code.includes('"other"')]).toEqual([source, true, true]);
  }
  const plain = [
    "// import nothing from anywhere\nexport default () => 1;",
    "export default () => Array.from([1]);",
    "export default () => `\nimport x from 'y'`;",
    "export default (name) => import(name);",
  ];
  for (const source of plain) {
    writeFileSync(join(folder, "index.js"), source);
    expect(await loadFunction("index.js", folder)).toMatchObject({ code: source, bundled: false });
  }
});
