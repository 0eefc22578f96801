// An operation pays for everything it causes, including the evaluation of the modules it calls.
import { beforeAll, describe, expect, it } from "vitest";
import type { CallTrace } from "../../protocol/call-trace.ts";
import { adaptEngine } from "../call/engine-adapter.ts";
import { loadEngine } from "../engine/engine.ts";
import { builtEngine } from "../engine/test-engine.ts";
import { Bench } from "./executor-bench.ts";

let directory: string;
beforeAll(async () => {
  directory = await builtEngine();
}, 60_000);

const INNER = `let sum = 0; for (let i = 0; i < 30000; i++) sum += i; export default () => new Response(String(sum));`;
const outer = (inner: string): string =>
  `export default async () => new Response(await (await fetch("jstz://${inner}/")).text());`;

/** A bench whose gas limits are engine units, with a function that calls another one. */
async function start(): Promise<{ bench: Bench; url: string }> {
  const engine = adaptEngine(await loadEngine({ directory }), { realTime: false });
  const bench = new Bench(engine, { gasScale: 1n });
  const inner = bench.deploy("alice", INNER);
  return { bench, url: `jstz://${bench.deploy("alice", outer(inner))}/` };
}

function gasOf(bench: Bench): number {
  const sum = (call: CallTrace): number => call.gas + call.calls.reduce((all, inner) => all + sum(inner), 0);
  return sum((JSON.parse(bench.last.trace!) as { call: CallTrace }).call);
}

describe("the gas of an operation", () => {
  it("is the same on every call of a function, the first and nested ones included", async () => {
    const { bench, url } = await start();
    const used = [1, 2, 3].map(() => {
      expect(bench.run("bob", url, { gasLimit: 50_000_000n }).statusCode).toBe(200);
      return gasOf(bench);
    });
    expect(used[0]).toBeGreaterThan(100_000);
    expect(used).toEqual([used[0], used[0], used[0]]);
  });

  it("is limited to the unit, the evaluation of nested modules included, cold and warm", async () => {
    const warm = await start();
    warm.bench.run("bob", warm.url, { gasLimit: 50_000_000n });
    const needed = BigInt(gasOf(warm.bench));
    const cold = await start();
    for (const { bench, url } of [cold, warm]) {
      expect(bench.run("bob", url, { gasLimit: needed - 1n })).toMatchObject({
        statusCode: 500,
        body: expect.stringContaining("GasLimitExceeded") as string,
      });
      expect(bench.run("bob", url, { gasLimit: needed }).statusCode).toBe(200);
    }
  });
});
