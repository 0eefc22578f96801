// Paths as the terminal shows them.
import { relative } from "node:path";
import { isInside } from "../../daemon/local/inside-folder.ts";

/** A path for the terminal: relative to the current folder if it is in there. */
export function fromHere(path: string): string {
  const here = process.cwd();
  return path !== here && isInside(path, here) ? relative(here, path) : path;
}
