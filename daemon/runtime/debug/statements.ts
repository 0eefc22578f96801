// Statements that begin in the middle of a line. The engine's table of positions has a row for each name that is read
// and each call, but does not say which of them begin a statement: the text before them does.

/** Characters before a place that are looked at: what may be between the end of a statement and the first name of the next. */
const REACH = 200;

/** What may precede the first name of a statement. */
const PREFIX = [
  String.raw`(?:const|let|var)\s[^=;]*=`,
  String.raw`(?:return|throw|await|yield|void|typeof|delete|new)\b`,
  String.raw`(?:if|while|switch|for(?:\s+await)?)\s*\(`,
].join("|");
const BEGINNING = new RegExp(
  [
    String.raw`;(?:\s|${PREFIX}|[!~([+-])*$`, // the end of a statement
    String.raw`(?:[})]|\b(?:else|do)\b)(?:\s|${PREFIX})*$`, // the end of a block, or the head of a loop or condition
    String.raw`(?:\)|\b(?:else|do|try|finally)\b)\s*\{(?:\s|${PREFIX})*$`, // the beginning of a block
  ].join("|"),
);

/**
 * Whether a statement begins at a place, which is not the first of its line.
 * @param text of the line
 * @param column from 1
 */
export const beginsStatement = (text: string, column: number): boolean =>
  BEGINNING.test(text.slice(Math.max(0, column - 1 - REACH), column - 1));
