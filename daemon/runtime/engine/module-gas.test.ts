// Evaluating a module costs the call that needs it the same gas with and without its image.

import { beforeAll, describe, expect, it } from "vitest";

import { type Engine, FIXED_NOW, loadEngine } from "./engine.ts";
import type { GuestStep } from "./guest-call.ts";
import { builtEngine } from "./test-engine.ts";

let directory: string;
beforeAll(async () => {
  directory = await builtEngine();
}, 60_000);

interface Run {
  readonly step: GuestStep;
  readonly gas: number;
  /** Gas used between opening the call and running it: not counted anywhere. */
  readonly before: number;
}

function run(engine: Engine, code: string, gas: number, now = FIXED_NOW): Run {
  const call = engine.open(code, "jstz://KT1Module", { gas, now, seed: "s" });
  const before = call.gasUsed();
  const step = call.invoke(
    { op: () => undefined, fetch: () => undefined },
    { url: "jstz://KT1Module/", method: "GET", headers: [], body: null },
  );
  call.close();
  return { step, gas: call.gasUsed(), before };
}

const ENOUGH = 100_000_000;
const HANDLER = `export default () => new Response("ok");`;
const MODULES: Readonly<Record<string, string>> = {
  little: HANDLER,
  "much work": `const t = []; for (let i = 0; i < 20000; i++) t.push({ i }); ${HANDLER}`,
  "garbage that a collection finds": `for (let i = 0; i < 3000; i++) { const a = {}; a.a = { a }; } ${HANDLER}`,
  "a look at the clock": `const at = Date.now(); for (let i = 0; i < 9000; i++); ${HANDLER}`,
  "a question to the host": `Kv.get("a"); for (let i = 0; i < 9000; i++); ${HANDLER}`,
  "more memory than an image holds": `globalThis.kept = new Uint8Array(26e6).fill(7); ${HANDLER}`,
  "a pending await": `await fetch("jstz://KT1Other/"); ${HANDLER}`,
  "an error": `for (let i = 0; i < 9000; i++); throw new Error("x")`,
  "no handler": `for (let i = 0; i < 9000; i++); export default 7`,
};

describe("the gas of a module", () => {
  it.each(Object.entries(MODULES))("is the same with and without its image: %s", async (_, code) => {
    const engine = await loadEngine({ directory });
    const cold = run(engine, code, ENOUGH);
    const warm = run(engine, code, ENOUGH);
    const again = run(await loadEngine({ directory }), code, ENOUGH);
    expect(cold.gas).toBeGreaterThan(0);
    expect(warm).toEqual(cold);
    expect(again).toEqual(cold);
    expect(cold.before).toBe(0);
  });

  it("is the same when the module reads the clock and the time has changed", async () => {
    const engine = await loadEngine({ directory });
    const code = MODULES["a look at the clock"]!;
    const runs = [1, 2, 3].map((day) => run(engine, code, ENOUGH, FIXED_NOW + day));
    expect(runs.map(({ gas }) => gas)).toEqual([1, 2, 3].map(() => run(engine, code, ENOUGH).gas));
  });

  it.each(["little", "much work", "more memory than an image holds"])(
    "counts against the limit, to the unit, with and without the image: %s",
    async (name) => {
      const code = MODULES[name]!;
      const needed = run(await loadEngine({ directory }), code, ENOUGH).gas;
      const cold = await loadEngine({ directory });
      const warm = await loadEngine({ directory });
      run(warm, code, ENOUGH);
      for (const engine of [cold, warm]) {
        expect(run(engine, code, needed - 1)).toMatchObject({ step: { code: "GAS" }, gas: needed - 1 });
        expect(run(engine, code, needed)).toMatchObject({ step: { kind: "response" }, gas: needed });
      }
    },
  );

  it("beyond the limit is a failure, alike cold and warm", async () => {
    const code = `function spin() { for (let i = 0; i < 1e6; i++); }\nspin(); ${HANDLER}`;
    const cold = await loadEngine({ directory });
    const warm = await loadEngine({ directory });
    run(warm, code, ENOUGH);
    const [first, second, third] = [
      run(cold, code, 500_000),
      run(cold, code, 500_000),
      run(warm, code, 500_000),
    ];
    expect(first).toMatchObject({ step: { code: "GAS" }, gas: 500_000 });
    expect(second).toEqual(first);
    expect(third).toEqual(first);
  });
});
