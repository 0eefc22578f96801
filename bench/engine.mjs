// Measures the guest engine on one core: bare calls per second (fresh environment each), restore and start times,
// and, in the same run, a fresh node:vm context with the same prelude and workerd over HTTP. Run: node bench/engine.mjs
import { readFile } from "node:fs/promises";
import http from "node:http";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import vm from "node:vm";

import { buildEngine, bundlePrelude } from "../tools/engine/build-engine.mjs";
import { bundle, work } from "./engine-bundle.mjs";
import { freePort, launch, stop } from "./machine.mjs";
import { helloWorker, isInstalled } from "./peers.mjs";
import { answers } from "./requests.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");

const OPTIONS = { gas: 100_000_000, now: 1_530_380_397_121, seed: "bench" };
const request = (url, body = null) => ({
  url,
  method: body === null ? "GET" : "POST",
  headers: [["referer", "tz1TGu6TN5GSez2ndXXeDX6LgUDvLzPLqgYV"]],
  body,
});

const HELLO = 'export default () => new Response("hello");';
const COUNTER =
  'export default () => { const n = (Kv.get("n") ?? 0) + 1; Kv.set("n", n); return Response.json({ n }); };';
const FA2 = await readFile(join(root, "bench", "fa2.mjs"), "utf8");
const CALLER =
  'export default async () => { const r = await fetch("jstz://KT1Callee/"); return new Response(await r.text()); };';

function store() {
  const kv = new Map();
  return (name, [a, b]) => {
    if (name === "kv.get") return kv.get(a);
    if (name === "kv.set") kv.set(a, b);
    if (name === "kv.has") return kv.has(a) ? "1" : "";
    if (name === "ledger.self") return "KT1Self";
    return undefined;
  };
}

/** Best batch mean in milliseconds: other work on the machine only slows batches down. */
function measure(step, { batches = 150, size = 25 } = {}) {
  for (let index = 0; index < 300; index += 1) step();
  let best = Infinity;
  for (let batch = 0; batch < batches; batch += 1) {
    const start = performance.now();
    for (let index = 0; index < size; index += 1) step();
    best = Math.min(best, (performance.now() - start) / size);
  }
  return best;
}

const rows = [];
const row = (what, milliseconds, note = "") =>
  rows.push({
    what,
    "ms per call": milliseconds.toFixed(3),
    "calls/s": Math.round(1000 / milliseconds),
    note,
  });

const { key } = await buildEngine(join(work, "current"));
const directory = join(work, key);
const module = await bundle("daemon/runtime/engine/engine.ts");

const start = performance.now();
const engine = await module.loadEngine({ directory });
const ready = performance.now() - start;
const warmStart = performance.now();
engine.warm();
const warmed = performance.now() - warmStart;
const firstStart = performance.now();
const once = engine.open(HELLO, "jstz://KT1Self", OPTIONS);
once.invoke({ op: () => undefined, fetch: () => undefined }, request("jstz://KT1Self/"));
once.close();
const first = performance.now() - firstStart;
while (engine.warm());

function caller(code, host, makeRequest) {
  let gas = 0;
  const step = () => {
    const call = engine.open(code, "jstz://KT1Self", OPTIONS);
    const result = call.invoke(host, makeRequest());
    if (result.kind !== "response" || result.response.status !== 200) throw new Error(JSON.stringify(result));
    gas = call.gasUsed();
    call.close();
  };
  return { step, gas: () => gas };
}

const hello = caller(HELLO, { op: store(), fetch: () => undefined }, () => request("jstz://KT1Self/"));
const restore = measure(() => engine.open(HELLO, "jstz://KT1Self", OPTIONS).close());
row("restore only (open and close)", restore);
row("hello", measure(hello.step), `${hello.gas()} gas`);
const counter = caller(COUNTER, { op: store(), fetch: () => undefined }, () => request("jstz://KT1Self/"));
row("counter (get and set)", measure(counter.step), `${counter.gas()} gas`);
const fa2Host = { op: store(), fetch: () => undefined };
const mint = caller(FA2, fa2Host, () =>
  request("jstz://KT1Self/mint", '{"owner":"tz1A","token_id":1,"amount":1000000}'),
);
mint.step();
const fa2 = caller(FA2, fa2Host, () =>
  request("jstz://KT1Self/transfer", '[{"from":"tz1A","transfers":[{"to":"tz1B","token_id":1,"amount":1}]}]'),
);
row("FA2 transfer", measure(fa2.step), `${fa2.gas()} gas`);
const nested = caller(
  CALLER,
  {
    op: store(),
    fetch: (_id, inner) => {
      const call = engine.open(HELLO, "jstz://KT1Callee", OPTIONS);
      const result = call.invoke({ op: () => undefined, fetch: () => undefined }, inner);
      call.close();
      return result.response;
    },
  },
  () => request("jstz://KT1Self/"),
);
row("nested call (two functions)", measure(nested.step), `${nested.gas()} gas in the caller`);

const prelude = new vm.Script(await bundlePrelude());
const { pureOperation } = await bundle("daemon/runtime/engine/pure-operations.ts");
const { operationOf } = await bundle("daemon/runtime/engine/host-ops.ts");
function vmHello() {
  const context = vm.createContext({});
  let answer;
  context.__hostOp = (name, a, b, c) => {
    if (name === "done") answer = a;
    return operationOf(name)?.by === "pure" ? pureOperation(name, a, b, c) : undefined;
  };
  vm.runInContext("if (!globalThis.DOMException) globalThis.DOMException = class extends Error {}", context);
  // The prelude replaces this accessor, which QuickJS has and V8 of Node 20 does not.
  vm.runInContext(
    "Object.defineProperty(Error.prototype, 'stack', { get() {}, set() {}, configurable: true })",
    context,
  );
  prelude.runInContext(context);
  const ran = vm.runInContext(
    "(__control.settle({ then: (f) => f({ default: () => new Response('hello') }) }), __control)",
    context,
  );
  ran.invoke('["jstz://KT1Self/","GET",[]]', undefined);
  return answer;
}
vmHello();
row(
  "hello, fresh node:vm context with the same prelude",
  measure(vmHello, { batches: 10, size: 20 }),
  "no isolation, no gas",
);

/** workerd as the reference for a real server isolate: one isolate that keeps its state, over HTTP. */
async function measureWorkerd() {
  if (!isInstalled("miniflare")) {
    console.log("workerd is left out: npm run bench installs the peers");
    return;
  }
  const port = await freePort();
  const child = launch(helloWorker(port));
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const once = () =>
    new Promise((resolve, reject) => {
      http
        .get({ host: "127.0.0.1", port, agent }, (response) => response.resume().on("end", resolve))
        .on("error", reject);
    });
  try {
    await answers(port, "/");
    for (let index = 0; index < 200; index += 1) await once();
    let best = Infinity;
    for (let batch = 0; batch < 40; batch += 1) {
      const from = performance.now();
      for (let index = 0; index < 25; index += 1) await once();
      best = Math.min(best, (performance.now() - from) / 25);
    }
    row("hello, workerd over HTTP (one connection)", best, "one isolate for all calls, no gas");
  } finally {
    agent.destroy();
    await stop(child);
  }
}

await measureWorkerd();
console.log(
  `engine ready ${ready.toFixed(1)} ms, exercise ${warmed.toFixed(1)} ms, first call ${first.toFixed(2)} ms, gas table ${engine.gasTable}`,
);
console.table(rows);
console.log(JSON.stringify(engine.statistics()), `rss ${(process.memoryUsage().rss / 1e6).toFixed(0)} MB`);
