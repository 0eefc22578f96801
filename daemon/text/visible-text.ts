// Untrusted text on a terminal: the logs and answers of smart functions must not move the cursor, fill the clipboard, set
// the window title, or reverse the order of letters.

/** Control characters, and those that change the direction of text. */
const HIDDEN = /\r\n|[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/** Escapes everything that a terminal would obey, as in `\u001b`; line breaks and tabs stay. */
export function visible(text: string): string {
  return text.replace(HIDDEN, (found) =>
    found === "\n" || found === "\t" || found === "\r\n"
      ? found
      : `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
