// Text of programs and values, coloured. The highlighter's tree becomes nodes of the page; no markup is made of strings.
import hljs from "highlight.js/lib/core";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import typescript from "highlight.js/lib/languages/typescript";
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";

hljs.registerLanguage("javascript", javascript);
hljs.registerLanguage("typescript", typescript);
hljs.registerLanguage("json", json);

export type Language = "javascript" | "typescript" | "json";

/** Longer texts are shown without colours: they would hold up the page. */
const LONGEST = 150_000;

interface Branch {
  readonly scope?: string;
  readonly children: readonly (Branch | string)[];
}

/** The part of the highlighter's result that holds its tree. */
interface WithTree {
  readonly _emitter: { readonly rootNode: Branch };
}

export function Code({
  text,
  language,
  numbered = false,
}: {
  readonly text: string;
  readonly language?: Language;
  readonly numbered?: boolean;
}) {
  const shown = useMemo(() => coloured(text, language), [text, language]);
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

function coloured(text: string, language: Language | undefined): ComponentChildren {
  const shown = visible(text);
  if (language === undefined || shown.length > LONGEST) return shown;
  const result = hljs.highlight(shown, { language, ignoreIllegals: true }) as unknown as WithTree;
  return nodesOf(result._emitter.rootNode);
}

const nodesOf = ({ children }: Branch): ComponentChildren[] =>
  children.map((child, i) =>
    typeof child === "string" ? (
      child
    ) : (
      <span key={i} class={`hl-${(child.scope ?? "").split(".")[0]}`}>
        {nodesOf(child)}
      </span>
    ),
  );

/** Marks that turn the direction of text, and other invisible ones, would make code look like other code. */
export function visible(text: string): string {
  return text.replace(
    /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g,
    (mark) => `\u2039${mark.charCodeAt(0).toString(16).padStart(4, "0")}\u203a`,
  );
}
