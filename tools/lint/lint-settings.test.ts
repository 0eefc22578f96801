// The linter with this repository's settings on small trees: what it must find, it finds.
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";

const ROOT = resolve(import.meta.dirname, "../..");
const LINTER = join(ROOT, "node_modules/oxlint/bin/oxlint");
const SETTINGS = [".oxlintrc.json", "tsconfig.json", "tools/lint"];

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "functez-lint-"));
  for (const file of SETTINGS) cpSync(join(ROOT, file), join(folder, file), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Lints files, and returns each finding as `file:line rule`. */
async function lint(files: Readonly<Record<string, readonly string[]>>, ...flags: string[]) {
  for (const [file, lines] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), lines.join("\n"));
  }
  const args = [LINTER, "--format", "unix", ...flags, ...Object.keys(files)];
  const output = await new Promise<string>((ended) => {
    execFile(process.execPath, args, { cwd: folder }, (_, stdout) => ended(stdout));
  });
  const findings = output.matchAll(/^(\S+?):(\d+):\d+: .* \[Error\/(.+)\]$/gm);
  return [...findings].map(([, file, line, rule]) => `${file}:${line} ${rule}`).toSorted();
}

it("finds wrong types and broken rules, each where it is asked for", async () => {
  const found = await lint({
    "daemon/local/wrong.ts": [
      'export const amount: number = "1";', // a type
      "Promise.resolve(amount);", // a rule that needs types
      "var counter = Date.now();", // rules that need none
      "export const parsed = parseFloat(String(counter));", // rules of our own
      "export const shown = Object.keys({ showErrorMessage: parsed });",
    ],
    // Elsewhere the clock is allowed, and promises are not looked at.
    "test/wrong.test.ts": ["export const started: string = Date.now();", "Promise.resolve(started);"],
    // Scripts have no types, but what they never use is a mistake there too.
    "tools/wrong.mjs": ['import { join } from "node:path";', "export default 1;"],
  });
  expect(found).toEqual([
    "daemon/local/wrong.ts:1 typescript(TS2322)",
    "daemon/local/wrong.ts:2 typescript(no-floating-promises)",
    "daemon/local/wrong.ts:3 eslint(no-restricted-properties)",
    "daemon/local/wrong.ts:3 eslint(no-var)",
    "daemon/local/wrong.ts:4 house(restricted-names)",
    "daemon/local/wrong.ts:5 house(restricted-names)",
    "test/wrong.test.ts:1 typescript(TS2322)",
    "tools/wrong.mjs:1 eslint(no-unused-vars)",
  ]);
});

it("finds functions named by a participle, and types whose last word says nothing", async () => {
  const found = await lint({
    "daemon/local/names.ts": [
      "export function signed() {}",
      "export const given = () => 1;",
      "export const kept = 1;",
      "export const signedBytes = () => 1;",
      "export const feed = () => 1;",
      "export interface BlockInfo {}",
      "export interface LevelInfo {}",
      "export type Data = string;",
    ],
    "daemon/runtime/engine/prelude/names.ts": ["export function sorted() {}"],
  });
  expect(found.filter((finding) => finding.includes("house"))).toEqual([
    "daemon/local/names.ts:1 house(declared-names)",
    "daemon/local/names.ts:2 house(declared-names)",
    "daemon/local/names.ts:6 house(declared-names)",
  ]);
});

const nameOf = (source: string) => source.replace(/\W/g, "_");
const from = (...sources: string[]) =>
  sources.map((source) => `import { ${nameOf(source)} } from "${source}";`);
/** Unused imports are mistakes of their own. */
const using = (...sources: string[]) => `export { ${sources.map(nameOf).join(", ")} };`;

it("puts Node's modules first, then packages, then our files from far to near", async () => {
  const mixed = ["./a.mjs", "../b.mjs", "fastify", "../../c.mjs", "node:fs"];
  const files = {
    "tools/mixed.mjs": [...from(...mixed), using(...mixed)],
    // One with an effect stays in place, and nothing moves past it.
    "tools/effect.mjs": [
      ...from("./b.mjs"),
      'import "./effect.mjs";',
      ...from("./a.mjs"),
      using("./a.mjs", "./b.mjs"),
    ],
    // A comment belongs to the next import: a person moves it.
    "tools/comment.mjs": [...from("./b.mjs"), "// why", ...from("./a.mjs"), using("./a.mjs", "./b.mjs")],
  };
  expect(await lint(files)).toEqual([
    "tools/comment.mjs:1 house(import-order)",
    "tools/mixed.mjs:1 house(import-order)",
  ]);
  expect(await lint(files, "--fix")).toEqual(["tools/comment.mjs:1 house(import-order)"]);
  expect(readFileSync(join(folder, "tools/mixed.mjs"), "utf8").split("\n")).toEqual([
    ...from("node:fs", "fastify", "../../c.mjs", "../b.mjs", "./a.mjs"),
    using(...mixed),
  ]);
  expect(readFileSync(join(folder, "tools/comment.mjs"), "utf8").split("\n")).toEqual(
    files["tools/comment.mjs"],
  );
});
