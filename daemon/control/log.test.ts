import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openLog } from "./log.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "functez-log-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

it("appends to its file", async () => {
  const file = join(folder, "log");
  writeFileSync(file, "before\n");
  const log = await openLog({ level: "info", file });
  log.info({}, "a line");
  await log.flush();
  expect(readFileSync(file, "utf8")).toMatch(/^before\n\{"level":"info",.*"msg":"a line"\}\n$/);
});

it.each([
  ["in a missing folder", () => join(folder, "missing", "log")],
  ["in a file instead of a folder", () => join(fileIn(folder), "log")],
  ["that is a folder", () => folder],
])("refuses a file %s", async (_place, fileOf) => {
  const file = fileOf();
  await expect(openLog({ level: "info", file })).rejects.toMatchObject({
    code: "FILE_UNWRITABLE",
    data: { file },
  });
});

// Root may write everywhere, and Windows has no such modes.
it.skipIf(process.platform === "win32" || process.getuid?.() === 0)(
  "refuses a file in an unwritable folder",
  async () => {
    chmodSync(folder, 0o500);
    const opened = openLog({ level: "info", file: join(folder, "log") });
    await expect(opened).rejects.toMatchObject({ code: "FILE_UNWRITABLE" });
    chmodSync(folder, 0o700);
  },
);

function fileIn(place: string): string {
  const file = join(place, "file");
  writeFileSync(file, "");
  return file;
}
