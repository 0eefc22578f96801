// Deep recursion, in a worker with the stack that the engine asks for: the guest's own limit must be hit first, at the
// same depth every time. With less stack the host would overflow first, and not always at the same depth.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";

import { afterAll, beforeAll, expect, it } from "vitest";

import { bundleForNode } from "../../../tools/bundle.mjs";
import { WORKER_STACK_MB } from "./limits.ts";
import { builtEngine } from "./test-engine.ts";

const DEEP: Readonly<Record<string, string>> = {
  "a nested JSON text": `JSON.parse("[".repeat(1e6) + "]".repeat(1e6))`,
  "a nested value to JSON": `let a = []; for (let i = 0; i < 1e4; i++) a = [a]; JSON.stringify(a)`,
  "a chain of proxies": `let p = {}; for (let i = 0; i < 1e5; i++) p = new Proxy(p, {}); p.x`,
  "nested parentheses": `eval("(".repeat(1e5) + "1" + ")".repeat(1e5))`,
  "nested arrays in source": `eval("[".repeat(1e5) + "]".repeat(1e5))`,
  recursion: `(function f() { return f() + 1 })()`,
  "recursion through toString": `const o = { toString() { return "" + o } }; "" + o`,
  "recursion through sort": `[3, 2, 1].sort(function f() { [3, 2, 1].sort(f) })`,
  "recursion through replace": `const f = () => "a".replace(/a/, f); f()`,
  "nested generators": `function* g(n) { if (n) yield* g(n - 1); yield 1 } [...g(1e5)]`,
  "a deep structured clone": `let a = []; for (let i = 0; i < 1e5; i++) a = [a]; structuredClone(a)`,
  "growth up to the gas limit, then a restore": `let a = []; for (;;) a = [a, new Array(9)]`,
};

const WORKER = `
  import { parentPort, workerData } from "node:worker_threads";
  import { loadEngine, FIXED_NOW } from "./engine.ts";
  const engine = await loadEngine({ directory: workerData.directory });
  const host = { op: () => undefined, fetch: () => undefined };
  const request = { url: "jstz://KT1Test/", method: "GET", headers: [], body: null };
  const run = (body) => {
    const code = "export default () => { try { " + body + "; return new Response('ok') } catch (e) { return new Response(e.name) } }";
    const call = engine.open(code, "jstz://KT1Test", { gas: 20_000_000, now: FIXED_NOW, seed: "s" });
    const step = call.invoke(host, request);
    call.close();
    return [step.kind === "response" ? step.response.body : step.code, call.gasUsed()];
  };
  parentPort.postMessage(Object.entries(workerData.deep).map(([name, body]) => [name, run(body), run(body)]));
`;

let folder: string;
let results: [name: string, first: [string, number], second: [string, number]][];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "functez-deep-"));
  const outfile = join(folder, "worker.mjs");
  await bundleForNode({ contents: WORKER, resolveDir: import.meta.dirname }, outfile);
  const worker = new Worker(outfile, {
    workerData: { directory: await builtEngine(), deep: DEEP },
    resourceLimits: { stackSizeMb: WORKER_STACK_MB },
  });
  results = await new Promise((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
  });
  await worker.terminate();
}, 90_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

it.each(Object.keys(DEEP))("%s hits the guest's own limits, alike on every run", (name) => {
  const [, first, second] = results.find(([found]) => found === name) ?? [];
  expect(["ok", "RangeError", "GAS", "MEMORY"]).toContain(first?.[0]);
  expect(second).toEqual(first);
});
