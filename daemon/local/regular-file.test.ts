import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { checkRegularFile, readRegularFile, UnreadableFile } from "./regular-file.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "functez-regular-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** What reading a file says, and looking at it: both must agree. */
function problemOf(file: string, limit?: number): string {
  const messages = [readRegularFile, checkRegularFile].map((open) => {
    try {
      open(file, limit);
    } catch (error) {
      expect(error).toBeInstanceOf(UnreadableFile);
      return (error as Error).message;
    }
    return "";
  });
  expect(messages[0]).toBe(messages[1]);
  return messages[0] ?? "";
}

it("reads regular files, also behind links and of every length up to the limit", () => {
  const file = join(folder, "a");
  for (const length of [0, 1, 4095, 4096, 4097, 20_000]) {
    writeFileSync(file, "x".repeat(length));
    expect(readRegularFile(file, 20_000).toString()).toBe("x".repeat(length));
    expect(checkRegularFile(file, 20_000)).toBe(length);
  }
  symlinkSync(file, join(folder, "link"));
  expect(readRegularFile(join(folder, "link")).length).toBe(20_000);
});

it("refuses files above the limit by their size", () => {
  const file = join(folder, "sparse");
  writeFileSync(file, "");
  truncateSync(file, 3.5 * 1024 ** 3);
  expect(problemOf(file)).toBe("it has 3.5 GiB, and at most 20 MiB are read");
  truncateSync(file, 1025);
  expect(problemOf(file, 1024)).toBe("it has 1025 bytes, and at most 1 KiB are read");
});

it.skipIf(process.platform === "win32")("refuses devices and pipes without waiting for them", () => {
  execFileSync("mkfifo", [join(folder, "pipe")]);
  symlinkSync("/dev/zero", join(folder, "zero"));
  expect(problemOf(join(folder, "pipe"))).toBe("it is a named pipe, and only regular files are read");
  expect(problemOf(join(folder, "zero"))).toBe("it is a device, and only regular files are read");
});

it("leaves a missing file to the caller", () => {
  expect(checkRegularFile(join(folder, "missing"))).toBeUndefined();
  expect(() => readRegularFile(join(folder, "missing"))).toThrow(/ENOENT/);
  expect(checkRegularFile(folder)).toBeUndefined();
  expect(() => readRegularFile(folder)).toThrow("it is a folder, and only regular files are read");
});

it.runIf(process.platform === "linux")("reads files of the system whose size is unknown", () => {
  expect(readRegularFile("/proc/self/status").toString()).toContain("Pid:");
  expect(() => readRegularFile("/proc/self/status", 10)).toThrow("more than 10 bytes");
});
