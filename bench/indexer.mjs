// The indexer alone: `node bench/indexer.mjs [dist ...]` after a build. A sandbox makes a chain of 15,000 transfers before
// anybody asks for its history. Then the indexer's thread of each dist folder reads all of it, in turns: its time for
// 1,000 transfers, the processor time of its thread and of the helpers of V8 (collector, compiler), and that of the main
// thread of the sandbox, which serves the blocks. At last the sandbox's own indexer follows a flood, and is asked for the
// head: it answers as soon as it has what layer 1 had, so an answer takes as long as it is behind. Linux only.
//   --transfers <n>  length of the chain
//   --rounds <n>     turns of each folder
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import { configFor, pipeline } from "./figures-sandbox.mjs";
import { load, median, percentile, quiet, sleep, stop } from "./machine.mjs";
import { root } from "./peers.mjs";
import { ask, deal } from "./requests.mjs";
import { connectLayer1, copyDist, loadSigning, startSandbox } from "./sandbox.mjs";

const LANES = 32;
/** Transfers sent between two looks at the head: their branch must stay recent. */
const AT_ONCE = 3_000;
const FLOOD = 6_000;
const MAX_BLOCKS = 100_000;

const { values, positionals } = parseArgs({
  options: {
    transfers: { type: "string", default: "15000" },
    rounds: { type: "string", default: "5" },
  },
  allowPositionals: true,
});
const folders = positionals.length > 0 ? positionals : [join(root, "dist")];
const rounds = Number(values.rounds);

/** Processor time of threads of a process in ms, by thread. */
function threadTimes(pid) {
  const folder = `/proc/${pid}/task`;
  const times = new Map();
  for (const id of readdirSync(folder))
    times.set(Number(id), Number(readFileSync(`${folder}/${id}/schedstat`, "utf8").split(" ")[0]) / 1e6);
  return times;
}

const mainThreadTime = (pid) => threadTimes(pid).get(pid);

/** Reads the whole chain with the thread of a folder. @returns times in ms for all of it */
async function readChain(folder, sandbox, expected) {
  const before = threadTimes(process.pid);
  const servedBefore = mainThreadTime(sandbox.child.pid);
  const cpuBefore = process.cpuUsage();
  const started = performance.now();
  const worker = new Worker(join(folder, "indexer-worker.cjs"), {
    workerData: {
      endpoint: `http://127.0.0.1:${sandbox.layer1}`,
      maxBlocks: MAX_BLOCKS,
      restored: [],
      skipped: [],
      reading: new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT),
    },
    resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16 },
  });
  const answers = new Map();
  worker.on("message", ({ kind, id, body }) => {
    if (kind === "answer") answers.get(id)(String(body));
  });
  const question = (id, url) =>
    new Promise((resolve, reject) => {
      worker.once("error", reject);
      answers.set(id, resolve);
      worker.postMessage({ kind: "ask", id, url });
    });
  await question(1, "head");
  const wall = performance.now() - started;
  const { user, system } = process.cpuUsage(cpuBefore);
  const served = mainThreadTime(sandbox.child.pid) - servedBefore;
  const made = [...threadTimes(process.pid)].filter(([id]) => !before.has(id)).map(([, ms]) => ms);
  const count = Number(await question(2, "operations/transactions/count"));
  await worker.terminate();
  if (count !== expected) throw new Error(`the indexer has ${count} transfers of ${expected}`);
  return { wall, thread: Math.max(...made), all: (user + system) / 1_000, served };
}

copyDist();
const signing = await loadSigning();
await quiet(3_000);
const keys = Array.from({ length: LANES }, () => signing.newKey());
const sandbox = await startSandbox(configFor(keys, { history_blocks: MAX_BLOCKS }));
try {
  const layer1 = connectLayer1(sandbox.layer1, signing);
  await layer1.learnCounters(keys);
  const sign = async (count) => {
    await layer1.refresh();
    const destination = keys[0].publicKey.address;
    return deal(count, LANES, (lane) => layer1.sign(keys[lane], { destination }));
  };
  const transfers = Number(values.transfers);
  for (let sent = 0; sent < transfers; sent += AT_ONCE)
    await pipeline(layer1, await sign(Math.min(AT_ONCE, transfers - sent)), keys);
  const blocks = await layer1.height();
  process.stdout.write(
    `${transfers} transfers in ${blocks} blocks; ms for 1,000 transfers, load ${load()}\n`,
  );

  const samples = folders.map(() => []);
  for (let round = 0; round < rounds; round++)
    for (const [i, folder] of folders.entries()) samples[i].push(await readChain(folder, sandbox, transfers));
  const head = ["wall", "thread", "with helpers", "main thread of the sandbox"];
  process.stdout.write(`| dist | ${head.map((name) => `${name}, least and median`).join(" | ")} |\n`);
  process.stdout.write(`| --- | ${head.map(() => "---:").join(" | ")} |\n`);
  for (const [i, folder] of folders.entries()) {
    const cell = (name) => {
      const each = samples[i].map((sample) => (1_000 * sample[name]) / transfers);
      return `${Math.min(...each).toFixed(1)} ${median(each).toFixed(1)}`;
    };
    process.stdout.write(`| ${folder} | ${["wall", "thread", "all", "served"].map(cell).join(" | ")} |\n`);
  }

  const history = async (path) => JSON.parse((await ask(sandbox.control, `/tzkt/v1/${path}`)).text);
  const lanes = await sign(FLOOD); // takes seconds, in which this thread would note no answer
  await history("head");
  const behind = [];
  let floods = true;
  const watching = (async () => {
    while (floods) {
      const asked = performance.now();
      await history("head");
      behind.push(performance.now() - asked);
      await sleep(100);
    }
  })();
  const { perSecond } = await pipeline(layer1, lanes, keys);
  floods = false;
  await watching;
  const figures = [median(behind), percentile(behind, 0.95), Math.max(...behind)].map((ms) => ms.toFixed(0));
  process.stdout.write(
    `in a flood of ${perSecond.toFixed(0)}/s it is behind by ${figures.join(", ")} ms (median, 95 of 100, most of ${behind.length})\n`,
  );
  const missing = transfers + FLOOD - (await history("operations/transactions/count"));
  process.stdout.write(`${missing} transfers are missing in the history\n`);
  layer1.close();
} finally {
  await stop(sandbox.child);
}
