// Paths without links. The system's own answer: unlike Node's it has the letters as they are on the disk, and two answers
// that are compared must be of one kind.
import { realpathSync } from "node:fs";

/** @returns undefined if there is nothing, or a loop of links */
export function realPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}
