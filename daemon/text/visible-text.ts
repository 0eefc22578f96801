// Untrusted text on a terminal: the logs and answers of smart functions must not move the cursor, fill the clipboard, set
// the window title, or reverse the order of letters.

/**
 * Control characters, and those of format: invisible ones, with which names look alike, and those that change the direction
 * of text. All languages are written without them.
 */
const HIDDEN =
  /\r\n|[\p{Cc}\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/** Escapes everything that a terminal would obey or hide, as in `\u001b`; line breaks and tabs stay. */
export function visible(text: string): string {
  return text.replace(HIDDEN, (found) => {
    if (found === "\n" || found === "\t" || found === "\r\n") return found;
    const code = found.codePointAt(0)!.toString(16);
    return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, "0")}`;
  });
}
