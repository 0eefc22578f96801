// Coverage of several answers together, by source.
import { isAbsolute } from "node:path";
import type { DebugClient } from "../../daemon/client/debug-client.ts";
import type { CoverageReport, CoveredFunction } from "../../daemon/protocol/debug-api.ts";

export interface FunctionHits {
  readonly name: string;
  readonly line: number;
  readonly column: number;
  readonly count: number;
}

export interface SourceHits {
  /** Absolute path. */
  readonly source: string;
  /** Without the top level. By line. */
  readonly functions: readonly FunctionHits[];
  /** Lines with something to run, in order. Where functions share a line, the one that ran most often counts. */
  readonly lines: ReadonlyMap<number, number>;
}

/** What is added up of a function. */
interface Sum extends Pick<CoveredFunction, "name" | "line" | "column"> {
  count: number | null;
  readonly lines: Map<number, number>;
}

/** Packages are not the user's to test. A line break would end an entry of a report. */
const isOwn = (source: string): boolean =>
  isAbsolute(source) && !/[\\/]node_modules[\\/]/.test(source) && !/\p{Cc}/u.test(source);

export class CoverageSum {
  readonly #sources = new Map<string, Map<string, Sum>>();
  operations = 0;
  skipped = 0;

  add({ operations, skipped, sources }: CoverageReport): void {
    this.operations += operations;
    this.skipped += skipped;
    for (const { source, functions } of sources) {
      if (!isOwn(source)) continue;
      let sums = this.#sources.get(source);
      if (sums === undefined) this.#sources.set(source, (sums = new Map()));
      for (const each of functions) addFunction(sums, each);
    }
  }

  /** By path. */
  sources(): SourceHits[] {
    return [...this.#sources]
      .map(([source, sums]) => sourceHits(source, [...sums.values()]))
      .sort((one, other) => (one.source < other.source ? -1 : 1));
  }
}

function addFunction(sums: Map<string, Sum>, { name, line, column, count, lines }: CoveredFunction): void {
  const key = `${line}:${column}:${name}`;
  let sum = sums.get(key);
  if (sum === undefined) sums.set(key, (sum = { name, line, column, count: null, lines: new Map() }));
  if (count !== null) sum.count = (sum.count ?? 0) + count;
  for (const [number, hits] of lines) sum.lines.set(number, (sum.lines.get(number) ?? 0) + hits);
}

function sourceHits(source: string, sums: readonly Sum[]): SourceHits {
  const lines = new Map<number, number>();
  for (const sum of sums)
    for (const [line, hits] of sum.lines) lines.set(line, Math.max(hits, lines.get(line) ?? 0));
  return {
    source,
    functions: sums
      .flatMap(({ name, line, column, count }) => (count === null ? [] : { name, line, column, count }))
      .sort((one, other) => one.line - other.line || one.column - other.column),
    lines: new Map([...lines].sort(([one], [other]) => one - other)),
  };
}

/**
 * Adds the operations after a position. @returns the position of the last one
 * @throws SandboxError as the client's `coverage`
 */
export async function addCoverage(
  sum: CoverageSum,
  client: Pick<DebugClient, "coverage">,
  after: number,
): Promise<number> {
  for (;;) {
    const report = await client.coverage(after);
    sum.add(report);
    after = report.upTo;
    if (report.isComplete) return after;
  }
}
