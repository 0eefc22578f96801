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

/** A bench whose gas limits are engine units. */
async function startBench(settings: { readonly gasCeiling?: bigint } = {}): Promise<Bench> {
  const engine = adaptEngine(await loadEngine({ directory }), { realTime: false });
  return new Bench(engine, { gasScale: 1n, ...settings });
}

/** A bench with a function that calls another one. */
async function start(): Promise<{ bench: Bench; url: string }> {
  const bench = await startBench();
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

describe("the gas of modules that take more than the ceiling", () => {
  const CEILING = 2_000_000n;
  const ENOUGH = 1_000_000_000n;
  /** About 1.3 ceilings. */
  const LARGE = `let sum = 0; for (let i = 0; i < 115_000; i++) sum += i;`;
  const ANSWER = `export default () => new Response(String(sum));`;
  const startLow = (): Promise<Bench> => startBench({ gasCeiling: CEILING });
  const OUT_OF_GAS = {
    statusCode: 500,
    body: expect.stringContaining("GasLimitExceeded") as string,
  };

  it("is not part of it: they deploy, and answer, alone and nested, for the same gas on every call", async () => {
    const bench = await startLow();
    const inner = bench.deploy("alice", `${LARGE} ${ANSWER}`);
    for (const url of [`jstz://${inner}/`, `jstz://${bench.deploy("alice", outer(inner))}/`]) {
      const used = [1, 2, 3].map(() => {
        expect(bench.run("bob", url, { gasLimit: ENOUGH }).statusCode).toBe(200);
        return gasOf(bench);
      });
      expect(used[0]).toBeGreaterThan(1.2 * Number(CEILING));
      expect(used).toEqual([used[0], used[0], used[0]]);
    }
  });

  it("is part of the operation's own limit, to the unit, cold and warm", async () => {
    const warm = await startLow();
    const code = `${LARGE} ${ANSWER}`;
    const address = warm.deploy("alice", code);
    const url = `jstz://${address}/`;
    warm.run("bob", url, { gasLimit: ENOUGH });
    const needed = BigInt(gasOf(warm));
    const cold = await startLow();
    expect(cold.deploy("alice", code)).toBe(address);
    for (const bench of [cold, warm]) {
      expect(bench.run("bob", url, { gasLimit: needed - 1n })).toMatchObject(OUT_OF_GAS);
      expect(bench.run("bob", url, { gasLimit: needed }).statusCode).toBe(200);
    }
  });

  it("leaves the handler, and who calls it, the ceiling", async () => {
    const bench = await startLow();
    const small = bench.deploy("alice", `${LARGE} ${ANSWER}`);
    bench.run("bob", `jstz://${small}/`, { gasLimit: ENOUGH });
    const module = gasOf(bench);
    const endless = bench.deploy("alice", `${LARGE} export default () => { for (;;) sum++; };`);
    expect(bench.run("bob", `jstz://${endless}/`, { gasLimit: ENOUGH })).toMatchObject(OUT_OF_GAS);
    expect(Math.abs(gasOf(bench) - Number(CEILING) - module)).toBeLessThan(100_000);
    const after = bench.deploy(
      "alice",
      `export default async () => { await fetch("jstz://${small}/"); for (;;); };`,
    );
    expect(bench.run("bob", `jstz://${after}/`, { gasLimit: ENOUGH })).toMatchObject(OUT_OF_GAS);
    expect(Math.abs(gasOf(bench) - Number(CEILING) - module)).toBeLessThan(100_000);
  });

  it("is bounded for all modules of an operation together", async () => {
    const bench = await startLow();
    const inner = [1, 2, 3, 4].map((n) => bench.deploy("alice", `const n = ${n}; ${LARGE} ${ANSWER}`));
    const all = (addresses: readonly string[]): string =>
      `export default async () => { for (const each of ${JSON.stringify(addresses)}) {
         const r = await fetch("jstz://" + each + "/"); if (!r.ok) throw new Error(await r.text()); }
       return new Response("all"); };`;
    const two = bench.deploy("alice", all(inner.slice(0, 2)));
    expect(bench.run("bob", `jstz://${two}/`, { gasLimit: ENOUGH }).statusCode).toBe(200);
    const four = bench.deploy("alice", all(inner));
    for (let call = 0; call < 2; call++)
      expect(bench.run("bob", `jstz://${four}/`, { gasLimit: ENOUGH })).toMatchObject(OUT_OF_GAS);
  });

  it("counts in full where each call evaluates them again", async () => {
    const bench = await startLow();
    const asks = bench.deploy("alice", `try { Kv.get("a"); } catch {} ${LARGE} ${ANSWER}`);
    for (let call = 0; call < 2; call++)
      expect(bench.run("bob", `jstz://${asks}/`, { gasLimit: ENOUGH })).toMatchObject(OUT_OF_GAS);
  });

  it("is spent by functions that deploy others, which may take as much as with a deploy", async () => {
    const bench = await startLow();
    const maker = bench.deploy(
      "alice",
      `export default async (request) => new Response(await SmartFunction.create(await request.text()));`,
    );
    const create = (code: string) =>
      bench.run("bob", `jstz://${maker}/`, { gasLimit: ENOUGH, method: "POST", body: code });
    expect(create(`${LARGE} ${ANSWER}`).statusCode).toBe(200);
    expect(gasOf(bench)).toBeLessThan(Number(CEILING));
    expect(create(`for (;;); ${ANSWER}`)).toMatchObject(OUT_OF_GAS);
  });
});
