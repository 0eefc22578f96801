// Whether a path lies in a folder: the one test of this, since texts of paths mislead. `..x` is a name, and on Windows the
// way to another drive is an absolute path.
import { isAbsolute, relative, sep } from "node:path";

/** Whether a path is a folder or lies in it. @param path, @param folder both absolute; links are not followed */
export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way.split(sep)[0] !== ".." && !isAbsolute(way);
}
