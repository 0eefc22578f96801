// Which texts the highlighter finishes in a moment: it runs on the page's thread, and others write what it reads.

/** Characters of a text that is highlighted. */
const LONGEST = 150_000;
/** It is quadratic in the length of a word: 150,000 letters take 2 s. */
const LONGEST_WORD = 10_000;
/** From each slash that may begin a regular expression it looks for the next one up to the end of the line. */
const MOST_STEPS = 10_000_000;

/** Whether a text can be highlighted without a pause of the page. */
export function isQuickToHighlight(text: string): boolean {
  if (text.length > LONGEST) return false;
  if (text.split(/[^\w$]+/).some((word) => word.length > LONGEST_WORD)) return false;
  let steps = 0;
  for (const line of text.split("\n")) steps += line.length * (line.split("/").length - 1);
  return steps <= MOST_STEPS;
}
