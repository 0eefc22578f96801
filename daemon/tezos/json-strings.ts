// Finds strings in JSON text, for scanners that look at the text between them. In one pass: an unterminated string must not
// make them rescan the rest of the text.

/**
 * Index after the closing quote of the string that begins at `start`, or the length of the text when it is unterminated.
 * @param start index of the opening quote
 */
export function endOfString(text: string, start: number): number {
  let from = start + 1;
  for (;;) {
    const quote = text.indexOf('"', from);
    if (quote < 0) return text.length;
    let first = quote;
    while (first > from && text[first - 1] === "\\") first--;
    if ((quote - first) % 2 === 0) return quote + 1;
    from = quote + 1;
  }
}
