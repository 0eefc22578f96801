// External test suites of the real protocol: recorded runs of its own regression tests, and the unit tests of Michelson.
// They are not part of this project; an environment variable names their folder.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

const FOLDER = process.env["FUNCTEZ_SUITES"];

/** Folder of a suite; undefined when it is missing, and then a line says why its tests are skipped. */
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

/** Names of the files in a folder that have this ending, sorted. */
export const filesIn = (folder: string, ending: string): readonly string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith(ending))
    .sort();

export const textOf = (...path: readonly string[]): string => readFileSync(join(...path), "utf8");
