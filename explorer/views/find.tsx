// Resolves a search text to an account (label or address), an operation or a block, and goes there.
import { useEffect } from "preact/hooks";
import { Nothing, WhenRead } from "../parts/panel.tsx";
import { readHistory, readRuntime } from "../state/api.ts";
import { accounts, isFilled } from "../state/live.ts";
import { useRead } from "../state/loading.ts";
import { linkTo, replaceBy } from "../state/route.ts";

export function FindView({ text }: { readonly text: string }) {
  const found = useRead<string>(`find ${text}`, (signal) => placeOf(text.trim(), signal), isFilled.value);
  useEffect(() => {
    if (found.value !== undefined) replaceBy(found.value);
  }, [found.value]);
  const missing = (
    <>
      Nothing is called <strong class="mono wrap">{text}</strong>. Search by an address (tz1…, KT1…), the hash
      of an operation or a block, a level, or the name of a bootstrap account.
    </>
  );
  return (
    <section class="panel">
      {isFilled.value || isKnownForm(text) ? (
        <WhenRead loaded={found} missing={missing}>
          {() => <Nothing>Going there…</Nothing>}
        </WhenRead>
      ) : (
        <Nothing>Reading…</Nothing>
      )}
    </section>
  );
}

const isKnownForm = (text: string): boolean =>
  /^(?:[0-9a-f]{64}|\d+|(?:tz[1-4]|KT1|sr1|[oB]).{33,})$/i.test(text);

/** Link to the match; undefined when there is none. */
async function placeOf(text: string, signal: AbortSignal): Promise<string | undefined> {
  const labelled = accounts.value.find(({ label }) => label.toLowerCase() === text.toLowerCase());
  if (labelled) return linkTo("account", labelled.address);
  if (/^(?:tz[1-4]|KT1|sr1)[1-9A-HJ-NP-Za-km-z]{33}$/.test(text)) return linkTo("account", text);
  const hash = text.toLowerCase();
  if (/^[0-9a-f]{64}$/.test(hash)) {
    const known = await readRuntime(`operations/${hash}/trace`, signal);
    return known === undefined ? undefined : linkTo("operation", hash);
  }
  const level = text.replace(/^#/, "");
  if (/^\d{1,10}$/.test(level) || /^B[1-9A-HJ-NP-Za-km-z]{50}$/.test(text)) {
    const block = await readHistory<{ level: number }>(`blocks/${level}`, signal);
    return block && linkTo("block", String(block.level));
  }
  if (/^o[1-9A-HJ-NP-Za-km-z]{50}$/.test(text)) {
    const rows = await readHistory<unknown[]>(`operations/${text}`, signal);
    return rows && rows.length > 0 ? linkTo("l1", text) : undefined;
  }
  return undefined;
}
