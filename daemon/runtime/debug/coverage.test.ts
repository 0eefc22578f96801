import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { afterEach, describe, expect, it } from "vitest";
import type { CoverageReport, CoveredSource } from "../../protocol/debug-api.ts";
import { testEngine } from "../engine/test-engine.ts";
import { engineDirectory, runContent } from "../test-node.ts";
import { coverableAfter } from "./coverable-operations.ts";
import { type Debugger, openDebugger } from "./debug-server.ts";
import { OUTSIDE } from "./test-operations.ts";
import { RecordedRuntime } from "./test-recorded.ts";

const SOURCE = `interface Row { n: number }
const label = (n: number): string => {
  if (n > 2) {
    return "big".toUpperCase();
  }
  return "small".toUpperCase();
};
function unused(): number {
  const value = Math.random();
  return value + 1;
}
export default (request: Request): Response => {
  const row: Row = { n: Number(new URL(request.url).searchParams.get("n")) };
  const list: string[] = [].slice();
  for (let i = 0; i < row.n; i++) {
    list.push(label(i));
  }
  if (list.length > 99) list.push(String(unused()));
  return Response.json(list);
};
export const most = Math.max(1, 2);
`;

/** Another file, so another address. */
const bundle = async (sourcefile: string, contents: string) => {
  const { outputFiles } = await build({
    stdin: { contents, loader: "ts", sourcefile },
    format: "esm",
    sourcemap: "external",
    outfile: "out.js",
    write: false,
  });
  const [map, code] = [".map", ".js"].map((end) => outputFiles.find(({ path }) => path.endsWith(end))!.text);
  return { code: code!, map: gzipSync(map!).toString("base64") };
};

let opened: Debugger | undefined;
afterEach(() => opened?.close());

async function start(): Promise<{
  readonly runtime: RecordedRuntime;
  deploy(source: string, contents: string): Promise<string>;
  ask(after?: number): Promise<CoverageReport>;
}> {
  const runtime = new RecordedRuntime(await testEngine());
  const server = (opened = openDebugger({ directory: engineDirectory(), ...runtime.debuggerOptions }));
  return {
    runtime,
    async deploy(source, contents) {
      const { code, map } = await bundle(source, contents);
      const address = runtime.deploy("a", code);
      await server.perform("source-map", { address, sources: [source], map });
      return address;
    },
    ask: async (after = 0) => JSON.parse(await server.perform("coverage", { after })) as CoverageReport,
  };
}

/** Lines by number, the largest of all functions. */
function linesOf({ functions }: CoveredSource): Record<number, number> {
  const lines: Record<number, number> = {};
  for (const { lines: own } of functions)
    for (const [line, count] of own) lines[line] = Math.max(lines[line] ?? 0, count);
  return lines;
}

describe("coverage", () => {
  it("counts lines and functions over operations, and shows what never ran as 0", async () => {
    const { runtime, deploy, ask } = await start();
    const address = await deploy("/work/rows.ts", SOURCE);
    for (const n of [1, 5]) runtime.send("a", runContent(`jstz://${address}/?n=${n}`));
    const { sources, operations, skipped, isComplete } = await ask();
    expect({ operations, skipped, isComplete }).toEqual({ operations: 2, skipped: 0, isComplete: true });
    expect(sources.map(({ source }) => source)).toEqual(["/work/rows.ts"]);
    expect(linesOf(sources[0]!)).toEqual({
      3: 6,
      4: 2,
      6: 4,
      9: 0,
      10: 0,
      13: 2,
      14: 2,
      15: 8, // each look at the condition
      16: 6,
      18: 2,
      19: 2,
      21: 2, // the top level, in each operation
    });
    const functions = sources[0]!.functions.filter(({ count }) => count !== null);
    expect(functions.map(({ name, line, count }) => `${name}:${line} ${count}`)).toEqual([
      "label:2 6",
      "unused:8 0",
      "default:12 2",
    ]);
  });

  it("has functions that were deployed and never called, and goes on after an earlier answer", async () => {
    const { runtime, deploy, ask } = await start();
    const idle = await deploy("/work/idle.ts", SOURCE);
    const none = await ask();
    expect(none).toMatchObject({ operations: 0, isComplete: true });
    expect(new Set(Object.values(linesOf(none.sources[0]!)))).toEqual(new Set([0]));
    expect(Object.keys(linesOf(none.sources[0]!))).toHaveLength(12);

    runtime.send("a", runContent(`jstz://${idle}/?n=1`));
    const first = await ask(none.upTo);
    expect(first.operations).toBe(1);
    expect(linesOf(first.sources[0]!)[16]).toBe(1);
    runtime.send("a", runContent(`jstz://${idle}/?n=2`));
    const second = await ask(first.upTo);
    expect(second.operations).toBe(1);
    expect(linesOf(second.sources[0]!)[16]).toBe(2);
    expect(await ask(second.upTo)).toMatchObject({ operations: 0, upTo: second.upTo });
  });

  it("takes a limited number of operations at a time, and counts those that cannot run again", async () => {
    const { runtime } = await start();
    const address = runtime.deploy("a", OUTSIDE);
    for (let i = 0; i < 5; i++) runtime.send("a", runContent(`jstz://${address}/count`));
    const { journal } = runtime.store;
    const first = coverableAfter(journal, 0, 3);
    expect(first).toMatchObject({ skipped: 0, isComplete: false });
    expect(first.entries).toHaveLength(3);
    const rest = coverableAfter(journal, first.upTo, 3);
    expect(rest).toMatchObject({ skipped: 0, isComplete: true });
    expect(rest.entries.map(({ number }) => number)).toEqual(
      [...journal.entries()]
        .slice(0, 2)
        .map(({ number }) => number)
        .reverse(),
    );

    runtime.send("a", runContent(`jstz://${address}/one`));
    const tooLarge = "x".repeat(5_000_000);
    runtime.asked[0]!.answer({ status: 200, statusText: "OK", headers: [], body: tooLarge });
    await new Promise((resolve) => setImmediate(resolve));
    expect(coverableAfter(journal, rest.upTo)).toMatchObject({ skipped: 1, entries: [] });
  });
});
