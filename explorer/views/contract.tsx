// A contract of layer 1: named storage, big maps, tickets, operations, and a form to call its entrypoints.
import { Code } from "../parts/code.tsx";
import { Whole } from "../parts/copy-button.tsx";
import { Address } from "../parts/links.tsx";
import { Tez } from "../parts/marks.tsx";
import { Facts, Nothing, Panel, WhenRead } from "../parts/panel.tsx";
import { readHistory, readLayer1 } from "../state/api.ts";
import type { Layer1Row } from "../state/layer1.ts";
import { head } from "../state/live.ts";
import { useRead } from "../state/loading.ts";
import type { Micheline } from "../state/michelson.ts";
import { jsonText, numberText, plural } from "../state/texts.ts";
import { ContractCall } from "./contract-call.tsx";
import { Layer1Item } from "./latest-operations.tsx";
import { Json } from "./layer1-operation.tsx";

interface Contract {
  readonly balance: number;
  readonly numTransactions: number;
}

interface BigMap {
  readonly ptr: number;
  readonly path: string;
  readonly activeKeys: number;
}

interface Ticket {
  readonly ticketer: string;
  readonly content: Micheline;
  readonly content_type: Micheline;
  readonly amount: string;
}

const SHOWN = 30;

export function ContractView({ address }: { readonly address: string }) {
  const at = encodeURIComponent(address);
  const level = head.value?.level;
  const contract = useRead<Contract>(
    `contract ${at}`,
    (signal) => readHistory(`contracts/${at}`, signal),
    level,
  );
  const storage = useRead<{ value: unknown }>(
    `storage ${at}`,
    async (signal) => ({ value: await readHistory(`contracts/${at}/storage`, signal) }),
    level,
  );
  const operations = useRead<Layer1Row[]>(
    `operations ${at}`,
    (signal) => readHistory(`accounts/${at}/operations?limit=${SHOWN}`, signal),
    level,
  );
  return (
    <WhenRead loaded={contract} missing={`Layer 1 has no contract ${address}.`}>
      {({ balance, numTransactions }) => (
        <div class="stack">
          <section class="panel summary">
            <div class="headline">
              <span class="mark layer1">Contract</span>
            </div>
            <Facts
              of={[
                ["Address", <Whole text={address} what="address" />],
                ["Balance", <Tez of={balance} />],
                ["Transactions", numberText(numTransactions)],
              ]}
            />
          </section>
          <div class="pair">
            <div class="stack">
              <Panel title="Storage">
                <WhenRead loaded={storage}>
                  {({ value }) => <Code text={jsonText(value ?? null)} language="json" />}
                </WhenRead>
              </Panel>
              <BigMaps address={at} level={level} />
              <Tickets address={at} level={level} />
            </div>
            <div class="stack">
              <ContractCall address={address} />
              <Panel title="Operations">
                <WhenRead loaded={operations}>
                  {(rows) => (
                    <ol class="rows">
                      {rows.map((row) => (
                        <Layer1Item key={row.id} of={row} about={address} />
                      ))}
                    </ol>
                  )}
                </WhenRead>
              </Panel>
            </div>
          </div>
        </div>
      )}
    </WhenRead>
  );
}

interface PartProps {
  /** Escaped for use in a path. */
  readonly address: string;
  readonly level: number | undefined;
}

function BigMaps({ address, level }: PartProps) {
  const maps = useRead<BigMap[]>(
    `maps ${address}`,
    (signal) => readHistory(`contracts/${address}/bigmaps`, signal),
    level,
  );
  if (!maps.value || maps.value.length === 0) return null;
  return (
    <Panel title="Big maps">
      {maps.value.map((map) => (
        <BigMapKeys key={map.ptr} map={map} level={level} />
      ))}
    </Panel>
  );
}

function BigMapKeys({
  map: { ptr, path, activeKeys },
  level,
}: {
  readonly map: BigMap;
  readonly level: number | undefined;
}) {
  const keys = useRead<{ key: unknown; value: unknown }[]>(
    `map ${ptr}`,
    (signal) => readHistory(`bigmaps/${ptr}/keys?active=true&limit=${SHOWN}&select=key,value`, signal),
    level,
  );
  return (
    <div class="big-map">
      <h3>
        {path} <span class="faint">{`${plural(activeKeys, "key")} · big map ${ptr}`}</span>
      </h3>
      <WhenRead loaded={keys}>
        {(list) =>
          list.length === 0 ? (
            <Nothing>It is empty.</Nothing>
          ) : (
            <ul class="plain">
              {list.map(({ key, value }, i) => (
                <li key={i}>
                  <Json name={typeof key === "string" ? key : jsonText(key)} value={value} />
                </li>
              ))}
            </ul>
          )
        }
      </WhenRead>
    </div>
  );
}

function Tickets({ address, level }: PartProps) {
  const tickets = useRead<Ticket[]>(
    `tickets ${address}`,
    (signal) =>
      readLayer1(`chains/main/blocks/head/context/contracts/${address}/all_ticket_balances`, signal),
    level,
  );
  if (!tickets.value || tickets.value.length === 0) return null;
  return (
    <Panel title="Tickets">
      <ul class="plain">
        {tickets.value.map(({ ticketer, content, amount }, i) => (
          <li key={i} class="ref">
            <strong>{amount}</strong> <Address of={ticketer} as="contract" />
            <Json name="Content" value={content} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}
