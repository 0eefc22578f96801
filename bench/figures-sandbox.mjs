// Figures 5 to 11, 15 and 19 of functez: transfers, calls, reads, the token, the bridge, the history of the chain.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { median, quiet, sleep, stop } from "./machine.mjs";
import { root } from "./peers.mjs";
import { ask, deal, latencies, throughput, until } from "./requests.mjs";
import { connectLayer1, connectRuntime, startSandbox } from "./sandbox.mjs";

const LANES = 32;
const LONE = 50;
const WARM = 100;
const BALANCE = "1000000000000";

export const COUNTER = `export default () => {
  const count = (Kv.get("count") ?? 0) + 1;
  Kv.set("count", count);
  return new Response(String(count));
};`;

/** Configuration with further funded accounts, so that layer 1 has as many senders as the peers. */
export const configFor = (keys, layer1 = {}) => ({
  layer1_node: {
    bootstrap_accounts: keys.map(({ publicKey }, i) => ({
      label: `lane${i}`,
      key: publicKey.text,
      balance: BALANCE,
    })),
    ...layer1,
  },
});

export async function measureSandbox(samples, signing, options) {
  await quiet();
  const keys = Array.from({ length: LANES + 1 }, () => signing.newKey());
  const sandbox = await startSandbox(configFor(keys));
  try {
    const layer1 = connectLayer1(sandbox.layer1, signing);
    const runtime = connectRuntime(sandbox.runtime, signing);
    await layer1.learnCounters(keys);
    await layer1.refresh();
    await measureLayer1(samples, layer1, keys, options);
    await measureRuntime(samples, runtime, signing, keys, options);
    await measureDeposits(samples, { layer1, runtime, key: keys[0], receiver: signing.newKey() });
    await measureHistory(samples, sandbox, layer1, keys, options);
    layer1.close();
    runtime.close();
  } finally {
    await stop(sandbox.child);
  }
}

async function loneTransfers(layer1, key, destination, count = LONE) {
  await layer1.refresh();
  const sign = () => layer1.sign(key, { destination });
  await latencies(Array.from({ length: WARM }, sign), layer1.complete);
  const measured = Array.from({ length: count }, sign);
  await quiet(3_000);
  return median(await latencies(measured, layer1.complete));
}

async function measureLayer1(samples, layer1, keys, { size, pipelined, floods }) {
  const [loner, ...senders] = keys;
  const destination = senders[0].publicKey.address;
  samples.add("functez", "lone transfer, ms", await loneTransfers(layer1, loner, destination));
  const transfers = async (count) => {
    await layer1.refresh();
    return deal(count, LANES, (lane) => layer1.sign(senders[lane], { destination }));
  };
  samples.add("functez", "transfers/s", await throughput(size, transfers, layer1.complete));
  for (let flood = 0; flood < floods; flood++) {
    await layer1.refresh();
    const lanes = deal(pipelined, LANES, (lane) => layer1.sign(senders[lane], { destination }));
    const { perSecond, stalls, lost } = await pipeline(layer1, lanes, senders);
    samples.add("functez", "pipelined transfers/s", perSecond);
    samples.add("functez", "pipeline stalls", stalls);
    samples.add("functez", "pipelined operations lost", lost);
  }
}

const STALL_MS = 3_000;

/** Sends without reading receipts; then counts the operations in blocks and fetches the receipts. */
export async function pipeline(layer1, lanes, senders) {
  const from = await layer1.height();
  const sent = new Set();
  const start = performance.now();
  await Promise.all(
    lanes.map(async (lane) => {
      for (const body of lane) sent.add(await layer1.send(body));
    }),
  );
  let stalls = 0;
  let last = { sum: -1n, at: performance.now() };
  for (;;) {
    const counters = await Promise.all(senders.map(layer1.counterAtHead));
    if (counters.every((counter, i) => counter >= layer1.counterOf(senders[i]))) break;
    const sum = counters.reduce((a, b) => a + b, 0n);
    if (sum !== last.sum) last = { sum, at: performance.now() };
    else if (performance.now() - last.at > STALL_MS) {
      if (++stalls > 5) break;
      last.at = performance.now();
    }
    await sleep(10);
  }
  const to = await layer1.height();
  const count = sent.size;
  for (let level = from + 1; level <= to; level++) {
    for (const { hash, contents } of await layer1.get(`/chains/main/blocks/${level}/operations/3`)) {
      if (contents[0].metadata.operation_result.status === "applied") sent.delete(hash);
    }
  }
  return { perSecond: count / ((performance.now() - start) / 1000), stalls, lost: sent.size };
}

/** A flood of transfers while the indexer, once asked, follows the chain: last, for from then on it always does. */
async function measureHistory(samples, sandbox, layer1, [, ...senders], { pipelined }) {
  const read = async (path) => JSON.parse((await ask(sandbox.control, `/tzkt/v1/${path}`)).text);
  const upTo = (level) =>
    until(async () => {
      const head = await read("head");
      if (!(head.level >= level)) throw new Error(`the indexer is at ${head.level}, not ${level}`);
    });
  const first = performance.now();
  await upTo(await layer1.height());
  samples.add("functez", "first answer of the history, ms", performance.now() - first);
  const known = await read("operations/transactions/count");
  await layer1.refresh();
  const destination = senders[0].publicKey.address;
  const lanes = deal(pipelined, LANES, (lane) => layer1.sign(senders[lane], { destination }));
  const { perSecond } = await pipeline(layer1, lanes, senders);
  samples.add("functez", "pipelined transfers with the history, /s", perSecond);
  const end = performance.now();
  await upTo(await layer1.height());
  samples.add("functez", "history behind the chain, ms", performance.now() - end);
  const missing = pipelined - ((await read("operations/transactions/count")) - known);
  samples.add("functez", "transfers missing in the history", missing);
}

async function loneCalls(runtime, key, content, count = LONE) {
  const sign = () => runtime.sign(key, content);
  await latencies(Array.from({ length: WARM }, sign), runtime.complete);
  const measured = Array.from({ length: count }, sign);
  await quiet(3_000);
  return median(await latencies(measured, runtime.complete));
}

async function measureRuntime(samples, runtime, signing, keys, { size }) {
  const [loner, ...senders] = keys;
  const counter = await runtime.deploy(loner, COUNTER);
  const call = signing.callContent(counter);
  samples.add("functez", "lone counter call, ms", await loneCalls(runtime, loner, call));
  const calls = (count) => deal(count, LANES, (lane) => runtime.sign(senders[lane], call));
  samples.add("functez", "counter calls/s", await throughput(size, calls, runtime.complete));

  const reads = (path) => throughput(2 * size, (count) => deal(count, LANES, () => path), runtime.read);
  samples.add("functez", "balance reads/s", await reads(`/accounts/${counter}/balance`));
  samples.add("functez", "KV reads/s", await reads(`/accounts/${counter}/kv?key=count`));

  const token = await runtime.deploy(loner, readFileSync(join(root, "bench", "fa2.mjs"), "utf8"));
  for (const { publicKey } of senders) {
    const mint = JSON.stringify({ owner: publicKey.address, token_id: 1, amount: 1_000_000 });
    await runtime.complete(runtime.sign(loner, signing.callContent(token, "/mint", mint)));
  }
  const transferOf = (lane) => {
    const from = senders[lane].publicKey.address;
    const to = senders[(lane + 1) % LANES].publicKey.address;
    const body = JSON.stringify([{ from, transfers: [{ to, token_id: 1, amount: 1 }] }]);
    return runtime.sign(senders[lane], signing.callContent(token, "/transfer", body));
  };
  const transfers = (count) => deal(count, LANES, transferOf);
  samples.add("functez", "FA2 transfers/s", await throughput(size, transfers, runtime.complete));
}

/**
 * Time from the injection of a deposit on layer 1 until the runtime shows the new balance. The client is notified of
 * the change, like the editor, and then reads the balance: polling in between would keep the server from its work.
 */
async function measureDeposits(samples, { layer1, runtime, key, receiver }) {
  await layer1.refresh();
  const depositTo = receiver.publicKey.address;
  const bodies = Array.from({ length: WARM + LONE }, () => layer1.sign(key, { depositTo, amount: 1000n }));
  let arrived;
  const end = await runtime.watchBalances(({ address, balance }) => {
    if (address === depositTo) arrived(balance);
  });
  const times = [];
  for (const [index, body] of bodies.entries()) {
    if (index === WARM) await quiet(3_000);
    const expected = String(1000 * (index + 1));
    const notified = new Promise((resolve) => {
      arrived = resolve;
    });
    const start = performance.now();
    const hash = await layer1.send(body);
    const balance = await notified;
    const { text } = await runtime.read(`/accounts/${depositTo}/balance`);
    times.push(performance.now() - start);
    if (balance !== expected || text !== expected)
      throw new Error(
        `${depositTo} has ${text} and was said to have ${balance} where ${expected} is expected`,
      );
    await layer1.receipt(hash); // like a client that follows the chain, so the next block need not wait for it
  }
  end();
  samples.add("functez", "deposit, ms", median(times.slice(WARM)));
}
