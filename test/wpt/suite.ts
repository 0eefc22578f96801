// The whole selection: files of the cache, their results, and sums per folder.

import { readdir } from "node:fs/promises";
import { join } from "node:path";

import type { Engine } from "../../daemon/runtime/engine/engine.ts";
import { WPT_FOLDER } from "./cache.ts";
import { type FileResult, runFile } from "./run-file.ts";
import { exclusion, FOLDERS } from "./selection.ts";

export async function selectedFiles(): Promise<string[]> {
  const files: string[] = [];
  for (const folder of FOLDERS) {
    const names = await readdir(join(WPT_FOLDER, folder), { recursive: true }).catch(() => []);
    for (const name of names) {
      const path = `${folder}/${name.replaceAll("\\", "/")}`;
      if (/\.any\.js$/.test(path) && exclusion(path) === undefined) files.push(path);
    }
  }
  return files.sort();
}

export async function runSuite(engine: Engine, filter = ""): Promise<FileResult[]> {
  const results: FileResult[] = [];
  for (const path of await selectedFiles()) {
    if (path.includes(filter)) results.push(await runFile(engine, path));
  }
  return results;
}

export interface FolderSum {
  readonly folder: string;
  readonly files: number;
  readonly passed: number;
  readonly failed: number;
}

export function sumByFolder(results: readonly FileResult[]): FolderSum[] {
  const sums = FOLDERS.map((folder) => {
    const own = results.filter(({ path }) => path.startsWith(`${folder}/`));
    const total = (pick: (result: FileResult) => number): number =>
      own.reduce((sum, result) => sum + pick(result), 0);
    return { folder, files: own.length, passed: total((r) => r.passed), failed: total((r) => r.failed) };
  });
  return sums.filter(({ files }) => files > 0);
}
