// Layer 1 at a glance: its latest blocks, operations and contracts.
import { Address, Level } from "../parts/links.tsx";
import { Tez, Time } from "../parts/marks.tsx";
import { Nothing, Panel, WhenRead } from "../parts/panel.tsx";
import { readHistory } from "../state/api.ts";
import { useLatestLayer1 } from "../state/layer1.ts";
import { head } from "../state/live.ts";
import { useRead } from "../state/loading.ts";
import { plural, shortHash } from "../state/texts.ts";
import { Layer1Item } from "./latest-operations.tsx";

interface Block {
  readonly level: number;
  readonly hash: string;
  readonly timestamp: string;
  readonly fees: number;
}

interface Contract {
  readonly address: string;
  readonly balance: number;
  readonly numTransactions: number;
}

const SHOWN = 25;

export function BlocksView() {
  const level = head.value?.level ?? 0;
  const blocks = useRead<Block[]>(
    "blocks",
    (signal) => readHistory(`blocks?sort.desc=level&limit=${SHOWN}`, signal),
    level,
  );
  // New contracts are rare: every ten blocks is often enough.
  const contracts = useRead<Contract[]>(
    "contracts",
    (signal) => readHistory("contracts?sort.desc=id&limit=50", signal),
    Math.floor(level / 10),
  );
  const operations = useLatestLayer1();
  return (
    <div class="pair layer1-view">
      <div class="stack">
        <Panel title="Operations">
          {operations === undefined ? (
            <Nothing>Reading…</Nothing>
          ) : operations.length === 0 ? (
            <Nothing>No operation yet.</Nothing>
          ) : (
            <ol class="rows">
              {operations.map((row) => (
                <Layer1Item key={row.id} of={row} />
              ))}
            </ol>
          )}
        </Panel>
        <Panel title="Contracts">
          <WhenRead loaded={contracts}>
            {(list) => (
              <ul class="plain listing">
                {list.map(({ address, balance, numTransactions }) => (
                  <li key={address}>
                    <Address of={address} as="contract" />
                    <span class="faint">{plural(numTransactions, "transaction")}</span>
                    <Tez of={balance} />
                  </li>
                ))}
              </ul>
            )}
          </WhenRead>
        </Panel>
      </div>
      <Panel title="Blocks">
        <WhenRead loaded={blocks}>
          {(list) => (
            <ol class="plain listing blocks">
              {list.map(({ level: of, hash, timestamp, fees }) => (
                <li key={of}>
                  <Level of={of} />
                  <span class="mono faint">{shortHash(hash)}</span>
                  {fees > 0 && <Tez of={fees} />}
                  <Time at={timestamp} />
                </li>
              ))}
            </ol>
          )}
        </WhenRead>
      </Panel>
    </div>
  );
}
