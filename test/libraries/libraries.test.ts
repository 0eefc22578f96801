// Packages from the registry in smart functions, each compared with Node. In every run those that are installed here
// anyway; in the long run (FUNCTEZ_LONG=1) also those of tools/libraries: `npm ci --prefix tools/libraries`.
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Sandbox, startSandbox as StartSandbox } from "../../testing/testing.ts";
import { DIST, ROOT } from "../support/built-cli.ts";
import { LONG } from "../support/long-run.ts";
import { FURTHER, INSTALLED, type LibraryCase, preparedProgramOf, programOf } from "./cases.ts";
import { withTable } from "./table.ts";
import { inNode, inSandbox } from "./try-library.ts";

const PACKAGES = join(ROOT, "tools/libraries");
const isThere = existsSync(join(PACKAGES, "node_modules"));

let sandbox: Sandbox;
/** Below the installations, so that the packages are found. */
const folders = { installed: join(ROOT, ".cache/libraries"), further: join(PACKAGES, ".cache") };

beforeAll(async () => {
  for (const folder of isThere ? Object.values(folders) : [folders.installed])
    mkdirSync(folder, { recursive: true });
  const kit = (await import(pathToFileURL(join(DIST, "testing.mjs")).href)) as {
    startSandbox: typeof StartSandbox;
  };
  sandbox = await kit.startSandbox();
});
afterAll(async () => {
  await sandbox.stop();
  for (const folder of Object.values(folders)) rmSync(folder, { recursive: true, force: true });
});

async function compare(folder: string, library: LibraryCase): Promise<void> {
  const { package: name } = library;
  const here = await inSandbox(sandbox, folder, name, programOf(library));
  const there = await inNode(folder, library);
  if (library.differs) expect(JSON.stringify(here)).toMatch(library.differs.shows);
  else expect(here).toEqual(there);
  const prepared = preparedProgramOf(library);
  if (prepared !== undefined) expect(await inSandbox(sandbox, folder, name, prepared)).toEqual(there);
}

it.each(INSTALLED.map((library) => [library.package, library] as const))("%s", (_name, library) =>
  compare(folders.installed, library),
);

it.runIf(LONG).each(FURTHER.map((library) => [library.package, library] as const))(
  "%s, in the long run",
  (_name, library) => {
    expect(isThere, "npm ci --prefix tools/libraries").toBe(true);
    return compare(folders.further, library);
  },
);

it("is listed in docs/libraries.md (npm run docs writes it)", () => {
  const text = readFileSync(join(ROOT, "docs/libraries.md"), "utf8");
  expect(text).toBe(withTable(text));
  expect([...INSTALLED, ...FURTHER].length).toBeGreaterThanOrEqual(80);
});
