// The calls of an operation: a flame chart of their gas, and the reads, writes, transfers and logs of the chosen call.
import { useState } from "preact/hooks";
import type { CallTrace } from "../../daemon/protocol/call-trace.ts";
import { gasOfCall } from "../../daemon/protocol/operation-outcome.ts";
import { visible } from "../parts/code.tsx";
import { Icon } from "../parts/icon.tsx";
import { Address } from "../parts/links.tsx";
import { Tez } from "../parts/marks.tsx";
import { Nothing, Panel } from "../parts/panel.tsx";
import type { NameSources } from "../state/sources.ts";
import { durationText, numberText } from "../state/texts.ts";
import { allCalls } from "../state/trace.ts";
import { FlameChart } from "./flame-chart.tsx";

interface CallsProps {
  readonly root: CallTrace;
  /** Whether the record was truncated. */
  readonly isTruncated: boolean;
  readonly named: NameSources;
}

export function Calls({ root, isTruncated, named }: CallsProps) {
  const [chosen, setChosen] = useState<CallTrace>(() => allCalls(root).find(({ error }) => error) ?? root);
  const count = allCalls(root).length;
  return (
    <Panel
      title="Calls"
      actions={
        <span class="faint">{`${count === 1 ? "1 call" : `${numberText(count)} calls`} · ${numberText(gasOfCall(root))} gas`}</span>
      }
    >
      <FlameChart root={root} chosen={chosen} choose={setChosen} />
      <CallDetails of={chosen} named={named} />
      {isTruncated && (
        <p class="note">
          <Icon name="warning" /> The record was too long: its end, or parts of long texts, are missing.
        </p>
      )}
    </Panel>
  );
}

function CallDetails({ of, named }: { readonly of: CallTrace; readonly named: NameSources }) {
  const steps = stepsOf(of, named);
  return (
    <div class="call-details">
      <p class="call-title">
        <span class={of.status >= 200 && of.status < 400 ? "status" : "status bad"}>{of.status || "–"}</span>
        <strong class="mono wrap">{`${visible(of.method)} ${visible(of.path)}`}</strong>
        <Address of={of.address} />
        <span class="faint">{`${numberText(of.gas)} gas here · ${durationText(of.durationMs)}`}</span>
        {!of.committed && <span class="mark undone">rolled back</span>}
      </p>
      {steps.length === 0 ? (
        <Nothing>This call read, wrote and logged nothing.</Nothing>
      ) : (
        <ol class="steps">{steps}</ol>
      )}
    </div>
  );
}

/** What the call did, in order. */
function stepsOf(call: CallTrace, named: NameSources) {
  const steps = [
    ...call.kv.map(({ seq, op, key, value, before }) => ({
      seq,
      look: "kv",
      name: op,
      text: (
        <>
          <span class="mono wrap">{visible(key)}</span>
          {op === "set" && <Values before={before} after={value} />}
          {op === "get" && (
            <span class="mono wrap faint">{value === null ? "nothing" : visible(value ?? "")}</span>
          )}
          {op === "delete" && <Values before={before} after={null} />}
        </>
      ),
    })),
    ...call.logs.map(({ seq, level, text }) => ({
      seq,
      look: `log ${level.toLowerCase()}`,
      name: level.toLowerCase(),
      text: <pre class="wrap">{visible(named(text.trimEnd()))}</pre>,
    })),
    ...call.transfers.map(({ seq, to, amount }) => ({
      seq,
      look: "move",
      name: "transfer",
      text: (
        <>
          <Tez of={amount} /> <Icon name="right" /> <Address of={to} />
        </>
      ),
    })),
    ...(call.tickets ?? []).map(({ seq, to, amount, ticketer }) => ({
      seq,
      look: "move",
      name: "withdraw",
      text: (
        <>
          {amount} <span class="faint">{amount === "1" ? "ticket of" : "tickets of"}</span>{" "}
          <Address of={ticketer} as="contract" /> <Icon name="right" /> <Address of={to} />
        </>
      ),
    })),
    ...call.calls.map((child) => ({
      seq: child.seq,
      look: "call",
      name: "call",
      text: (
        <>
          <span class="mono wrap">{`${visible(child.method)} ${visible(child.path)}`}</span>{" "}
          <Address of={child.address} />
          <span class={child.status >= 200 && child.status < 400 ? "status" : "status bad"}>
            {child.status || "–"}
          </span>
        </>
      ),
    })),
  ];
  steps.sort((one, other) => (one.seq ?? 0) - (other.seq ?? 0));
  return steps.map(({ look, name, text }, i) => (
    <li key={i} class={look}>
      <span class="step-name">{name}</span>
      <span class="step-text">{text}</span>
    </li>
  ));
}

export function Values({
  before,
  after,
}: {
  readonly before?: string | null | undefined;
  readonly after?: string | null | undefined;
}) {
  return (
    <span class="values">
      <del class="mono wrap">{before === null || before === undefined ? "nothing" : visible(before)}</del>
      <Icon name="right" />
      <ins class="mono wrap">{after === null || after === undefined ? "nothing" : visible(after)}</ins>
    </span>
  );
}
