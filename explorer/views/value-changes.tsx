// Changes of key-value stores by an operation: each key once, with its values before and after.
import { visible } from "../parts/code.tsx";
import { Address } from "../parts/links.tsx";
import { Panel } from "../parts/panel.tsx";
import { plural } from "../state/texts.ts";
import type { Change } from "../state/trace.ts";
import { Values } from "./calls.tsx";

/** Most rows to show. */
const SHOWN = 200;

export function ValueChanges({ changes }: { readonly changes: readonly Change[] }) {
  if (changes.length === 0) return null;
  return (
    <Panel title="Changed values" actions={<span class="faint">{plural(changes.length, "key")}</span>}>
      <ul class="plain changes">
        {changes.slice(0, SHOWN).map(({ address, key, before, after }) => (
          <li key={`${address}/${key}`}>
            <span class="key">
              <span class="mono wrap">{visible(key)}</span> <Address of={address} />
            </span>
            <Values before={before} after={after} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}
