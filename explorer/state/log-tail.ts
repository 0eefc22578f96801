// The latest lines of a log. One line may have a megabyte, so a page that kept some hundred would take the browser's memory.

export interface LogLine {
  readonly requestId: string;
  readonly level: string;
  readonly text: string;
}

/** Most lines to show. */
export const KEPT_LINES = 200;
/** Characters of all kept lines together. */
const KEPT_CHARACTERS = 4 * 1024 * 1024;

/** The first lines that are few and short enough; the first one whatever its length. @param lines newest first */
export function latestOf(lines: readonly LogLine[]): readonly LogLine[] {
  let characters = 0;
  const end = lines.findIndex(
    ({ text }, i) => i === KEPT_LINES || ((characters += text.length) > KEPT_CHARACTERS && i > 0),
  );
  return end < 0 ? lines : lines.slice(0, end);
}
