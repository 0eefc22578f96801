// Suites that were made elsewhere, by the real protocol and for it: recorded runs of its own regression tests and the unit
// tests of Michelson. They are no part of this project; a variable of the environment says where they are.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

const FOLDER = process.env["FUNCTEZ_SUITES"];

/** Folder of a suite, or undefined, and then a line says why its tests are skipped. */
export function suiteFolder(...path: readonly string[]): string | undefined {
  if (FOLDER === undefined || FOLDER === "") {
    console.log(`skipped ${path.join("/")}: FUNCTEZ_SUITES names no folder with the suites`);
    return undefined;
  }
  const folder = join(FOLDER, ...path);
  if (existsSync(folder)) return folder;
  console.log(`skipped ${path.join("/")}: there is no ${folder}`);
  return undefined;
}

/** Names of the files of a folder that end so, sorted. */
export const filesIn = (folder: string, ending: string): readonly string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith(ending))
    .sort();

export const textOf = (...path: readonly string[]): string => readFileSync(join(...path), "utf8");
