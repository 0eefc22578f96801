// Figures 12 and 13: latency at great height and after many calls, and memory per block.
import { median, memoryOf, quiet, stop } from "./machine.mjs";
import { closedLoop, deal } from "./requests.mjs";
import { connectLayer1, connectRuntime, startSandbox } from "./sandbox.mjs";
import { COUNTER, configFor, loneCalls, loneTransfers } from "./figures-sandbox.mjs";

const LANES = 32;
const HEIGHTS = [100, 10_000, 50_000];
const CALLS = 100_000;
const OPERATIONS = 10_000;
const CHUNK = 1_000;
const BAKE = 1_000;
const PROBES = 3;

/** Median of a few medians: one number at a height is a ratio's denominator. */
async function probe(step) {
  const values = [];
  for (let i = 0; i < PROBES; i++) values.push(await step());
  return median(values);
}

export async function measureGrowth(samples, signing, { quick }) {
  await quiet();
  const keys = Array.from({ length: LANES + 1 }, () => signing.newKey());
  const [loner, ...senders] = keys;
  const sandbox = await startSandbox(configFor(keys));
  try {
    const layer1 = connectLayer1(sandbox.layer1, signing);
    const runtime = connectRuntime(sandbox.runtime, signing);
    await layer1.learnCounters(keys);
    const counter = await runtime.deploy(loner, COUNTER);
    const call = signing.callContent(counter);
    const destination = senders[0].publicKey.address;
    await probe(() => loneTransfers(layer1, loner, destination)); // warm: the first height would be too slow
    await probe(() => loneCalls(runtime, loner, call));
    for (const height of quick ? HEIGHTS.slice(0, 2) : HEIGHTS) {
      for (let left = height - (await layer1.height()); left > 0; left -= BAKE)
        await layer1.bake(Math.min(left, BAKE));
      const at = `at ${height} blocks`;
      samples.add(
        "functez",
        `lone transfer ${at}, ms`,
        await probe(() => loneTransfers(layer1, loner, destination)),
      );
      samples.add(
        "functez",
        `lone counter call ${at}, ms`,
        await probe(() => loneCalls(runtime, loner, call)),
      );
      samples.add("functez", `memory ${at}, MiB`, memoryOf(sandbox.child.pid));
    }
    for (let left = quick ? OPERATIONS / 10 : OPERATIONS; left > 0; left -= CHUNK) {
      await layer1.refresh(); // branches stay within the history
      const lanes = deal(Math.min(left, CHUNK), LANES, (lane) => layer1.sign(senders[lane], { destination }));
      await closedLoop(lanes, layer1.complete);
    }
    samples.add("functez", "memory after 10000 operations more, MiB", memoryOf(sandbox.child.pid));
    const calls = quick ? CALLS / 10 : CALLS;
    for (let left = calls; left > 0; left -= 10_000) {
      const lanes = deal(Math.min(left, 10_000), LANES, (lane) => runtime.sign(senders[lane], call));
      await closedLoop(lanes, runtime.complete);
    }
    const after = `after ${calls} calls, ms`;
    samples.add("functez", `lone counter call ${after}`, await probe(() => loneCalls(runtime, loner, call)));
    samples.add(
      "functez",
      `lone transfer ${after}`,
      await probe(() => loneTransfers(layer1, loner, destination)),
    );
    samples.add("functez", `memory after ${calls} calls more, MiB`, memoryOf(sandbox.child.pid));
    layer1.close();
    runtime.close();
  } finally {
    await stop(sandbox.child);
  }
}

export async function measureMemory(samples, signing) {
  await measureSlope(samples, signing, { kept: 20_000, blocks: 6_000, what: "memory per kept block, KiB" });
  // Longer, because the heap of a young process grows by itself until its collector is content.
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
      // One sender at a time, so that each transfer has a block of its own; branches stay within the history.
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
