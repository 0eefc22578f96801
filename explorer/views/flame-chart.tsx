// Calls as bars, one row below their caller, with widths proportional to gas. Each bar is a button.
import type { CallTrace } from "../../daemon/protocol/call-trace.ts";
import { gasOfCall } from "../../daemon/protocol/operation-outcome.ts";
import { visible } from "../parts/code.tsx";
import { labelOf } from "../state/live.ts";
import { numberText, shortHash } from "../state/texts.ts";

interface FlameChartProps {
  readonly root: CallTrace;
  readonly chosen: CallTrace;
  readonly choose: (call: CallTrace) => void;
}

interface Bar {
  readonly call: CallTrace;
  readonly depth: number;
  /** Fraction of the whole width. */
  readonly left: number;
  readonly width: number;
}

/** Minimum width, so that every bar can be clicked. */
const LEAST_WIDTH = 0.02;
const ROW_REM = 2;

export function FlameChart({ root, chosen, choose }: FlameChartProps) {
  const bars = barsOf(root);
  const depth = 1 + Math.max(...bars.map((bar) => bar.depth));
  return (
    <div class="flame" role="group" aria-label="Calls by gas" style={{ height: `${depth * ROW_REM}rem` }}>
      {bars.map(({ call, depth: row, left, width }, i) => {
        const name = `${call.method} ${visible(call.path)}`;
        const gas = `${numberText(gasOfCall(call))} gas`;
        const isBad = call.error !== undefined || call.status >= 400 || call.status === 0;
        return (
          <button
            type="button"
            key={i}
            class={`bar ${isBad ? "bad" : call.address.startsWith("KT1") ? `tone-${row % 3}` : "host"}`}
            aria-pressed={call === chosen}
            aria-label={`${name} on ${labelOf(call.address) ?? shortHash(call.address)}, ${gas}, status ${call.status}`}
            title={`${name}\n${call.address}\n${gas}`}
            style={{ left: `${left * 100}%`, width: `${width * 100}%`, top: `${row * ROW_REM}rem` }}
            onClick={() => choose(call)}
          >
            <span aria-hidden="true">{name}</span>
          </button>
        );
      })}
    </div>
  );
}

/** Children share their caller's width by gas; the rest is the caller's own gas. */
function barsOf(root: CallTrace): Bar[] {
  const bars: Bar[] = [];
  const add = (call: CallTrace, depth: number, left: number, width: number): void => {
    bars.push({ call, depth, left, width });
    const total = Math.max(1, gasOfCall(call));
    const wanted = call.calls.map((child) => Math.max(LEAST_WIDTH, gasOfCall(child) / total));
    const sum = wanted.reduce((all, one) => all + one, 0);
    const scale = sum > 1 ? 1 / sum : 1;
    let at = left;
    call.calls.forEach((child, i) => {
      const own = wanted[i]! * scale * width;
      add(child, depth + 1, at, own);
      at += own;
    });
  };
  add(root, 0, 0, 1);
  return bars;
}
