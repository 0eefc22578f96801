// One operation of the runtime: first its outcome, then the cause of a failure, then all effects.
import { failedCall, gasOfCall, hasFailed } from "../../daemon/protocol/operation-outcome.ts";
import type { Receipt, RunReceipt } from "../../daemon/protocol/runtime-receipt.ts";
import { Body } from "../parts/body.tsx";
import { visible } from "../parts/code.tsx";
import { Whole } from "../parts/copy-button.tsx";
import { Icon } from "../parts/icon.tsx";
import { Address } from "../parts/links.tsx";
import { Outcome, Tez } from "../parts/marks.tsx";
import { Facts, Panel, WhenRead } from "../parts/panel.tsx";
import { readRuntime } from "../state/api.ts";
import { useRead } from "../state/loading.ts";
import { namesOf, type NameSources, readSources, textsOf } from "../state/sources.ts";
import { clockText, durationText, numberText } from "../state/texts.ts";
import { changesOf, type Operation, sourcePosition, transfersOf } from "../state/trace.ts";
import { Calls } from "./calls.tsx";
import { OperationActions } from "./operation-actions.tsx";
import { SourceExcerpt } from "./source-excerpt.tsx";
import { ValueChanges } from "./value-changes.tsx";

interface Finished {
  readonly operation: Operation;
  readonly receipt: Receipt | undefined;
}

export function OperationView({ hash }: { readonly hash: string }) {
  const loaded = useRead<Finished>(`operation ${hash}`, async (signal) => {
    // The runtime delays the response until a pending operation finishes.
    const receipt = await readRuntime<Receipt>(`operations/${hash}/receipt`, signal);
    const operation = await readRuntime<Operation>(`operations/${hash}/trace`, signal);
    return operation && { operation, receipt };
  });
  return (
    <WhenRead
      loaded={loaded}
      missing={`The runtime knows no operation ${hash}. It keeps the latest ones, and a restored snapshot undoes others.`}
    >
      {({ operation, receipt }) => <Shown operation={operation} receipt={receipt} />}
    </WhenRead>
  );
}

function Shown({ operation, receipt }: Finished) {
  const { trace, request } = operation;
  const response = responseIn(receipt);
  const transfers = trace ? transfersOf(trace.call) : [];
  const sources = useRead(`sources ${operation.hash}`, (signal) => readSources(textsOf(operation), signal));
  const named = namesOf(sources.value);
  return (
    <div class="stack">
      <Summary of={operation} named={named} />
      <Failed of={operation} named={named} />
      {trace && <Calls root={trace.call} isTruncated={trace.truncated} named={named} />}
      {trace && <ValueChanges changes={changesOf(trace.call)} />}
      {transfers.length > 0 && (
        <Panel title="Transfers">
          <ul class="plain moved">
            {transfers.map(({ from, to, amount }, i) => (
              <li key={i}>
                <Address of={from} /> <Icon name="right" /> <Address of={to} /> <Tez of={amount} />
              </li>
            ))}
          </ul>
        </Panel>
      )}
      {request && (
        <div class="pair">
          <Panel title="Request">
            <Body
              of="Request"
              body={request.body}
              headers={request.headers}
              missing={
                request.body === null && request.bodySize > 0 ? "The body was too large to keep." : undefined
              }
            />
          </Panel>
          <Panel title="Response">
            {response ? (
              <Body of="Response" body={response.body} headers={response.headers} />
            ) : (
              <p class="nothing">The operation failed before there was a response.</p>
            )}
          </Panel>
        </div>
      )}
    </div>
  );
}

const responseIn = (receipt: Receipt | undefined): RunReceipt | undefined =>
  receipt?.result._type === "Success" && receipt.result.inner._type === "RunFunction"
    ? receipt.result.inner
    : undefined;

interface NamedOperation {
  readonly of: Operation;
  readonly named: NameSources;
}

function Summary({ of, named }: NamedOperation) {
  const { hash, operation, sender, success, statusCode, failure, target, trace, request, at, deployed } = of;
  const isGood = !hasFailed({ success, statusCode });
  const status = success
    ? statusCode === null
      ? "Succeeded"
      : `${statusCode} ${isGood ? "OK" : "Error"}`
    : "Failed";
  const call = trace?.call;
  return (
    <section class={`panel summary ${isGood ? "good" : "bad"}`}>
      <div class="headline">
        <Outcome ok={isGood} text={status} />
        <span class="mono wrap">{call ? `${call.method} ${visible(call.path)}` : operation}</span>
        {request && <OperationActions operation={of} />}
      </div>
      {failure !== null && !call?.error && <p class="reason">{visible(named(failure))}</p>}
      <Facts
        of={[
          ["From", <Address of={sender} />],
          [deployed ? "Deployed" : "To", target !== null && <Address of={target} />],
          ["Gas", call && numberText(gasOfCall(call))],
          ["Time", call && durationText(call.durationMs)],
          ["Attached", call && call.amount !== "0" && <Tez of={call.amount} />],
          ["At", clockText(at)],
          ["Hash", <Whole text={hash} what="hash" />],
        ]}
      />
    </section>
  );
}

/** The cause of a failure, with its place in the source. */
function Failed({ of: { trace }, named }: NamedOperation) {
  const call = trace && failedCall(trace.call);
  if (!call?.error) return null;
  const { class: kind } = call.error;
  const message = named(call.error.message);
  const place = sourcePosition(message);
  const [first, ...stack] = visible(message).split("\n");
  return (
    <Panel title="Why it failed" class="why">
      <p class="cause">{first}</p>
      <Facts
        of={[
          ["At", place !== undefined && <strong class="mono">{visible(place)}</strong>],
          ["In", <Address of={call.address} />],
          ["Kind", kind],
        ]}
      />
      {place !== undefined && <SourceExcerpt address={call.address} place={place} />}
      {stack.length > 0 && <pre class="stack-trace">{stack.map((line) => line.trim()).join("\n")}</pre>}
    </Panel>
  );
}
