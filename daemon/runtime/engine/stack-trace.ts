// Stack traces as guests and receipts show them: the frames of the program, without those of the prelude and of
// native functions.

/** Name under which the snapshot builder compiles the prelude. */
export const PRELUDE_FILE = "functez:prelude";

/** Characters of a stack that are looked at: a function may throw what it has made itself. */
const MOST = 65_536;

/** @returns the text without frames that are not the program's, and not for ever */
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
