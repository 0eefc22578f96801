// Stack traces for guests and receipts: the program's frames, without those of the prelude and of native functions.

/** Name under which the snapshot builder compiles the prelude. */
export const PRELUDE_FILE = "functez:prelude";

/** Characters of a stack that are processed: a function may throw a text of its own. */
const MOST = 65_536;

/** @returns the text with only the program's frames, cut at the limit */
export function shortStack(stack: string): string {
  return stack
    .slice(0, MOST)
    .split("\n")
    .filter(
      (line) =>
        !(/^\s+at /.test(line) && (line.includes(PRELUDE_FILE) || /\((?:native|missing)\)\s*$/.test(line))),
    )
    .join("\n")
    .trimEnd();
}
