// Coverage in the format of lcov, which editors, `genhtml` and services read.
// https://manpages.debian.org/stable/lcov/geninfo.1.en.html#TRACEFILE_FORMAT
import type { SourceHits } from "./coverage-sum.ts";

export const lcovOf = (sources: readonly SourceHits[]): string => sources.map(recordOf).join("");

function recordOf({ source, functions, lines }: SourceHits): string {
  const names = new Set<string>();
  const named = functions.map(({ name, line, column, count }) => {
    // A name stands for one function of the file, and a comma or a line break would end it.
    const plain = name.replace(/[^\p{ID_Continue}$#().:<>]+/gu, "_");
    const unique = names.has(plain) ? `${plain}:${line}:${column}` : plain;
    names.add(unique);
    return { name: unique, line, count };
  });
  const hit = (counts: readonly number[]): number => counts.filter((count) => count > 0).length;
  return [
    "TN:",
    `SF:${source}`,
    ...named.map(({ name, line }) => `FN:${line},${name}`),
    ...named.map(({ name, count }) => `FNDA:${count},${name}`),
    `FNF:${named.length}`,
    `FNH:${hit(named.map(({ count }) => count))}`,
    ...[...lines].map(([line, count]) => `DA:${line},${count}`),
    `LF:${lines.size}`,
    `LH:${hit([...lines.values()])}`,
    "end_of_record",
    "",
  ].join("\n");
}
