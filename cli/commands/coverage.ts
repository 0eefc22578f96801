// `functez coverage`: which lines of the deployed sources the operations of the sandbox ran, as a table or for lcov.
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { reasonOf, SandboxError } from "../../daemon/protocol/errors.ts";
import type { CliContext } from "../context.ts";
import { addCoverage, CoverageSum, type SourceHits } from "../lcov/coverage-sum.ts";
import { lcovOf } from "../lcov/lcov.ts";
import { fromHere } from "../render/from-here.ts";
import { debugClient } from "../shelve-source.ts";

/** Ranges of lines shown of a source. */
const MAX_RANGES = 20;

export async function coverage(context: CliContext, { output }: { readonly output?: string }): Promise<void> {
  const { terminal } = context;
  const sum = new CoverageSum();
  await terminal.withStep("Replaying the operations", async (step) => {
    await addCoverage(sum, debugClient(context), 0);
    step.done();
  });
  const sources = sum.sources();
  const { operations, skipped } = sum;
  if (skipped > 0)
    terminal.warn(`Not counted: ${skipped} operations that cannot run again (docs/debugging.md).`);
  const data = { operations, skipped, sources: sources.map(shownSource) };
  if (output === undefined) {
    terminal.print(coverageTable(operations, sources).join("\n"));
    return terminal.data(data);
  }
  const file = resolve(output);
  try {
    writeFileSync(file, lcovOf(sources));
  } catch (error) {
    throw new SandboxError("FILE_UNWRITABLE", { file, reason: reasonOf(error) });
  }
  terminal.print(`Coverage of ${operations} operations written to ${fromHere(file)}.`);
  terminal.data({ ...data, file });
}

const shownSource = ({ source, functions, lines }: SourceHits): object => ({
  source,
  functions,
  lines: [...lines].map(([line, count]) => ({ line, count })),
});

export function coverageTable(operations: number, sources: readonly SourceHits[]): string[] {
  if (sources.length === 0) return ["No function with a source file is deployed."];
  const rows = sources.map(({ source, functions, lines }) => ({
    lines: share([...lines.values()]),
    functions: share(functions.map(({ count }) => count)),
    file: fromHere(source),
    missing: rangesOf([...lines].filter(([, count]) => count === 0).map(([line]) => line)),
  }));
  const width = (of: "lines" | "functions"): number =>
    Math.max(of.length, ...rows.map((row) => row[of].length));
  const line = (lines: string, functions: string, file: string): string =>
    `  ${lines.padStart(width("lines"))}  ${functions.padStart(width("functions"))}  ${file}`;
  return [
    `Coverage by ${operations} operations`,
    "",
    line("lines", "functions", "file"),
    ...rows.map(({ lines, functions, file, missing }) =>
      line(lines, functions, missing === "" ? file : `${file}, not run: ${missing}`),
    ),
  ];
}

function share(counts: readonly number[]): string {
  const hit = counts.filter((count) => count > 0).length;
  return `${hit}/${counts.length}`;
}

/** Such as `3-5, 9`. */
function rangesOf(lines: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const line of lines) {
    const last = ranges.at(-1);
    if (last !== undefined && line === last[1] + 1) last[1] = line;
    else ranges.push([line, line]);
  }
  const shown = ranges.slice(0, MAX_RANGES).map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`));
  return [...shown, ...(ranges.length > MAX_RANGES ? ["…"] : [])].join(", ");
}
