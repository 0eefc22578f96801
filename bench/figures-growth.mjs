// Figures 12 and 13: latency at great height and after many calls, and memory per block.
import { COUNTER, configFor } from "./figures-sandbox.mjs";
import { median, memoryOf, quiet, stop } from "./machine.mjs";
import { closedLoop, deal } from "./requests.mjs";
import { connectLayer1, connectRuntime, startSandbox } from "./sandbox.mjs";

const LANES = 32;
const HEIGHTS = [10_000, 50_000];
const CALLS = 100_000;
const OPERATIONS = 10_000;
const CHUNK = 1_000;
const BAKE = 1_000;
const WARM = 100;
const PAIRS = 400;

/** A sandbox with clients and a deployed counter. @param ends collects its stop functions */
async function grower(signing, ends) {
  const keys = Array.from({ length: LANES + 1 }, () => signing.newKey());
  const [loner, ...senders] = keys;
  const sandbox = await startSandbox(configFor(keys));
  ends.push(() => stop(sandbox.child));
  const layer1 = connectLayer1(sandbox.layer1, signing);
  const runtime = connectRuntime(sandbox.runtime, signing);
  ends.push(layer1.close, runtime.close);
  await layer1.learnCounters(keys);
  const call = signing.callContent(await runtime.deploy(loner, COUNTER));
  const destination = senders[0].publicKey.address;
  return {
    layer1,
    runtime,
    senders,
    call,
    destination,
    memory: () => memoryOf(sandbox.child.pid),
    async growTo(height) {
      for (let left = height - (await layer1.height()); left > 0; left -= BAKE)
        await layer1.bake(Math.min(left, BAKE));
    },
    /** That many signed operations of one account. @returns a function that sends one and gets its receipt */
    async steps(what, count) {
      await layer1.refresh();
      const isTransfer = what === "lone transfer";
      const sign = () => (isTransfer ? layer1.sign(loner, { destination }) : runtime.sign(loner, call));
      const signed = Array.from({ length: count }, sign);
      return (index) => (isTransfer ? layer1 : runtime).complete(signed[index]);
    },
  };
}

/**
 * A grown sandbox is compared with a young one, alternating operation by operation: machines change their speed within
 * seconds. The measured transfers bring the young one to about 2,500 blocks.
 */
export async function measureGrowth(samples, signing, { quick }) {
  await quiet();
  const ends = [];
  try {
    await compareGrowth(samples, await grower(signing, ends), await grower(signing, ends), quick);
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

async function compareGrowth(samples, young, grown, quick) {
  const sandboxes = [young, grown];
  const compare = async (state) => {
    for (const what of ["lone transfer", "lone counter call"]) {
      const times = sandboxes.map(() => []);
      const steps = await Promise.all(sandboxes.map((sandbox) => sandbox.steps(what, WARM + PAIRS)));
      await quiet(3_000);
      for (let i = 0; i < WARM + PAIRS; i++) {
        for (const [index, step] of steps.entries()) {
          const start = performance.now();
          await step(i);
          if (i >= WARM) times[index].push(performance.now() - start);
        }
      }
      if (state === undefined) continue;
      const [beside, own] = times.map(median);
      samples.add("functez", `${what} of the young beside it, ${state}, ms`, beside);
      samples.add("functez", `${what} ${state}, ms`, own);
    }
  };
  // The first results would be too slow: they do not count.
  await compare();
  await compare();
  samples.add("functez", "memory when young, MiB", grown.memory());
  for (const height of quick ? HEIGHTS.slice(0, 1) : HEIGHTS) {
    await grown.growTo(height);
    await compare(`at ${height} blocks`);
    samples.add("functez", `memory at ${height} blocks, MiB`, grown.memory());
  }
  const { layer1, runtime, senders, call, destination } = grown;
  for (let left = quick ? OPERATIONS / 10 : OPERATIONS; left > 0; left -= CHUNK) {
    await layer1.refresh(); // branches stay within the history
    const lanes = deal(Math.min(left, CHUNK), LANES, (lane) => layer1.sign(senders[lane], { destination }));
    await closedLoop(lanes, layer1.complete);
  }
  samples.add("functez", "memory after 10000 operations more, MiB", grown.memory());
  const calls = quick ? CALLS / 10 : CALLS;
  for (let left = calls; left > 0; left -= 10_000) {
    const lanes = deal(Math.min(left, 10_000), LANES, (lane) => runtime.sign(senders[lane], call));
    await closedLoop(lanes, runtime.complete);
  }
  await compare(`after ${calls} calls`);
  samples.add("functez", `memory after ${calls} calls more, MiB`, grown.memory());
}

export async function measureMemory(samples, signing) {
  await measureSlope(samples, signing, { kept: 20_000, blocks: 6_000, what: "memory per kept block, KiB" });
  // Longer, because the heap of a young process grows until its collector settles.
  const what = "memory per block beyond the history, KiB";
  await measureSlope(samples, signing, { kept: 500, blocks: 45_000, what });
}

/** Slope of the memory over blocks with one transfer each, after the first third. */
async function measureSlope(samples, signing, { kept, blocks, what }) {
  await quiet();
  const keys = Array.from({ length: LANES }, () => signing.newKey());
  const sandbox = await startSandbox(configFor(keys, { history_blocks: kept }));
  try {
    const layer1 = connectLayer1(sandbox.layer1, signing);
    await layer1.learnCounters(keys);
    const destination = keys[0].publicKey.address;
    const grow = async (count) => {
      // One sender at a time, so that each transfer has its own block; branches stay within the history.
      for (let i = 0; i < count; i++) {
        if (i % 100 === 0) await layer1.refresh();
        await layer1.complete(layer1.sign(keys[i % LANES], { destination }));
      }
    };
    await grow(blocks / 3);
    const before = { memory: memoryOf(sandbox.child.pid), height: await layer1.height() };
    await grow((blocks * 2) / 3);
    const after = { memory: memoryOf(sandbox.child.pid), height: await layer1.height() };
    samples.add("functez", what, ((after.memory - before.memory) * 1024) / (after.height - before.height));
    layer1.close();
  } finally {
    await stop(sandbox.child);
  }
}
