// Untrusted text where people read it: the logs and answers of smart functions must not move the cursor of a terminal, fill
// the clipboard, set the window title, reverse the order of letters, or hide between them.

/**
 * Control characters, line separators, and everything that Unicode draws as nothing: direction marks, joiners, fillers,
 * variation selectors, tags and the blank pattern of Braille. The sign that gives a symbol its coloured form stays: it
 * changes what is seen. Some languages use a few of the others, and stay legible with the codes.
 */
const HIDDEN =
  /(\r\n|(?<=\p{Extended_Pictographic})\ufe0f)|[\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb]/gu;

/** Replaces every hidden character; line breaks and tabs stay. @param show from a code point to the text that shows it */
export function showHidden(text: string, show: (code: number) => string): string {
  return text.replace(HIDDEN, (found, seen: string | undefined) =>
    seen !== undefined || found === "\n" || found === "\t" ? found : show(found.codePointAt(0)!),
  );
}

/** Escapes everything that a terminal would obey or hide, as in `\u001b`; line breaks and tabs stay. */
export function visible(text: string): string {
  return showHidden(text, (code) => (code > 0xffff ? `\\u{${code.toString(16)}}` : escapeUnit(code)));
}

/** JSON text with the same value, in which the hidden characters of strings are escaped. */
export function visibleJson(json: string): string {
  return showHidden(json, (code) =>
    String.fromCodePoint(code)
      .split("")
      .map((unit) => escapeUnit(unit.charCodeAt(0)))
      .join(""),
  );
}

const escapeUnit = (code: number): string => `\\u${code.toString(16).padStart(4, "0")}`;
