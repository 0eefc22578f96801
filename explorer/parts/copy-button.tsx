// Copies a text, and confirms it visibly and to screen readers.
import { useState } from "preact/hooks";
import { Icon } from "./icon.tsx";

interface CopyButtonProps {
  readonly text: string;
  /** What is copied: "address". */
  readonly what: string;
  /** Shows this text beside the icon. */
  readonly label?: string;
}

const SHOWN_MS = 1_500;

export function CopyButton({ text, what, label }: CopyButtonProps) {
  const [outcome, setOutcome] = useState<"" | "Copied" | "Not copied">("");
  const copy = () => {
    const end = (said: typeof outcome) => {
      setOutcome(said);
      setTimeout(() => setOutcome(""), SHOWN_MS);
    };
    copyText(text).then(
      () => end("Copied"),
      () => end("Not copied"),
    );
  };
  return (
    <button
      type="button"
      class={label === undefined ? "icon-button" : "button small"}
      title={`Copy ${what}`}
      aria-label={label === undefined ? `Copy ${what}` : undefined}
      onClick={copy}
    >
      <Icon name={outcome === "Copied" ? "check" : "copy"} />
      {label !== undefined && <span>{outcome || label}</span>}
      <span class="unseen" role="status">
        {outcome}
      </span>
    </button>
  );
}

/** A long text, shown in full, with a copy button. */
export function Whole({ text, what }: { readonly text: string; readonly what: string }) {
  return (
    <span class="ref">
      <span class="mono wrap">{text}</span>
      <CopyButton text={text} what={what} />
    </span>
  );
}

/** Copies by selection where the clipboard API is missing: without TLS on a host name other than loopback. */
async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  const isDone = document.execCommand("copy");
  area.remove();
  if (!isDone) throw new Error("not copied");
}
