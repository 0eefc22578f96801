// The latest operations of both layers in one list, newest first.
import { useState } from "preact/hooks";
import { visible } from "../parts/code.tsx";
import { Address, Layer1Link, OperationLink } from "../parts/links.tsx";
import { LayerMark, Outcome, Tez, Time } from "../parts/marks.tsx";
import { Nothing, Panel } from "../parts/panel.tsx";
import { layer1Failure, type Layer1Row, layer1Title, useLatestLayer1 } from "../state/layer1.ts";
import { isFilled, operations, type RuntimeRow } from "../state/live.ts";

/** Most rows to show. */
const SHOWN = 60;
type Choice = "Both" | "Runtime" | "Layer 1";

type Row =
  | { readonly at: string; readonly runtime: RuntimeRow }
  | { readonly at: string; readonly layer1: Layer1Row };

export function LatestOperations() {
  const [choice, setChoice] = useState<Choice>("Both");
  const layer1 = useLatestLayer1();
  const rows: Row[] = [
    ...(choice === "Layer 1"
      ? []
      : operations.value.slice(0, SHOWN).map((row) => ({ at: row.at, runtime: row }))),
    ...(choice === "Runtime" ? [] : (layer1 ?? []).map((row) => ({ at: row.timestamp, layer1: row }))),
  ];
  rows.sort((one, other) => Date.parse(other.at) - Date.parse(one.at));
  const shown = rows.slice(0, SHOWN);
  const isEmpty = isFilled.value && layer1 !== undefined && shown.length === 0;
  return (
    <Panel title="Latest operations" class="stream" actions={<Choices chosen={choice} choose={setChoice} />}>
      {isEmpty ? (
        <Nothing>
          Nothing has happened yet. Make a deposit, or deploy a function:{" "}
          <code>functez deploy src/index.ts</code>
        </Nothing>
      ) : shown.length === 0 ? (
        <Nothing>Reading…</Nothing>
      ) : (
        <ol class="rows">
          {shown.map((row) =>
            "runtime" in row ? (
              <RuntimeItem key={`r${row.runtime.hash}`} of={row.runtime} />
            ) : (
              <Layer1Item key={`l${row.layer1.id}`} of={row.layer1} />
            ),
          )}
        </ol>
      )}
    </Panel>
  );
}

function Choices({ chosen, choose }: { readonly chosen: Choice; readonly choose: (choice: Choice) => void }) {
  return (
    <div class="choices" role="group" aria-label="Layers shown">
      {(["Both", "Runtime", "Layer 1"] as const).map((name) => (
        <button type="button" key={name} aria-pressed={chosen === name} onClick={() => choose(name)}>
          {name}
        </button>
      ))}
    </div>
  );
}

const TITLES: Readonly<Record<string, string>> = {
  RunFunction: "Call",
  DeployFunction: "Deploy",
  FaDeposit: "Token deposit",
  OracleResponse: "Oracle answer",
  RevealLargePayload: "Large operation",
};

interface RuntimeItemProps {
  readonly of: RuntimeRow;
  /** The account whose operations these are, omitted from each row. */
  readonly about?: string;
}

export function RuntimeItem({ of, about }: RuntimeItemProps) {
  const { hash, at, operation, sender, target, success, statusCode, failure, call } = of;
  const isGood = success && (statusCode ?? 200) < 400;
  return (
    <li class="row">
      <Outcome ok={isGood} />
      <LayerMark of="runtime" />
      <span class="what">
        <OperationLink hash={hash}>{visible(call ?? TITLES[operation] ?? operation)}</OperationLink>
        {target !== null && target !== about && <Address of={target} />}
        {statusCode !== null && <span class={isGood ? "status" : "status bad"}>{statusCode}</span>}
        {failure !== null && <span class="reason">{visible(failure.split("\n")[0]!.slice(0, 160))}</span>}
      </span>
      <span class="who">{sender !== about && <Address of={sender} />}</span>
      <Time at={at} />
    </li>
  );
}

interface Layer1ItemProps {
  readonly of: Layer1Row;
  readonly about?: string;
}

export function Layer1Item({ of, about }: Layer1ItemProps) {
  const { hash, timestamp, sender, target, originatedContract, amount, type } = of;
  const failure = layer1Failure(of);
  const to = target?.address ?? originatedContract?.address;
  return (
    <li class="row">
      <Outcome ok={failure === undefined} />
      <LayerMark of="layer1" />
      <span class="what">
        <Layer1Link hash={hash}>{layer1Title(of)}</Layer1Link>
        {to !== undefined && to !== about && (
          <Address of={to} as={to.startsWith("KT1") ? "contract" : undefined} />
        )}
        {type === "transaction" && Number(amount) > 0 && <Tez of={amount ?? 0} />}
        {failure !== undefined && <span class="reason">{failure}</span>}
      </span>
      <span class="who">{sender && sender.address !== about && <Address of={sender.address} />}</span>
      <Time at={timestamp} />
    </li>
  );
}
