// Deposits and withdrawals between the layers: their progress, and what they wait for.
import { Icon } from "../parts/icon.tsx";
import { Address, Layer1Link, Level, OperationLink } from "../parts/links.tsx";
import { Tez, Time } from "../parts/marks.tsx";
import { Nothing, Panel, WhenRead } from "../parts/panel.tsx";
import type { Step, Way } from "../state/bridge-ways.ts";
import { readBridge } from "../state/bridge.ts";
import { head, runtimeChanges, settings } from "../state/live.ts";
import { useRead } from "../state/loading.ts";
import { Faucet } from "./faucet.tsx";

export function BridgeView() {
  const bridge = settings.value?.layer1_node;
  const loaded = useRead(
    `bridge ${bridge?.bridge_address}`,
    async (signal) => bridge && readBridge(bridge, head.value?.level ?? 0, signal),
    `${runtimeChanges.value} ${head.value?.level}`,
  );
  return (
    <div class="stack">
      <WhenRead loaded={loaded} missing="Reading…">
        {({ deposits, withdrawals }) => (
          <>
            <Ways title="Deposits" ways={deposits} none="No deposit yet: the faucet below makes one." />
            <Ways
              title="Withdrawals"
              ways={withdrawals}
              none={
                <>
                  No withdrawal in the latest operations. <code>functez bridge withdraw</code> makes one.
                </>
              }
            />
          </>
        )}
      </WhenRead>
      <Faucet />
    </div>
  );
}

function Ways({
  title,
  ways,
  none,
}: {
  readonly title: string;
  readonly ways: readonly Way[];
  readonly none: preact.ComponentChildren;
}) {
  return (
    <Panel title={title}>
      {ways.length === 0 ? (
        <Nothing>{none}</Nothing>
      ) : (
        <ol class="plain ways">
          {ways.map((way) => (
            <li key={way.id} class="way">
              <p class="way-title">
                <strong>{way.tez === undefined ? `${way.tokens} tokens` : <Tez of={way.tez} />}</strong>
                <Address of={way.from} />
                <Icon name="right" />
                {way.to === undefined ? <span class="faint">the runtime</span> : <Address of={way.to} />}
                <Time at={way.at} />
              </p>
              <ol class="way-steps">
                {way.steps.map((step) => (
                  <StepMark key={step.name} of={step} />
                ))}
              </ol>
              {way.waitsFor !== undefined && (
                <p class={way.steps.some(({ state }) => state === "failed") ? "note bad" : "note"}>
                  <Icon name={way.steps.some(({ state }) => state === "failed") ? "warning" : "clock"} />{" "}
                  {way.waitsFor}
                </p>
              )}
            </li>
          ))}
        </ol>
      )}
    </Panel>
  );
}

const SIGNS = { done: "check", waiting: "clock", failed: "cross", ahead: "right" } as const;
const WORDS = { done: "done", waiting: "waiting", failed: "failed", ahead: "not reached" } as const;

function StepMark({ of: { name, state, level, layer1, operation } }: { readonly of: Step }) {
  return (
    <li class={`way-step ${state}`}>
      <span class="sign">
        <Icon name={SIGNS[state]} />
      </span>
      <span>
        <span class="step-title">{name}</span> <span class="unseen">{WORDS[state]}</span>
        <span class="step-where">
          {level !== undefined && <Level of={level} />}
          {layer1 !== undefined && <Layer1Link hash={layer1}>operation</Layer1Link>}
          {operation !== undefined && <OperationLink hash={operation}>operation</OperationLink>}
        </span>
      </span>
    </li>
  );
}
