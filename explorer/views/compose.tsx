// Composes a request to a smart function, sends it signed by an account of the sandbox, and shows the response.
import { useEffect, useState } from "preact/hooks";
import type { Receipt, RunReceipt } from "../../daemon/protocol/runtime-receipt.ts";
import { Body } from "../parts/body.tsx";
import { Field } from "../parts/field.tsx";
import { Icon } from "../parts/icon.tsx";
import { OperationLink } from "../parts/links.tsx";
import { Outcome } from "../parts/marks.tsx";
import { FailureNote, Nothing, Panel } from "../parts/panel.tsx";
import { Failure, ownerSecret, post, readRuntime } from "../state/api.ts";
import { draft, keepRequest, type SentRequest, sentRequests } from "../state/history.ts";
import { runtimeChanges } from "../state/live.ts";
import { useRead } from "../state/loading.ts";
import { runRequest } from "../state/run-request.ts";
import { mutezOf, shortHash } from "../state/texts.ts";
import { AccountChoice } from "./account-choice.tsx";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];
const EMPTY: SentRequest = { from: "bootstrap0", method: "GET", url: "", headers: "", body: "", tez: "" };

interface Report {
  readonly hash: string;
  readonly receipt: Receipt<RunReceipt>;
}

export function ComposeView() {
  const [request, setRequest] = useState<SentRequest>({ ...EMPTY, ...draft.value });
  const [state, setState] = useState<{ report?: Report | undefined; failure?: unknown; isBusy?: boolean }>(
    {},
  );
  useEffect(() => setRequest((old) => ({ ...old, ...draft.value })), [draft.value]);
  const set = (change: Partial<SentRequest>) => setRequest({ ...request, ...change });
  const functions = useRead<{ accounts: readonly { address: string }[] }>(
    "functions",
    (signal) => readRuntime("accounts?kind=function&limit=200", signal),
    runtimeChanges.value,
  );
  const isTezGood = request.tez.trim() === "" || mutezOf(request.tez) !== undefined;

  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    setState({ isBusy: true });
    const sent = { ...request, url: fullUrl(request.url) };
    keepRequest(sent);
    try {
      setState({ report: await post<Report>("../runtime/operations", runRequest(sent)) });
    } catch (failure) {
      setState({ failure });
    }
  };
  return (
    <div class="compose">
      <div class="stack">
        <Panel title="Request">
          <form class="form composer" onSubmit={send}>
            <Field label="Method" class="method">
              <select
                value={request.method}
                onChange={({ currentTarget }) => set({ method: currentTarget.value })}
              >
                {METHODS.map((method) => (
                  <option key={method} selected={method === request.method}>
                    {method}
                  </option>
                ))}
              </select>
            </Field>
            <Field label="Function and path" class="url">
              <input
                class="mono"
                value={request.url}
                onInput={({ currentTarget }) => set({ url: currentTarget.value })}
                list="functions"
                placeholder="jstz://KT1…/path"
                required
                spellcheck={false}
                autocomplete="off"
              />
            </Field>
            <datalist id="functions">
              {functions.value?.accounts.map(({ address }) => (
                <option key={address} value={`jstz://${address}/`} />
              ))}
            </datalist>
            <AccountChoice label="Signed by" value={request.from} onChoose={(from) => set({ from })} />
            <Field label="Tez to attach">
              <input
                value={request.tez}
                onInput={({ currentTarget }) => set({ tez: currentTarget.value })}
                inputMode="decimal"
                placeholder="0"
                aria-invalid={!isTezGood}
              />
            </Field>
            <Field label="Headers" hint="One name: value per line" class="wide">
              <textarea
                class="mono"
                rows={2}
                value={request.headers}
                onInput={({ currentTarget }) => set({ headers: currentTarget.value })}
                spellcheck={false}
              />
            </Field>
            <Field label="Body" class="wide">
              <textarea
                class="mono"
                rows={6}
                value={request.body}
                onInput={({ currentTarget }) => set({ body: currentTarget.value })}
                spellcheck={false}
              />
            </Field>
            <div class="wide actions">
              <button class="button primary" disabled={state.isBusy || !isTezGood}>
                <Icon name="send" /> <span>{state.isBusy ? "Sending…" : "Send"}</span>
              </button>
              <button type="button" class="button" onClick={() => ((draft.value = {}), setRequest(EMPTY))}>
                Clear
              </button>
            </div>
          </form>
          {state.failure !== undefined && <SendFailure of={state.failure} />}
        </Panel>
        {state.report && <Answer of={state.report} />}
      </div>
      <SentBefore choose={(old) => setRequest(old)} />
    </div>
  );
}

/** Completes a pasted address, with or without a path, to a URL. */
const fullUrl = (text: string): string => {
  const trimmed = text.trim();
  const url = /^[a-z]+:\/\//i.test(trimmed) ? trimmed : `jstz://${trimmed}`;
  return /^jstz:\/\/[^/?]+$/.test(url) ? `${url}/` : url;
};

function Answer({ of: { hash, receipt } }: { readonly of: Report }) {
  const { result } = receipt;
  const response = result._type === "Success" ? result.inner : undefined;
  const isGood = response !== undefined && response.statusCode < 400;
  return (
    <Panel title="Response" actions={<OperationLink hash={hash}>What it did</OperationLink>}>
      <p class="headline" role="status">
        <Outcome ok={isGood} text={response ? String(response.statusCode) : "Failed"} />
        {result._type === "Failed" && <span class="reason">{result.inner.split("\n")[0]}</span>}
      </p>
      {response && <Body of="Response" body={response.body} headers={response.headers} />}
    </Panel>
  );
}

/** Under a host name other than loopback only the owner may sign: the page asks for the secret and stores it nowhere. */
export function SendFailure({ of }: { readonly of: unknown }) {
  return (
    <>
      <FailureNote of={of} />
      {of instanceof Failure && of.code === "OWNER_ONLY" && (
        <Field
          label="The owner's secret"
          hint="functez sandbox status --json prints it. It is forgotten with this page."
        >
          <input
            type="password"
            autocomplete="off"
            value={ownerSecret.value}
            onInput={({ currentTarget }) => (ownerSecret.value = currentTarget.value.trim())}
          />
        </Field>
      )}
    </>
  );
}

function SentBefore({ choose }: { readonly choose: (request: SentRequest) => void }) {
  return (
    <Panel title="Sent before" class="sent-before">
      {sentRequests.value.length === 0 ? (
        <Nothing>Requests that you send are kept here, in this browser.</Nothing>
      ) : (
        <ul class="plain">
          {sentRequests.value.map((old, i) => (
            <li key={i}>
              <button type="button" class="sent" onClick={() => choose(old)}>
                <strong>{old.method}</strong>
                <span class="mono">
                  {old.url.replace(/^jstz:\/\/([^/?]*)/, (_, host: string) => shortHash(host))}
                </span>
                <span class="faint">{old.from}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
