// The web-platform-tests live in an ignored cache folder, never in this repository. They come from the public
// repository (only the required folders) or from a copy named by WPT_SOURCE (the folder test/fixtures/wpt of a Node.js
// source tree will do); without either the suite is skipped with the reason.

import { execFile } from "node:child_process";
import { access, cp, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { FOLDERS, SUPPORT } from "./selection.ts";

const REPOSITORY = "https://github.com/web-platform-tests/wpt.git";
const run = promisify(execFile);

export const WPT_FOLDER = join(import.meta.dirname, "..", "..", ".cache", "wpt");

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** @returns undefined when the cache is filled, or why it could not be */
export async function fillCache(signal: AbortSignal): Promise<string | undefined> {
  if (await exists(join(WPT_FOLDER, "resources", "testharness.js"))) return undefined;
  const copy = process.env["WPT_SOURCE"];
  if (copy !== undefined) {
    await cp(copy, WPT_FOLDER, { recursive: true });
    return undefined;
  }
  const git = (...args: string[]): Promise<unknown> =>
    run("git", ["-C", WPT_FOLDER, ...args], { signal, env: { ...process.env, GIT_TERMINAL_PROMPT: "0" } });
  try {
    await mkdir(WPT_FOLDER, { recursive: true });
    await git("init", "--quiet");
    await git("sparse-checkout", "set", ...FOLDERS, ...SUPPORT);
    await git("fetch", "--quiet", "--depth", "1", "--filter=blob:none", REPOSITORY, "master");
    await git("checkout", "--quiet", "FETCH_HEAD");
    return undefined;
  } catch (error) {
    return `the web-platform-tests could not be fetched: ${(error as Error).message.split("\n")[0]}`;
  }
}
