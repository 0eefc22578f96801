// All values of a run: by who was measured and what. Kept in a file too, so that a cut-off run still says something.
import { appendFileSync, rmSync } from "node:fs";
import { load, median } from "./machine.mjs";

export function createSamples(file) {
  const values = new Map();
  const failures = [];
  const loads = [];
  rmSync(file, { force: true });
  const key = (who, what) => `${who}\t${what}`;
  return {
    failures,
    add(who, what, value) {
      const list = values.get(key(who, what)) ?? [];
      values.set(key(who, what), [...list, value]);
      loads.push(load());
      appendFileSync(file, `${JSON.stringify({ who, what, value, load: load() })}\n`);
      process.stderr.write(`  ${who}: ${what} ${round(value)} (load ${load()})\n`);
    },
    fail(who, error) {
      failures.push(`${who}: ${String(error).slice(0, 300)}`);
      process.stderr.write(`  ${who} FAILED: ${error?.stack ?? error}\n`);
    },
    /** Median, or undefined when it was not measured. */
    median: (who, what) => {
      const list = values.get(key(who, what));
      return list && median(list);
    },
    all: (who, what) => values.get(key(who, what)) ?? [],
    loadRange: () => (loads.length === 0 ? [0, 0] : [Math.min(...loads), Math.max(...loads)]),
  };
}

export function round(value) {
  if (value === undefined) return "–";
  if (!Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  return size >= 100
    ? Math.round(value).toLocaleString("en-US")
    : String(Number(value.toPrecision(size < 1 ? 2 : 3)));
}
