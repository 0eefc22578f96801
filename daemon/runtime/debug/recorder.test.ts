import { beforeAll, describe, expect, it } from "vitest";
import { amount, LONG } from "../../../test/support/long-run.ts";
import type { Engine } from "../engine/engine.ts";
import { testEngine, watchedEngine } from "../engine/test-engine.ts";
import { runContent } from "../test-node.ts";
import { gasProfile } from "./gas-profile.ts";
import { linesOf } from "./lines.ts";
import { Recorder } from "./recorder.ts";
import { type Recording, totalGas } from "./recording.ts";
import { CALLEE, CALLER, randomOperations } from "./test-operations.ts";
import { essenceOf, RecordedRuntime } from "./test-recorded.ts";

/** Includes the time to build the engine when it is missing. */
const BUILD_MS = 60_000;

let plain: Engine;
beforeAll(async () => {
  plain = await testEngine();
}, BUILD_MS);

interface Traced {
  readonly gas: number;
  readonly calls: readonly Traced[];
}
const gasOf = ({ gas, calls }: Traced): number => calls.reduce((sum, call) => sum + gasOf(call), gas);

/** Replays an operation with hooks, and checks that nothing differs. */
async function record(runtime: RecordedRuntime, hash: string, maxEvents?: number): Promise<Recording> {
  const recorder = new Recorder(undefined, maxEvents === undefined ? {} : { maxEvents });
  const engine = await watchedEngine(recorder);
  const again = runtime.replay(hash, { engine, observe: (guests) => recorder.observe(guests) });
  const first = runtime.outcomes.get(hash)!;
  expect(essenceOf(again!)).toEqual(essenceOf(first));
  const recording = recorder.recording();
  const { call } = JSON.parse(first.trace ?? '{"call":{"gas":0,"calls":[]}}') as { call: Traced };
  expect(totalGas(recording)).toBe(gasOf(call));
  return recording;
}

function expectWholeProfile(recording: Recording): void {
  const { endTime, samples, timeDeltas, nodes } = gasProfile(recording);
  expect(endTime).toBe(totalGas(recording));
  expect(samples.length).toBe(timeDeltas.length);
  expect(timeDeltas.reduce((sum, delta) => sum + delta, 0)).toBeLessThanOrEqual(endTime);
  expect(new Set(nodes.flatMap(({ children }) => children)).size).toBe(nodes.length - 1);
}

describe("a recording", () => {
  it(
    "changes nothing, and has all gas of random operations, to the unit",
    async () => {
      const runtime = new RecordedRuntime(plain);
      const hashes = await randomOperations(runtime, amount(30, 1_000), 3);
      for (const hash of hashes) expectWholeProfile(await record(runtime, hash));
    },
    LONG ? 3_600_000 : 120_000,
  );

  it.each([
    ["asks for a value at its top level", `try { Kv.get("a"); } catch {}`],
    ["fills more memory than is kept", `const big = new Uint8Array(26e6).fill(1);`],
  ])("has the gas of a module that %s once, though it begins twice", async (_, top) => {
    const runtime = new RecordedRuntime(plain);
    const long = Array.from({ length: 500 }, (__, n) => `const f${n} = () => ${n};`).join("\n");
    const address = runtime.deploy("a", `${top}\n${long}\nexport default () => new Response("x");`);
    expectWholeProfile(await record(runtime, runtime.send("a", runContent(`jstz://${address}/`))));
  });

  it("has each turn of a loop, each call, and the lines of both functions of a nested call", async () => {
    const runtime = new RecordedRuntime(plain);
    const callee = runtime.deploy(
      "a",
      `function twice(n) {
  return n * 2;
}
export default (request) => {
  let sum = 0;
  for (const n of [1, 2, 3]) {
    sum += twice(n);
  }
  return new Response(String(sum));
};`,
    );
    const caller = runtime.deploy(
      "a",
      `const base = [1].map((n) => n + 1)[0];
export default async (request) => {
  const response = await fetch("jstz://${callee}/");
  const text = await response.text();
  return new Response(text + base);
};`,
    );
    const hash = runtime.send("a", runContent(`jstz://${caller}/`));
    const recording = await record(runtime, hash);
    expect(recording.calls.map(({ address }) => address)).toEqual([caller, callee]);
    const counts = (address: string) =>
      linesOf(recording)
        .filter(({ source }) => source === `jstz://${address}`)
        .map(({ line, count }) => `${line}:${count}`);
    expect(counts(callee)).toEqual(["1:0", "2:3", "6:1", "7:3", "9:1"]);
    expect(counts(caller)).toEqual(["1:2", "3:1", "4:1", "5:1"]);
    const profile = gasProfile(recording);
    const names = (id: number): string[] =>
      profile.nodes[id - 1]!.children.flatMap((child) => [
        profile.nodes[child - 1]!.callFrame.functionName,
        ...names(child),
      ]);
    const inCaller = profile.nodes.find(({ callFrame }) => callFrame.functionName === caller)!;
    expect(names(inCaller.id)).toEqual(expect.arrayContaining([callee, "twice"]));
  });

  it("has the gas and the counts of every line, though its events are too many", async () => {
    const runtime = new RecordedRuntime(plain);
    const callee = runtime.deploy("a", CALLEE);
    const caller = runtime.deploy("a", CALLER);
    const hash = runtime.send("a", runContent(`jstz://${caller}/loop?to=${callee}`));
    const recording = await record(runtime, hash, 500);
    expect(recording.events.length).toBe(500);
    const later = [...recording.later].filter(([place]) => place > 0);
    expect(later.reduce((sum, [, { gas }]) => sum + gas, 0)).toBeGreaterThan(10_000);
    // As whole as without the limit, but for who called whom.
    expect(linesOf(recording)).toEqual(linesOf(await record(runtime, hash)));
    expectWholeProfile(recording);
  });
});
