// The source lines around the place where a function failed, from its source map.
import { visible } from "../parts/code.tsx";
import { readRuntime } from "../state/api.ts";
import { useRead } from "../state/loading.ts";
import { sourcesIn } from "../state/source-map.ts";

interface SourceExcerptProps {
  /** The smart function. */
  readonly address: string;
  /** `file:line:column` */
  readonly place: string;
}

/** Lines of context on each side. */
const AROUND = 3;

export function SourceExcerpt({ address, place }: SourceExcerptProps) {
  const loaded = useRead<string>(`code ${address}`, (signal) =>
    readRuntime(`accounts/${encodeURIComponent(address)}/code`, signal),
  );
  const [, file = "", number = ""] = /^(.*?):(\d+)(?::\d+)?$/.exec(place) ?? [];
  const text = sourcesIn(loaded.value ?? "").find(
    ({ name }) => name === file || name.endsWith(`/${file}`),
  )?.text;
  if (text === undefined) return null;
  const line = Number(number);
  const first = Math.max(1, line - AROUND);
  const lines = text
    .split("\n")
    .slice(first - 1, line + AROUND)
    .map(visible);
  return (
    <div class="code numbered excerpt" role="group" aria-label={`Lines around ${place}`} tabIndex={0}>
      <pre class="lines" aria-hidden="true">
        {lines.map((_, i) => first + i).join("\n")}
      </pre>
      <pre translate={false}>
        <code dir="ltr">
          {lines.map((each, i) => (
            <span key={i} class={first + i === line ? "line here" : "line"}>
              {each}
            </span>
          ))}
        </code>
      </pre>
    </div>
  );
}
