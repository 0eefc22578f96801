import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { makeFolder } from "./make-folder.ts";

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "functez-folder-"))));
afterEach(() => rmSync(folder, { recursive: true }));

it("makes a folder and its parents, for the owner only, and accepts existing ones", () => {
  const path = join(folder, "a", "b");
  makeFolder(path);
  makeFolder(path);
  const { mode } = statSync(path);
  if (process.platform !== "win32") expect(mode & 0o777).toBe(0o700);
});

it("says what is in the way", () => {
  writeFileSync(join(folder, "file"), "");
  expect(() => makeFolder(join(folder, "file"))).toThrow("EEXIST");
  expect(() => makeFolder(join(folder, "file", "below"))).toThrow(/EEXIST|ENOTDIR/);
});

it.runIf(process.platform === "linux")("fails where no folder can be made", () => {
  expect(() => makeFolder("/proc/none/functez")).toThrow("ENOENT");
});
