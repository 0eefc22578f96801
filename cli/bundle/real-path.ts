// Paths without links.
import { realpathSync } from "node:fs";

/** @returns undefined if there is nothing, or a loop of links */
export function realPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}
