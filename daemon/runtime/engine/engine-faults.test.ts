// Recovery: however a call ends, its instance does not stay leased, and an engine that no longer works reports it.

import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { type Engine, FIXED_NOW, loadEngine } from "./engine.ts";
import type { GuestHost } from "./host-ops.ts";
import { FAULTS_BEFORE_PROOF, MAX_LIVE_CALLS } from "./limits.ts";
import { SNAPSHOT_FILE } from "./manifest.ts";
import { builtEngine } from "./test-engine.ts";

let directory: string;
let damaged: string;
beforeAll(async () => {
  directory = await builtEngine();
  damaged = await mkdtemp(join(tmpdir(), "functez-damaged-"));
  await cp(directory, damaged, { recursive: true });
  const snapshot = await readFile(join(damaged, SNAPSHOT_FILE));
  await writeFile(join(damaged, SNAPSHOT_FILE), snapshot.fill(0, Math.floor(snapshot.length * 0.6)));
}, 60_000);
afterAll(() => rm(damaged, { recursive: true, force: true }));

const OPTIONS = { gas: 10_000_000, now: FIXED_NOW, seed: "s" };
const REQUEST = { url: "jstz://KT1Test/", method: "GET", headers: [], body: null };
const QUIET: GuestHost = { op: () => undefined, fetch: () => undefined };
const BROKEN: GuestHost = {
  op: () => {
    throw new Error("a mistake of the host");
  },
  fetch: () => undefined,
};

function run(engine: Engine, code: string, host = QUIET): string {
  const call = engine.open(code, "jstz://KT1Test", OPTIONS);
  try {
    const step = call.invoke(host, REQUEST);
    return step.kind === "failure" ? step.code : step.kind;
  } finally {
    call.close();
  }
}

const GOOD = `export default () => new Response("ok");`;
const ASKS = `export default () => { Kv.get("a"); return new Response("ok"); }`;
const MANY = MAX_LIVE_CALLS + 6;

describe("the engine", () => {
  it.each<[string, (engine: Engine) => void]>([
    ["a bug of the host in a call", (engine) => expect(run(engine, ASKS, BROKEN)).toBe("ENGINE")],
    [
      "a bug before a call has begun",
      (engine) => expect(() => engine.open(undefined as never, "jstz://KT1Test", OPTIONS)).toThrow(TypeError),
    ],
    [
      "a bug in a check",
      (engine) =>
        expect(engine.check(undefined as never, { gas: 1e6, specifier: "x" })).toMatchObject({
          code: "ENGINE",
        }),
    ],
    [
      "a call that is closed without a run",
      (engine) => {
        engine.open(GOOD, "jstz://KT1Test", OPTIONS).close();
      },
    ],
  ])("serves after more of these than there is room for live calls: %s", async (_, fail) => {
    const engine = await loadEngine({ directory });
    for (let index = 0; index < MANY; index += 1) fail(engine);
    expect(engine.statistics().liveCalls).toBe(0);
    expect(run(engine, GOOD)).toBe("response");
  });

  it("does not reuse an instance after a bug of the host", async () => {
    const engine = await loadEngine({ directory });
    run(engine, ASKS);
    const { retiredInstances } = engine.statistics();
    expect(run(engine, ASKS, BROKEN)).toBe("ENGINE");
    expect(engine.statistics().retiredInstances).toBe(retiredInstances + 1);
  });

  it("works according to its own check, however often single programs made it fail", async () => {
    const engine = await loadEngine({ directory });
    for (let index = 0; index < 2 * FAULTS_BEFORE_PROOF; index += 1)
      expect(run(engine, ASKS, BROKEN)).toBe("ENGINE");
    expect([engine.works(), engine.statistics().liveCalls]).toEqual([true, 0]);
  });

  it("is proven by the first call that succeeds", async () => {
    const engine = await loadEngine({ directory });
    expect(engine.proven).toBe(false);
    engine.warm();
    expect(engine.proven).toBe(true);
  });

  it("that fails in every call reports it after a few, and is never proven", async () => {
    const engine = await loadEngine({ directory: damaged });
    engine.warm();
    const seen = [];
    for (let index = 0; index < FAULTS_BEFORE_PROOF; index += 1) {
      seen.push(engine.works());
      expect(run(engine, GOOD)).toBe("ENGINE");
    }
    expect(seen.slice(0, -1)).toEqual(seen.slice(0, -1).map(() => true));
    expect([engine.works(), engine.proven, engine.statistics().liveCalls]).toEqual([false, false, 0]);
  });

  it("counts checks that fail, too", async () => {
    const engine = await loadEngine({ directory: damaged });
    for (let index = 0; index < FAULTS_BEFORE_PROOF; index += 1)
      expect(engine.check(GOOD, { gas: 1e7, specifier: "x" })).toMatchObject({ ok: false, code: "ENGINE" });
    expect(engine.works()).toBe(false);
  });
});
