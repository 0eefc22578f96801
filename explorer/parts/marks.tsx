// Small marks: layer, outcome, amount and time.
import { clockText, tezOf } from "../state/texts.ts";
import { Icon } from "./icon.tsx";

export function LayerMark({ of }: { readonly of: "layer1" | "runtime" }) {
  return <span class={`mark ${of}`}>{of === "layer1" ? "Layer 1" : "Runtime"}</span>;
}

/** The outcome as an icon with a word, so that colour is never the only sign. */
export function Outcome({ ok, text }: { readonly ok: boolean; readonly text?: string }) {
  return (
    <span class={`outcome ${ok ? "good" : "bad"}`}>
      <Icon name={ok ? "check" : "cross"} />
      {text !== undefined ? <span>{text}</span> : <span class="unseen">{ok ? "succeeded" : "failed"}</span>}
    </span>
  );
}

export function Tez({ of }: { readonly of: string | number | bigint }) {
  return (
    <span class="tez">
      {tezOf(String(of))}
      <abbr title="tez"> ꜩ</abbr>
    </span>
  );
}

export function Time({ at }: { readonly at: string }) {
  return (
    <time class="faint" dateTime={at} title={at}>
      {clockText(at)}
    </time>
  );
}
