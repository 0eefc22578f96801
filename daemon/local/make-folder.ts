// Makes folders. Node's recursive mkdir never returns under a folder that accepts none, such as /proc.
import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Makes a folder that only its owner may enter, and its missing parents.
 * @throws Error of the system that names the cause
 */
export function makeFolder(path: string): void {
  if (isFolder(path)) return;
  const above = dirname(path);
  if (above !== path) makeFolder(above);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have been faster.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST" || !isFolder(path)) throw error;
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
