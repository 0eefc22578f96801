// All smart functions and accounts of the runtime.
import { useState } from "preact/hooks";
import { Address } from "../parts/links.tsx";
import { Tez } from "../parts/marks.tsx";
import { Nothing, Panel, WhenRead } from "../parts/panel.tsx";
import { readRuntime } from "../state/api.ts";
import { runtimeChanges } from "../state/live.ts";
import { useRead } from "../state/loading.ts";
import { plural } from "../state/texts.ts";

interface Listed {
  readonly address: string;
  /** Mutez. */
  readonly amount: string;
  readonly nonce: string;
}

interface Page {
  readonly total: number;
  readonly accounts: readonly Listed[];
}

const PAGE = 100;

export function FunctionsView() {
  return (
    <div class="pair">
      <Listing
        kind="function"
        title="Smart functions"
        none={
          <>
            No function is deployed. <code>functez deploy src/index.ts</code> does it.
          </>
        }
      />
      <Listing kind="user" title="Accounts" none="No account has tez in the runtime yet: make a deposit." />
    </div>
  );
}

function Listing({
  kind,
  title,
  none,
}: {
  readonly kind: "function" | "user";
  readonly title: string;
  readonly none: preact.ComponentChildren;
}) {
  /** Last address of each previous page. */
  const [behind, setBehind] = useState<readonly string[]>([]);
  const after = behind.at(-1);
  const loaded = useRead<Page>(
    `${kind} after ${after}`,
    (signal) =>
      readRuntime<Page>(
        `accounts?kind=${kind}&limit=${PAGE}${after === undefined ? "" : `&after=${after}`}`,
        signal,
      ),
    runtimeChanges.value,
  );
  const seen = behind.length * PAGE;
  return (
    <Panel
      title={title}
      actions={
        loaded.value && (
          <span class="faint">{plural(loaded.value.total, kind === "user" ? "account" : "function")}</span>
        )
      }
    >
      <WhenRead loaded={loaded} missing="This runtime does not list its accounts.">
        {({ total, accounts }) =>
          total === 0 ? (
            <Nothing>{none}</Nothing>
          ) : (
            <>
              <ul class="plain listing">
                {accounts.map(({ address, amount }) => (
                  <li key={address}>
                    <Address of={address} />
                    <Tez of={amount} />
                  </li>
                ))}
              </ul>
              {total > PAGE && (
                <div class="pager">
                  <button
                    type="button"
                    class="button small"
                    disabled={behind.length === 0}
                    onClick={() => setBehind(behind.slice(0, -1))}
                  >
                    Before
                  </button>
                  <span class="faint">{`${seen + 1}–${seen + accounts.length}`}</span>
                  <button
                    type="button"
                    class="button small"
                    disabled={seen + accounts.length >= total}
                    onClick={() => setBehind([...behind, accounts.at(-1)!.address])}
                  >
                    Next
                  </button>
                </div>
              )}
            </>
          )
        }
      </WhenRead>
    </Panel>
  );
}
