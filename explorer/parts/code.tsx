// Highlighted code and values. The highlighter's tokens become DOM nodes; no markup is built from strings.
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { SugarHigh, type ParseOptions } from "sugar-high/core";
import { keywords as jsonWords, quotedKeys } from "sugar-high/lang/json";
import { tokenize } from "sugar-high/lang/typescript";
import { showHidden } from "../../daemon/text/visible-text.ts";

export type Language = "javascript" | "typescript" | "json";

const OPTIONS: Record<Language, ParseOptions> = {
  javascript: { jsx: false },
  typescript: { jsx: false },
  json: { jsx: false, keywords: jsonWords, quotedKeys },
};

/** Longer texts are not highlighted, to keep the page responsive. */
const LONGEST = 150_000;
/** The highlighter is quadratic in the length of a word: 150,000 letters take 2 s. */
const LONGEST_WORD = 10_000;
/** Kinds of tokens without a colour of their own. */
const PLAIN = new Set(["identifier", "sign", "break", "space"]);

export function Code({
  text,
  language,
  numbered = false,
}: {
  readonly text: string;
  readonly language?: Language;
  readonly numbered?: boolean;
}) {
  const shown = useMemo(() => highlight(text, language), [text, language]);
  return (
    <div class={numbered ? "code numbered" : "code"} tabIndex={0} role="group" aria-label="Code">
      {numbered && (
        <pre class="lines" aria-hidden="true">
          {Array.from({ length: text.split("\n").length }, (_, i) => i + 1).join("\n")}
        </pre>
      )}
      <pre translate={false}>
        <code dir="ltr">{shown}</code>
      </pre>
    </div>
  );
}

function highlight(text: string, language: Language | undefined): ComponentChildren {
  const shown = visible(text);
  if (language === undefined || shown.length > LONGEST) return shown;
  if (shown.split(/[^\w$]+/).some((word) => word.length > LONGEST_WORD)) return shown;
  return runs(tokenize(shown, OPTIONS[language])).map(([kind, token], i) =>
    kind === undefined ? (
      token
    ) : (
      <span key={i} class={`hl-${kind}`}>
        {token}
      </span>
    ),
  );
}

/** Merges neighbouring tokens of one kind, for a tenth of the nodes. The kind is undefined for plain text. */
function runs(tokens: readonly (readonly [number, string])[]): [kind: string | undefined, text: string][] {
  const all: [string | undefined, string][] = [];
  for (const [index, text] of tokens) {
    const name = SugarHigh.TokenTypes[index];
    const kind = name === undefined || PLAIN.has(name) ? undefined : name;
    const last = all.at(-1);
    if (last && last[0] === kind) last[1] += text;
    else all.push([kind, text]);
  }
  return all;
}

/** Shows invisible characters, such as direction marks, by their codes: they could make code look like other code. */
export function visible(text: string): string {
  return showHidden(text, (code) => `\u2039${code.toString(16).padStart(4, "0")}\u203a`);
}
