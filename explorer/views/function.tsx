// A smart function: its state, code, log and callers.
import { sizeText } from "../../daemon/text/byte-size.ts";
import { Whole } from "../parts/copy-button.tsx";
import { Icon } from "../parts/icon.tsx";
import { Address, OperationLink } from "../parts/links.tsx";
import { Tez } from "../parts/marks.tsx";
import { Facts, Nothing, Panel } from "../parts/panel.tsx";
import { readRuntime } from "../state/api.ts";
import { draft } from "../state/history.ts";
import { operations, runtimeChanges } from "../state/live.ts";
import { useRead } from "../state/loading.ts";
import { goTo } from "../state/route.ts";
import { clockText, plural } from "../state/texts.ts";
import type { Operation } from "../state/trace.ts";
import { allCalls } from "../state/trace.ts";
import { FunctionCode } from "./function-code.tsx";
import { FunctionLog } from "./function-log.tsx";
import { KeyValues } from "./key-values.tsx";
import { RuntimeItem } from "./latest-operations.tsx";

interface FunctionProps {
  readonly address: string;
  readonly code: string;
  /** Mutez. */
  readonly balance: string;
}

/** Operations to search for calls. */
const SEARCHED = 200;
const SHOWN = 40;

export function FunctionView({ address, code, balance }: FunctionProps) {
  const traces = useRead<Operation[]>(
    `traces of ${address}`,
    (signal) => readRuntime<Operation[]>(`traces?limit=${SEARCHED}`, signal),
    runtimeChanges.value,
  );
  const known = traces.value ?? [];
  const deploy = known.find(({ deployed }) => deployed === address);
  const others = deploy
    ? known.filter((other) => other.deployed && other.sender === deploy.sender && other !== deploy)
    : [];
  const call = () => {
    draft.value = { url: `jstz://${address}/` };
    goTo("compose");
  };
  return (
    <div class="stack">
      <section class="panel summary">
        <div class="headline">
          <span class="mark runtime">Smart function</span>
          <div class="actions">
            <button type="button" class="button small primary" onClick={call}>
              <Icon name="send" /> <span>Call it</span>
            </button>
          </div>
        </div>
        <Facts
          of={[
            ["Address", <Whole text={address} what="address" />],
            ["Balance", <Tez of={balance} />],
            ["Code", sizeText(new TextEncoder().encode(code).length)],
            ["Deployed by", deploy && <Address of={deploy.sender} />],
            ["Deployed", deploy && <OperationLink hash={deploy.hash}>{clockText(deploy.at)}</OperationLink>],
            ["Same deployer", others.length > 0 && <Versions of={others} />],
          ]}
        />
      </section>
      <div class="pair">
        <KeyValues address={address} operations={known} />
        <FunctionLog address={address} />
      </div>
      <Callers address={address} operations={known} />
      <FunctionCode code={code} />
    </div>
  );
}

/** Other functions of the same account: a new version has a new address. */
function Versions({ of }: { readonly of: readonly Operation[] }) {
  return (
    <span class="ref">
      {of.slice(0, 5).map(({ deployed, hash }) => (
        <Address key={hash} of={deployed!} />
      ))}
      {of.length > 5 && <span class="faint">{`and ${of.length - 5} more`}</span>}
    </span>
  );
}

function Callers({
  address,
  operations: known,
}: {
  readonly address: string;
  readonly operations: readonly Operation[];
}) {
  const counts = new Map<string, number>();
  for (const { trace } of known)
    for (const { address: called, caller } of trace ? allCalls(trace.call) : [])
      if (called === address) counts.set(caller, (counts.get(caller) ?? 0) + 1);
  const callers = [...counts].sort((one, other) => other[1] - one[1]);
  const rows = operations.value.filter(({ target }) => target === address).slice(0, SHOWN);
  return (
    <div class="pair">
      <Panel title="Latest calls">
        {rows.length === 0 ? (
          <Nothing>Nobody has called it yet.</Nothing>
        ) : (
          <ol class="rows">
            {rows.map((row) => (
              <RuntimeItem key={row.hash} of={row} about={address} />
            ))}
          </ol>
        )}
      </Panel>
      <Panel title="Who calls it">
        {callers.length === 0 ? (
          <Nothing>{`No call in the latest ${SEARCHED} operations.`}</Nothing>
        ) : (
          <ul class="plain callers">
            {callers.slice(0, SHOWN).map(([caller, count]) => (
              <li key={caller}>
                <Address of={caller} /> <span class="faint">{plural(count, "call")}</span>
              </li>
            ))}
          </ul>
        )}
      </Panel>
    </div>
  );
}
