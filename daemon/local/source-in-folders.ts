// Which files a language model may have deployed and checked: sources in the user's folders, and no others.
import { realpathSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { SandboxError } from "../protocol/errors.ts";
import { isInside } from "./inside-folder.ts";

/** File names of smart function sources. */
const SOURCE = /\.[cm]?[jt]sx?$/i;

/**
 * The path of a source file in one of the folders; relative paths start at the first. A manipulated model must not publish
 * other files of the user, not even through a link: deployed code is public, and errors quote it.
 * @throws SandboxError FILE_UNREADABLE
 */
export async function sourceInFolders(file: string, folders: readonly string[]): Promise<string> {
  const unreadable = (reason: string) =>
    new SandboxError("FILE_UNREADABLE", {
      file,
      reason,
      next: "Name a JavaScript or TypeScript file of the workspace.",
    });
  if (folders[0] === undefined) throw unreadable("it is not in an open folder");
  if (!SOURCE.test(file)) throw unreadable("it is not a JavaScript or TypeScript file");
  try {
    const path = await realpath(resolve(folders[0], file));
    for (const folder of folders) {
      if (SOURCE.test(path) && isInside(path, await realpath(folder))) return path;
    }
  } catch {
    throw unreadable("there is no such file");
  }
  throw unreadable("it is not in an open folder");
}

/** What an error says of a file that is imported from elsewhere. */
export const IMPORTED_FROM_OUTSIDE = {
  reason: "it is imported, and not in an open folder",
  next: "Import files of the workspace only.",
} as const;

/**
 * Checks that code is made of files in the folders and of packages: an import may name any file, and JSON and texts become
 * values of the function.
 * @throws SandboxError FILE_UNREADABLE
 */
export function requireInFolders(files: readonly string[], folders: readonly string[]): void {
  const roots = folders.map((folder) => realpathSync.native(folder));
  for (const file of files)
    if (!isOfFolders(realpathSync.native(file), roots))
      throw new SandboxError("FILE_UNREADABLE", { file, ...IMPORTED_FROM_OUTSIDE });
}

/** Whether a file lies in one of the folders or in a package. @param path, @param roots real paths, without links */
export const isOfFolders = (path: string, roots: readonly string[]): boolean =>
  roots.some((root) => isInside(path, root)) || /[\\/]node_modules[\\/]/.test(path);
