// An account of either layer. A KT1 address is a smart function of the runtime or a contract of layer 1.
import { Whole } from "../parts/copy-button.tsx";
import { Tez } from "../parts/marks.tsx";
import { Facts, Nothing, Panel, WhenRead } from "../parts/panel.tsx";
import { readHistory, readRuntime } from "../state/api.ts";
import type { Layer1Row } from "../state/layer1.ts";
import { operations, runtimeChanges } from "../state/live.ts";
import { useRead } from "../state/loading.ts";
import { ContractView } from "./contract.tsx";
import { Faucet } from "./faucet.tsx";
import { FunctionView } from "./function.tsx";
import { Layer1Item, RuntimeItem } from "./latest-operations.tsx";

interface Account {
  readonly User?: { readonly amount: number; readonly nonce: number };
  readonly SmartFunction?: { readonly amount: number; readonly nonce: number; readonly functionCode: string };
}

/** The account on layer 1, in TzKT's form. */
interface Layer1Account {
  readonly type: string;
  readonly balance?: number;
  readonly counter?: number;
  readonly delegate?: { readonly address: string } | null;
}

interface Both {
  readonly inRuntime: Account | undefined;
  readonly onLayer1: Layer1Account | undefined;
  readonly rows: readonly Layer1Row[];
}

const SHOWN = 50;

export function AccountView({ address }: { readonly address: string }) {
  const loaded = useRead<Both>(
    `account ${address}`,
    async (signal) => {
      const [inRuntime, onLayer1, rows] = await Promise.all([
        readRuntime<Account>(`accounts/${encodeURIComponent(address)}`, signal),
        readHistory<Layer1Account>(`accounts/${encodeURIComponent(address)}`, signal).catch(() => undefined),
        readHistory<Layer1Row[]>(
          `accounts/${encodeURIComponent(address)}/operations?limit=${SHOWN}`,
          signal,
        ).catch(() => []),
      ]);
      return { inRuntime, onLayer1, rows: rows ?? [] };
    },
    runtimeChanges.value,
  );
  return (
    <WhenRead loaded={loaded}>
      {({ inRuntime, onLayer1, rows }) => {
        const code = inRuntime?.SmartFunction;
        if (code)
          return <FunctionView address={address} code={code.functionCode} balance={String(code.amount)} />;
        if (onLayer1?.type === "contract") return <ContractView address={address} />;
        return <User address={address} inRuntime={inRuntime?.User} onLayer1={onLayer1} rows={rows} />;
      }}
    </WhenRead>
  );
}

interface UserProps extends Omit<Both, "inRuntime"> {
  readonly address: string;
  readonly inRuntime: Account["User"];
}

function User({ address, inRuntime, onLayer1, rows }: UserProps) {
  const inRuntimeRows = operations.value.filter((row) => row.sender === address || row.target === address);
  return (
    <div class="stack">
      <section class="panel summary">
        <Facts
          of={[
            ["Address", <Whole text={address} what="address" />],
            ["On layer 1", <Tez of={onLayer1?.balance ?? 0} />],
            ["In the runtime", <Tez of={inRuntime?.amount ?? 0} />],
            ["Counter", onLayer1?.counter],
            ["Nonce", inRuntime?.nonce],
          ]}
        />
      </section>
      <div class="pair">
        <Panel title="In the runtime">
          {inRuntimeRows.length === 0 ? (
            <Nothing>It took part in none of the latest operations.</Nothing>
          ) : (
            <ol class="rows">
              {inRuntimeRows.slice(0, SHOWN).map((row) => (
                <RuntimeItem key={row.hash} of={row} about={address} />
              ))}
            </ol>
          )}
        </Panel>
        <Panel title="On layer 1">
          {rows.length === 0 ? (
            <Nothing>It took part in no operation.</Nothing>
          ) : (
            <ol class="rows">
              {rows.map((row) => (
                <Layer1Item key={row.id} of={row} about={address} />
              ))}
            </ol>
          )}
        </Panel>
      </div>
      <Faucet to={address} />
    </div>
  );
}
