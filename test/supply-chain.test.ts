// What ships: licences of everything bundled, no install scripts, identical bytes from each build.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { noticeText } from "../tools/notice.mjs";
import { ROOT } from "./support/built-cli.ts";

const exec = promisify(execFile);
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

it("lists the licence of everything that is bundled (node tools/notice.mjs writes NOTICE.md)", async () => {
  const text = await noticeText();
  expect(read("NOTICE.md")).toBe(text);
  const rows = text.split("\n").filter((line) => /^\| (?!package|---)/.test(line));
  expect(rows.length).toBeGreaterThan(20);
  // All of them allow redistribution under our own licence with their notices kept.
  for (const row of rows)
    expect(row).toMatch(/\| \(?(MIT|ISC|Apache-2\.0|BSD-[23]-Clause|0BSD|BlueOak|Unlicense|CC0)/);
});

it.each([
  [
    "QuickJS-ng",
    "Fabrice Bellard",
    "Charlie Gordon",
    "Ben Noordhuis",
    "Saúl Ibarra Corretgé",
    "UNICODE LICENSE V3",
  ],
  ["quickjs-wasi", "Vercel, Inc."],
  ["musl", "Rich Felker", "Sun Microsystems"],
  ["wasi-libc", "Permission is hereby granted"],
  ["cloudlibc", "Nuxi"],
  ["dlmalloc", "Doug Lea"],
  ["punycode", "Mathias Bynens <https://mathiasbynens.be/>", "Permission is hereby granted"],
])("states the terms of %s in the packages", (name, ...words) => {
  const notice = read("NOTICE.md");
  expect(notice).toMatch(new RegExp(`^\\| ${name} \\|`, "m"));
  const section = notice.split(/^## /m).find((each) => new RegExp(`^(.*, )?${name} `).test(each)) ?? "";
  for (const word of words) expect(section).toContain(word);
});

it("pins its inputs, and runs no script at installation", () => {
  const lock = JSON.parse(read("package-lock.json")) as {
    packages: Record<
      string,
      { integrity?: string; link?: boolean; hasInstallScript?: boolean; dev?: boolean }
    >;
  };
  const manifest = JSON.parse(read("package.json")) as {
    scripts: Record<string, string>;
    dependencies: Record<string, string>;
    devDependencies: Record<string, string>;
  };
  for (const [path, { integrity, link }] of Object.entries(lock.packages)) {
    if (path !== "" && !link) expect(integrity, path).toEqual(expect.stringMatching(/^sha512-/));
  }
  for (const [name, version] of Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })) {
    expect(version, name).toEqual(expect.stringMatching(/^(npm:[@\w/-]+@)?\d+\.\d+\.\d+$/));
  }
  expect(Object.keys(manifest.scripts)).not.toEqual(
    expect.arrayContaining([expect.stringMatching(/install$/)]),
  );
  // The only dependency that users install chooses its binary by optional packages; its script only checks that.
  const scripts = Object.entries(lock.packages).filter(([, entry]) => entry.hasInstallScript && !entry.dev);
  expect(scripts.map(([path]) => path)).toEqual(["node_modules/esbuild"]);
});

it("gives the same bytes from two builds", async () => {
  const folder = mkdtempSync(join(tmpdir(), "functez-build-"));
  try {
    const skipped = /^(node_modules|\.git|dist|out|\.cache)$/;
    cpSync(ROOT, folder, {
      recursive: true,
      filter: (path) => !/node_modules/.test(path) && !skipped.test(relative(ROOT, path)),
    });
    symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"), "dir");
    const hashes: string[] = [];
    for (let i = 0; i < 2; i++) {
      await exec(process.execPath, ["esbuild.mjs"], { cwd: folder });
      hashes.push(hashOf(join(folder, "dist")));
    }
    expect(hashes[0]).toBe(hashes[1]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

/** One hash over names and contents of all shipped files. */
function hashOf(folder: string): string {
  const hash = createHash("sha256");
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith(".map"))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  expect(files.length).toBeGreaterThan(5);
  for (const file of files) hash.update(relative(folder, file)).update("\0").update(readFileSync(file));
  return hash.digest("hex");
}
