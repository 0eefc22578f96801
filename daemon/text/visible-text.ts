// Text of strangers on a terminal: what a smart function logs or answers must not move the cursor, fill the clipboard,
// name the window, or turn the order of letters around.

/** Controls but for line breaks and tabs, and what turns the direction of text. */
const HIDDEN = /\r\n|[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/** The text with everything that a terminal would obey written as an escape: `\u001b`. */
export function visible(text: string): string {
  return text.replace(HIDDEN, (found) =>
    found === "\n" || found === "\t" || found === "\r\n"
      ? found
      : `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
