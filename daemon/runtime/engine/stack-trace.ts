// Stack traces as guests and receipts show them: the frames of the program, without those of the prelude and of
// native functions.

/** Name under which the snapshot builder compiles the prelude. */
export const PRELUDE_FILE = "functez:prelude";

/** @returns the text without frames that are not the program's */
export function shortStack(stack: string): string {
  return stack
    .split("\n")
    .filter(
      (line) =>
        !(/^\s+at /.test(line) && (line.includes(PRELUDE_FILE) || /\((?:native|missing)\)\s*$/.test(line))),
    )
    .join("\n")
    .trimEnd();
}
