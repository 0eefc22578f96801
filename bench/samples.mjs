// All values of a run: by subject and quantity. Each group of figures is kept in a separate file, so that an aborted
// run still has results, and the page can be written from groups that ran one after the other.
import { appendFileSync, existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { load, median } from "./machine.mjs";

/** @param {string} folder folder of the groups' files; earlier values of other groups are read from there */
export function createSamples(folder) {
  const values = new Map();
  const failures = [];
  const loads = [];
  let file;
  const key = (who, what) => `${who}\t${what}`;
  const keep = ({ who, what, value, load: seen }) => {
    values.set(key(who, what), [...(values.get(key(who, what)) ?? []), value ?? Infinity]);
    loads.push(seen);
  };
  const fileOf = (group) => join(folder, `samples-${group}.jsonl`);
  return {
    failures,
    /** Reads the values stored by groups. */
    read(groups) {
      for (const group of groups.map(fileOf).filter(existsSync))
        for (const line of readFileSync(group, "utf8").split("\n").filter(Boolean)) keep(JSON.parse(line));
    },
    /** Starts a group: its new values replace its stored ones. */
    begin(group) {
      file = fileOf(group);
      rmSync(file, { force: true });
    },
    add(who, what, value) {
      const sample = { who, what, value, load: load() };
      keep(sample);
      appendFileSync(file, `${JSON.stringify(sample)}\n`);
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
