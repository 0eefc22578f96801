// One block of layer 1 with its operations.
import { CopyButton } from "../parts/copy-button.tsx";
import { Level } from "../parts/links.tsx";
import { Tez, Time } from "../parts/marks.tsx";
import { Facts, Nothing, Panel, WhenRead } from "../parts/panel.tsx";
import { readHistory } from "../state/api.ts";
import type { Layer1Row } from "../state/layer1.ts";
import { head } from "../state/live.ts";
import { useRead } from "../state/loading.ts";
import { Layer1Item } from "./latest-operations.tsx";

interface Block {
  readonly level: number;
  readonly hash: string;
  readonly timestamp: string;
  readonly fees: number;
  /** Operations by kind, among other fields. */
  readonly [list: string]: unknown;
}

export function BlockView({ of }: { readonly of: string }) {
  const loaded = useRead<Block>(`block ${of}`, (signal) =>
    readHistory(`blocks/${encodeURIComponent(of)}?operations=true`, signal),
  );
  return (
    <WhenRead
      loaded={loaded}
      missing={`There is no block ${of}, or it is older than what the sandbox keeps.`}
    >
      {(block) => {
        const operations = Object.values(block)
          .filter((list): list is Layer1Row[] => Array.isArray(list))
          .flat()
          .sort((one, other) => one.id - other.id);
        return (
          <div class="stack">
            <section class="panel summary">
              <Facts
                of={[
                  [
                    "Hash",
                    <span class="ref">
                      <span class="mono wrap">{block.hash}</span>
                      <CopyButton text={block.hash} what="hash" />
                    </span>,
                  ],
                  ["Time", <Time at={block.timestamp} />],
                  ["Fees", <Tez of={block.fees} />],
                  ["Before", block.level > 0 && <Level of={block.level - 1} />],
                  ["After", block.level < (head.value?.level ?? 0) && <Level of={block.level + 1} />],
                ]}
              />
            </section>
            <Panel title="Operations">
              {operations.length === 0 ? (
                <Nothing>An empty block: time passed, and nothing else.</Nothing>
              ) : (
                <ol class="rows">
                  {operations.map((row) => (
                    <Layer1Item key={row.id} of={row} />
                  ))}
                </ol>
              )}
            </Panel>
          </div>
        );
      }}
    </WhenRead>
  );
}
