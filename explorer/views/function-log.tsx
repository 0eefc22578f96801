// The log of a smart function: the kept lines, then new ones live.
import { useEffect, useState } from "preact/hooks";
import { visible } from "../parts/code.tsx";
import { OperationLink } from "../parts/links.tsx";
import { Nothing, Panel } from "../parts/panel.tsx";
import { readRuntime } from "../state/api.ts";
import { KEPT_LINES, latestOf, type LogLine } from "../state/log-tail.ts";

const PACE_MS = 250;

export function FunctionLog({ address }: { readonly address: string }) {
  const lines = useLog(address);
  return (
    <Panel title="Log" class="log-panel">
      {lines === undefined ? (
        <Nothing>Reading…</Nothing>
      ) : lines.length === 0 ? (
        <Nothing>
          It has logged nothing yet. <code>console.log</code> writes here.
        </Nothing>
      ) : (
        <ol class="log" tabIndex={0} aria-label="Log lines, newest first">
          {lines.map(({ requestId, level, text }, i) => (
            <li key={lines.length - i} class={level.toLowerCase()}>
              <span class="step-name">{level.toLowerCase()}</span>
              <pre class="wrap">{visible(text.trimEnd())}</pre>
              <OperationLink hash={requestId} />
            </li>
          ))}
        </ol>
      )}
    </Panel>
  );
}

/** Newest first; undefined until the kept lines are read. */
function useLog(address: string): readonly LogLine[] | undefined {
  const [lines, setLines] = useState<readonly LogLine[]>();
  useEffect(() => {
    const end = new AbortController();
    /** Newest first. */
    let coming: readonly LogLine[] = [];
    let timer: number | undefined;
    const show = () => {
      timer = undefined;
      const newer = coming;
      coming = [];
      setLines((older = []) => latestOf([...newer, ...older]));
    };
    const source = new EventSource(`api/logs/${encodeURIComponent(address)}`);
    source.onmessage = ({ data }: MessageEvent<string>) => {
      if (!data.startsWith("{")) return; // `connected` and `ping`
      coming = latestOf([JSON.parse(data) as LogLine, ...coming]);
      timer ??= window.setTimeout(show, PACE_MS);
    };
    readRuntime<LogLine[]>(
      `logs/${encodeURIComponent(address)}/persistent/requests?limit=${KEPT_LINES}`,
      end.signal,
    ).then(
      (kept = []) => setLines((newer = []) => latestOf([...newer, ...kept])),
      () => setLines((known = []) => known),
    );
    return () => {
      end.abort();
      source.close();
      clearTimeout(timer);
    };
  }, [address]);
  return lines;
}
