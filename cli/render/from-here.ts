import { relative } from "node:path";

/** A path for the terminal: relative to the current folder if it is in there. */
export function fromHere(path: string): string {
  const here = relative(process.cwd(), path);
  return here.startsWith("..") || here === "" ? path : here;
}
