// Highlighted code and values. The highlighter's tokens become DOM nodes; no markup is built from strings.
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { SugarHigh, type ParseOptions } from "sugar-high/core";
import { keywords as jsonWords, quotedKeys } from "sugar-high/lang/json";
import { tokenize } from "sugar-high/lang/typescript";
import { showHidden } from "../../daemon/text/visible-text.ts";
import { isQuickToHighlight } from "../state/highlighting.ts";
import { beginningOf } from "../state/texts.ts";

export type Language = "javascript" | "typescript" | "json";

const OPTIONS: Record<Language, ParseOptions> = {
  javascript: { jsx: false },
  typescript: { jsx: false },
  json: { jsx: false, keywords: jsonWords, quotedKeys },
};

/** What a page lays out in a moment. Numbered code is not wrapped; of other texts there may be hundreds. */
const NUMBERED = { characters: 400_000, elaborate: 400_000, lines: 10_000 };
const WRAPPED = { characters: 400_000, elaborate: 10_000, lines: 10_000 };
const AMONG_OTHERS = { characters: 20_000, elaborate: 1_000, lines: 500 };

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
  const { shown, lines } = useMemo(() => {
    const beginning = beginningOf(text, numbered ? NUMBERED : WRAPPED);
    return { shown: highlight(beginning, language), lines: beginning.split("\n").length };
  }, [text, language, numbered]);
  return (
    <div class={numbered ? "code numbered" : "code"} tabIndex={0} role="group" aria-label="Code">
      {numbered && (
        <pre class="lines" aria-hidden="true">
          {Array.from({ length: lines }, (_, i) => i + 1).join("\n")}
        </pre>
      )}
      <pre translate={false}>
        <code dir="ltr">{shown}</code>
      </pre>
    </div>
  );
}

function highlight(text: string, language: Language | undefined): ComponentChildren {
  const shown = withCodes(text);
  if (language === undefined || !isQuickToHighlight(shown)) return shown;
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

/**
 * A text among others, such as a name, a value or a line of a log: its beginning, and invisible characters, such as
 * direction marks, by their codes: they could make a text look like another.
 */
export const visible = (text: string): string => withCodes(beginningOf(text, AMONG_OTHERS));

function withCodes(text: string): string {
  return showHidden(text, (code) => `\u2039${code.toString(16).padStart(4, "0")}\u203a`);
}
