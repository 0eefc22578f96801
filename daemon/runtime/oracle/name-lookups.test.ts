import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { NameLookups } from "./name-lookups.ts";

const lookups: NameLookups[] = [];
const environment = process.env["NODE_OPTIONS"];
afterEach(() => {
  for (const each of lookups.splice(0)) each.stop();
  if (environment === undefined) delete process.env["NODE_OPTIONS"];
  else process.env["NODE_OPTIONS"] = environment;
});

function start(idleMs?: number): NameLookups {
  const made = new NameLookups(idleMs);
  lookups.push(made);
  return made;
}

const isLoopback = expect.arrayContaining([
  expect.objectContaining({ address: expect.stringMatching(/^(127\.0\.0\.1|::1)$/) as string }),
]) as unknown;

it("finds what the system finds, also names of its file of hosts", async () => {
  const names = start();
  const [first, second] = await Promise.all([names.lookUp("localhost"), names.lookUp("127.0.0.2")]);
  expect(first).toEqual(isLoopback);
  expect(second).toEqual([{ address: "127.0.0.2", family: 4 }]);
  await expect(names.lookUp("no\u0000name")).rejects.toThrow(Error);
});

it("starts its process again after a pause, and refuses when it is stopped", async () => {
  const names = start(1);
  for (let round = 0; round < 3; round++) expect(await names.lookUp("localhost")).toEqual(isLoopback);
  names.stop();
  await expect(names.lookUp("localhost")).rejects.toThrow(Error);
});

it.skipIf(process.platform === "win32")(
  "ends open look-ups when it is stopped, and its process",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "functez-names-"));
    try {
      // A look-up that blocks a thread, as one does that no name server answers.
      const [asked, pipe] = ["asked", "pipe"].map((name) => join(folder, name)) as [string, string];
      execFileSync("mkfifo", [asked, pipe]);
      const silent = join(folder, "silent.cjs");
      writeFileSync(
        silent,
        `require("node:dns").lookup = (host, options, done) => {
          require("node:fs").writeFileSync(${JSON.stringify(asked)}, "");
          require("node:fs").open(${JSON.stringify(pipe)}, "r", done);
        };`,
      );
      process.env["NODE_OPTIONS"] = `--require ${silent}`;
      const names = start();
      const open = names.lookUp("silent.example");
      await readFile(asked); // ends when the look-up begins
      names.stop();
      await expect(open).rejects.toThrow(Error);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);
