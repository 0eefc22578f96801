import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadFunction } from "../bundle-function.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "functez-inputs-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(name: string, text: string): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
}

const load = () => loadFunction("index.ts", folder, { withMap: true, withTexts: true, ownBundler: true });

const importing = (name: string) => `import value from ${JSON.stringify(name)};\nexport default () => value;`;

/** A hundred times what it takes: a busy machine pauses the bundler's process. */
const PATIENCE_MS = 20_000;

/** In two parts, or tools would take it for a comment of this file. */
const MAP = "//# sourceMapping" + "URL=";

/** What hostile folders have in the place of a file. */
const KINDS = {
  "a named pipe": (file: string) => execFileSync("mkfifo", [file]),
  "a device": (file: string) => symlinkSync("/dev/zero", file),
  "3 GiB": (file: string) => {
    writeFileSync(file, "");
    truncateSync(file, 3 * 1024 ** 3);
  },
} as const;

/** Where such a file is, and what else is in the folder. */
const PLACES: readonly (readonly [place: string, bad: string, files: Readonly<Record<string, string>>])[] = [
  ["an import", "x.ts", { "index.ts": importing("./x.ts") }],
  ["an import without ending", "x.json", { "index.ts": importing("./x") }],
  ["a style", "x.css", { "index.ts": 'import "./x.css"; export default () => 1;' }],
  ["an import of a package", "node_modules/foo/a.js", { "index.ts": importing("foo/a.js") }],
  ["package.json above", "package.json", {}],
  ["tsconfig.json above", "tsconfig.json", {}],
  ["jsconfig.json above", "jsconfig.json", {}],
  ["a manifest of Yarn", ".pnp.data.json", {}],
  ["package.json of a package", "node_modules/foo/package.json", { "index.ts": importing("foo") }],
  [
    "package.json in a package",
    "node_modules/@a/foo/sub/package.json",
    { "index.ts": importing("@a/foo/sub") },
  ],
  ["tsconfig.json of an imported folder", "lib/tsconfig.json", { "index.ts": importing("./lib") }],
  ["a base of tsconfig.json", "base.json", { "tsconfig.json": '{"extends": "./base"}' }],
  [
    "a base of a base",
    "node_modules/bases/strict.json",
    {
      "tsconfig.json": '{ /* two */ "extends": ["./none.json", "./one.json"], }',
      "one.json": '{"extends": "bases/strict"}',
    },
  ],
  [
    "a base in escapes",
    "base.json",
    { "tsconfig.json": '{"compilerOptions": {}, "\\u0065xtends": "./b\\u0061se.json"}' },
  ],
  ["a source map", "x.map", { "index.ts": `export default () => 1;\n${MAP}x.map` }],
  ["a source map behind escapes", "x y.map", { "index.ts": `export default () => 1;\n${MAP}x%20y.map` }],
  [
    "a source of a source map",
    "x.txt",
    {
      "index.ts": importing("./a.js"),
      "a.js": `export default 1;\n${MAP}a.map`,
      "a.map": '{"version": 3, "sources": ["a.ts", "x.txt"], "sourcesContent": [""], "mappings": "AAAA"}',
    },
  ],
  [
    "a source of a map in a comment",
    "x.txt",
    {
      "index.ts": `export default () => 1;\n${MAP}data:application/json;base64,${Buffer.from(
        '{"version": 3, "sourceRoot": ".", "sources": ["x.txt"], "mappings": "AAAA"}',
      ).toString("base64")}`,
    },
  ],
  [
    "package.json of the folder that main names",
    "node_modules/foo/lib/package.json",
    { "index.ts": importing("foo"), "node_modules/foo/package.json": '{"main": "lib/a.js"}' },
  ],
  [
    "package.json of a folder that exports names",
    "node_modules/foo/lib/sub/package.json",
    {
      "index.ts": importing("foo/sub/a"),
      "node_modules/foo/package.json": '{"exports": {"./*": {"import": ["./lib/*.js"]}}}',
    },
  ],
  [
    "package.json of a folder that imports names",
    "lib/package.json",
    { "index.ts": importing("#own/a"), "package.json": '{"imports": {"#own/*": "./lib/*.js"}}' },
  ],
  [
    "package.json of a folder that browser names",
    "node_modules/foo/lib/package.json",
    {
      "index.ts": importing("foo"),
      "node_modules/foo/package.json": '{"browser": {"./index.js": "./lib/a.js"}}',
    },
  ],
  [
    "package.json of a folder that paths names",
    "lib/sub/package.json",
    {
      "index.ts": importing("~/sub/a"),
      "tsconfig.json": '{"extends": "./base.json"}',
      "base.json": '{"compilerOptions": {"paths": {"~/*": ["./none/*", "./lib/*"]}}}',
    },
  ],
  [
    "package.json of a folder below baseUrl",
    "lib/sub/package.json",
    { "index.ts": importing("sub/a"), "tsconfig.json": '{"compilerOptions": {"baseUrl": "./lib"}}' },
  ],
  [
    "an alias of the project",
    "x.ts",
    { "index.ts": importing("foo"), "package.json": '{"functez": {"alias": {"foo": "./x.ts"}}}' },
  ],
];

describe.skipIf(process.platform === "win32")("what the bundler would read", () => {
  it.each(PLACES)("is refused unless it is a regular file: %s", async (_place, bad, files) => {
    for (const [kind, make] of Object.entries(KINDS)) {
      write("index.ts", "export default () => 1;");
      for (const [name, text] of Object.entries(files)) write(name, text);
      const file = join(folder, bad);
      mkdirSync(dirname(file), { recursive: true });
      rmSync(file, { force: true });
      make(file);
      const error: unknown = await load().then(
        () => "built",
        (thrown: unknown) => thrown,
      );
      expect(error).toMatchObject({
        code: "FILE_UNREADABLE",
        data: {
          file:
            kind === "a device" ? (expect.any(String) as string) : (expect.stringContaining(bad) as string),
          reason: expect.stringContaining(kind) as string,
        },
      });
    }
  });

  it("is named where a link leads to it", async () => {
    write("index.ts", importing("./x.ts"));
    symlinkSync("/dev/zero", join(folder, "x.ts"));
    await expect(load()).rejects.toMatchObject({ code: "FILE_UNREADABLE", data: { file: "/dev/zero" } });
  });
});

it("refuses files that are too many bytes together", async () => {
  const names = Array.from({ length: 8 }, (_, index) => `x${index}.txt`);
  write(
    "index.ts",
    `${names.map((name) => `import ${name.slice(0, 2)} from "./${name}";`).join("")}
    export default () => [${names.map((name) => name.slice(0, 2)).join()}];`,
  );
  for (const name of names) {
    write(name, "");
    truncateSync(join(folder, name), 19 * 1024 ** 2);
  }
  await expect(load()).rejects.toMatchObject({
    code: "FILE_UNREADABLE",
    data: { reason: "with it the files that the code is made of have more than 128 MiB" },
  });
});

it.each([
  ["bases", { "tsconfig.json": `{"extends": [${'"./a",'.repeat(20_000)} "./b"]}` }],
  [
    "sources",
    {
      "index.ts": `import "./a.js";\nexport default () => 1;`,
      "a.js": `export {};\n${MAP}a.map`,
      "a.map": `{"version": 3, "mappings": "", "sources": [${'"a",'.repeat(20_000)} "b"]}`,
    },
  ],
])("refuses a file that names too many %s", async (_what, files) => {
  write("index.ts", "export default () => 1;");
  for (const [name, text] of Object.entries(files)) write(name, text);
  await expect(load()).rejects.toMatchObject({
    code: "FILE_UNREADABLE",
    data: { reason: expect.stringContaining("too many") as string },
  });
});

/** Each of forty files leads to the next one twice. */
const chain = (name: (index: number) => string, text: (next: number) => string, end: string) =>
  Object.fromEntries(
    Array.from({ length: 41 }, (_, index) => [name(index), index === 40 ? end : text(index + 1)]),
  );

it.each([
  [
    "bases that multiply",
    {
      "tsconfig.json": '{"extends": "./0.json"}',
      ...chain(
        (index) => `${index}.json`,
        (next) => `{"extends": ["./${next}", "./${next}.json"]}`,
        "{}",
      ),
    },
    /made of more than 20000 files/,
  ],
  [
    "exports that multiply",
    {
      "index.ts": 'import { a } from "./0";\nexport default () => a;',
      ...chain(
        (index) => `${index}.ts`,
        (next) => `export * from "./${next}"; export/**/*/**/from "./${next}.ts";`,
        "export const a = 1;",
      ),
    },
    /ways through "export \*"/,
  ],
  [
    "imports of nothing",
    { "index.ts": Array.from({ length: 20_000 }, (_, index) => `import "./${index}";`).join("\n") },
    /more than 1000 files that do not exist/,
  ],
])("refuses %s, long before the bundler has tried them all", async (_what, files, reason) => {
  write("index.ts", 'import "./other"; export default () => 1;');
  write("other.ts", "export {};");
  for (const [name, text] of Object.entries(files)) write(name, text);
  const started = performance.now();
  await expect(load()).rejects.toMatchObject({
    code: "FILE_UNREADABLE",
    data: { reason: expect.stringMatching(reason) as string },
  });
  expect(performance.now() - started).toBeLessThan(PATIENCE_MS);
});

it.skipIf(process.platform !== "linux")("names a configuration that the system cannot read", async () => {
  write("index.ts", "export default () => 1;");
  symlinkSync("/proc/self/mem", join(folder, "tsconfig.json"));
  await expect(load()).rejects.toMatchObject({
    code: "FILE_UNREADABLE",
    data: { file: expect.stringContaining("tsconfig.json") as string },
  });
});

it("builds with many imports in the forms of TypeScript, and with exports of everything", async () => {
  const names = Array.from({ length: 1_001 }, (_, index) => `m${index}`);
  write("index.ts", `${names.map((name) => `import "./${name}.js";`).join("")} export * from "./m7.js";`);
  for (const name of names) write(`${name}.ts`, `export const ${name} = 1;`);
  expect((await load()).code).toContain("m7");
});

it("builds with loops of links, of configurations, and with folders where files could be", async () => {
  write(
    "index.ts",
    'import value from "foo";\nimport { own } from "~/own";\nimport "./long";\nexport default () => [value, own];',
  );
  write("long.ts", `import "data:text/javascript,${"//".repeat(10_000)}";`);
  write("own.ts", 'export const own = "of the project";');
  write("tsconfig.json", '{"extends": "./base.json", "compilerOptions": {"paths": {"~/*": ["./*"]}}}');
  write("base.json", '{"extends": "./tsconfig.json"}');
  write("store/foo@1/node_modules/foo/package.json", '{"main": "main.js"}');
  write("store/foo@1/node_modules/foo/main.js", `module.exports = "of a package";\n${MAP}.`);
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(join(folder, "store/foo@1/node_modules/foo"), join(folder, "node_modules/foo"), "junction");
  symlinkSync(folder, join(folder, "node_modules/loop"), "junction");
  mkdirSync(join(folder, "jsconfig.json"));
  const { code } = await load().catch((error: unknown) => ({ code: String(error) }));
  expect(code).toContain("of a package");
  expect(code).toContain("of the project");
});
