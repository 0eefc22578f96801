// Measures what a unit of gas buys: how long work runs for its gas, for each operation of the host and for many
// built-ins, with small, large and adversarial arguments, relative to plain bytecode. Work above 3 times the price of
// bytecode is marked. Run: node bench/gas-prices.mjs [part of a name ...]
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker, isMainThread, parentPort, workerData } from "node:worker_threads";
import { gzipSync } from "node:zlib";
import { buildEngine } from "../tools/engine/build-engine.mjs";
import { bundle, work } from "./engine-bundle.mjs";
import { engineWork } from "./gas-work-engine.mjs";
import { hostWork } from "./gas-work-host.mjs";
import { languageWork } from "./gas-work-language.mjs";

const GAS = 400_000_000;
/** Shorter runs measure the start of a call rather than the work. */
const LEAST_MS = 8;
const BOUND = 3;

if (isMainThread) {
  const { key } = await buildEngine(join(work, "current"));
  // With the stack that the engine asks for, as in the sandbox.
  const worker = new Worker(fileURLToPath(import.meta.url), {
    workerData: { directory: join(work, key), only: process.argv.slice(2) },
    resourceLimits: { stackSizeMb: 64 },
  });
  worker.on("message", (text) => console.log(text));
} else {
  await measureAll(workerData);
}

async function measureAll({ directory, only }) {
  const { loadEngine } = await bundle("daemon/runtime/engine/engine.ts");
  const engine = await loadEngine({ directory });
  while (engine.warm());
  const store = new Map();
  const host = {
    op(name, [a, b]) {
      if (name === "kv.get") return store.get(a);
      if (name === "kv.set") store.set(a, b);
      if (name === "kv.has") return store.has(a) ? "1" : "";
      if (name === "ledger.self") return "KT1Self";
      if (name === "ledger.balance") return "1";
      return undefined;
    },
    fetch: () => ({ status: 200, statusText: "OK", headers: [], body: "x" }),
  };
  /** Runs a body `times` times in one call. */
  function run({ before = "", body, after = "" }, times) {
    const code = `export default async () => { ${before}; for (let __i = 0; __i < ${times}; __i++) { ${body} } return new Response(""); };${after}`;
    const call = engine.open(code, "jstz://KT1Self", { gas: GAS, now: 1_530_380_397_121, seed: "b" });
    const start = performance.now();
    const step = call.invoke(host, { url: "jstz://KT1Self/", method: "GET", headers: [], body: null });
    call.close(); // the cost that it causes the next call belongs to it
    const ms = performance.now() - start;
    return { ms, gas: call.gasUsed(), end: step.kind === "failure" ? step.code : "ok" };
  }
  /** The minimum of several runs: other work on the machine only slows a run down. */
  function least(item, times, runs) {
    let best = run(item, times);
    for (let round = 1; round < runs && best.ms < 1_000; round += 1) {
      const again = run(item, times);
      if (again.ms < best.ms) best = again;
    }
    return best;
  }
  function measure(item) {
    let times = 1;
    let best = least(item, times, 3);
    while (
      item.once !== true &&
      best.ms < LEAST_MS &&
      best.gas < GAS / 8 &&
      best.end === "ok" &&
      times < 1e6
    ) {
      const growth = Math.min(20, (1.5 * LEAST_MS) / Math.max(best.ms, 0.01), GAS / 2 / best.gas);
      times = Math.ceil(times * growth + 1);
      best = least(item, times, 2);
    }
    best = [best, least(item, times, 2)].reduce((one, other) => (other.ms < one.ms ? other : one));
    return { ...best, rate: best.gas / best.ms };
  }
  const loop = { body: "let x = 0; for (let i = 0; i < 3e5; i++) x = (x + 1) & 1023;" };
  const bytecode = measure(loop);
  parentPort.postMessage(`bytecode ${Math.round(bytecode.rate)} gas/ms`);
  // The machine's speed varies with its other work: bytecode is measured next to each item.
  const besides = () => Math.max(...[1, 2, 3].map(() => run(loop, 1)).map(({ gas, ms }) => gas / ms));
  const bomb = gzipSync(Buffer.alloc(34 * 1024 * 1024)).toString("base64");
  const flat = gzipSync(Buffer.alloc(3 * 1024 * 1024)).toString("base64");
  const rows = [];
  for (const item of [...hostWork({ bomb, flat }), ...engineWork(), ...languageWork()]) {
    if (only.length > 0 && !only.some((part) => item.name.includes(part))) continue;
    let { ms, gas, rate, end } = measure(item);
    let ratio = besides() / rate;
    // Other programs on the machine may have slowed one of the two down: really expensive work stays expensive.
    for (let again = 0; again < 4 && ratio > BOUND; again += 1) {
      const other = measure(item);
      const otherRatio = besides() / other.rate;
      if (otherRatio < ratio) ({ ms, gas, rate, end, ratio } = { ...other, ratio: otherRatio });
    }
    rows.push({ name: item.name, group: item.group, ratio });
    const mark = ratio > BOUND ? " <<<" : "";
    parentPort.postMessage(
      `${item.name.padEnd(44)} ${String(Math.round(rate)).padStart(9)} gas/ms  x${ratio.toFixed(2).padStart(6)} ${ms.toFixed(1).padStart(8)} ms ${String(gas).padStart(10)} gas ${end}${mark}`,
    );
  }
  parentPort.postMessage("\n| work | measured | dearest | time per gas, bytecode = 1 |\n|---|---:|---|---:|");
  for (const [group, items] of groups(rows)) {
    const dearest = items.reduce((most, row) => (row.ratio > most.ratio ? row : most));
    parentPort.postMessage(`| ${group} | ${items.length} | ${dearest.name} | ${dearest.ratio.toFixed(1)} |`);
  }
  const over = rows.filter(({ ratio }) => ratio > BOUND);
  parentPort.postMessage(`${rows.length} kinds of work, ${over.length} above ${BOUND} times bytecode`);
}

function groups(rows) {
  const all = new Map();
  for (const row of rows) all.set(row.group, [...(all.get(row.group) ?? []), row]);
  return all;
}
