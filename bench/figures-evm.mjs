// The EVM nodes and miniflare under the loads of figures 5 to 10: the other side of each ratio.
import { compileCounter, connectEvm, startEvm } from "./evm.mjs";
import { freePort, launch, median, quiet, sleep, stop } from "./machine.mjs";
import { miniflare } from "./peers.mjs";
import { answers, ask, deal, keepAlive, latencies, throughput } from "./requests.mjs";

const LANES = 32;
const LONE = 50;
const WARM = 100;

export async function measureEvm(samples, name, { size, pipelined }) {
  await quiet();
  const { child, port } = await startEvm(name);
  try {
    const evm = await connectEvm(port);
    const senders = Array.from({ length: LANES }, (_, i) => evm.fresh(i));
    await evm.fund(senders);
    const transfer = { to: evm.fresh(9999).address, value: 1n };
    const lone = async (fields, what) => {
      const [warm] = await evm.signMany(WARM, [evm.rich(1)], fields);
      await latencies(warm, evm.complete);
      const [measured] = await evm.signMany(LONE, [evm.rich(1)], fields);
      await quiet(3_000);
      samples.add(name, what, median(await latencies(measured, evm.complete)));
    };
    await lone(transfer, "lone transfer, ms");
    const transfers = (count) => evm.signMany(count, senders, transfer);
    samples.add(name, "transfers/s", await throughput(size, transfers, evm.complete));
    const flood = await pipeline(evm, await evm.signMany(pipelined, senders, transfer), senders);
    samples.add(name, "pipelined transfers/s", flood.perSecond);
    samples.add(name, "pipeline stalls", flood.stalls);

    const counter = compileCounter();
    const deploy = await evm.sign(evm.rich(2), { data: counter.code, gas: 500_000n });
    const { contractAddress } = await evm.complete(deploy);
    const increase = { to: contractAddress, data: counter.increase, gas: 100_000n };
    await lone(increase, "lone counter call, ms");
    const calls = (count) => evm.signMany(count, senders, increase);
    samples.add(name, "counter calls/s", await throughput(size, calls, evm.complete));
    const read = { to: contractAddress, data: counter.read };
    const reads = (count) => deal(count, LANES, () => read);
    const ethCall = (call) => evm.call("eth_call", [call, "latest"]);
    samples.add(name, "reads/s", await throughput(2 * size, reads, ethCall));
    evm.close();
  } finally {
    await stop(child);
  }
}

const STALL_MS = 3_000;

/** Sends without waiting for receipts, then waits until all are included and fetches the receipts. */
async function pipeline(evm, lanes, senders) {
  const hashes = [];
  const start = performance.now();
  await Promise.all(
    lanes.map(async (lane) => {
      for (const raw of lane) hashes.push(await evm.send(raw));
    }),
  );
  let stalls = 0;
  let last = { sum: -1, at: performance.now() };
  for (;;) {
    const counts = await Promise.all(
      senders.map(async ({ address }) =>
        Number(await evm.call("eth_getTransactionCount", [address, "latest"])),
      ),
    );
    if (counts.every((count, i) => count >= evm.nonceOf(senders[i]))) break;
    const sum = counts.reduce((a, b) => a + b, 0);
    if (sum !== last.sum) last = { sum, at: performance.now() };
    else if (performance.now() - last.at > STALL_MS) {
      stalls++;
      if (stalls > 5) throw new Error("it does not mine what it accepted");
      await evm.call("evm_mine", []);
      last.at = performance.now();
    }
    await sleep(10);
  }
  const queue = [...hashes];
  await Promise.all(
    Array.from({ length: LANES }, async () => {
      for (let hash = queue.pop(); hash !== undefined; hash = queue.pop()) await evm.receipt(hash);
    }),
  );
  return { perSecond: hashes.length / ((performance.now() - start) / 1000), stalls };
}

export async function measureMiniflare(samples, { size }) {
  await quiet();
  const port = await freePort();
  const child = launch(miniflare(port));
  try {
    await answers(port, "/");
    const agent = keepAlive(LANES);
    const call = () => ask(port, "/", { agent });
    const calls = (count) => deal(count, LANES, () => 0);
    samples.add("miniflare", "counter calls/s", await throughput(size, calls, call));
    agent.destroy();
  } finally {
    await stop(child);
  }
}
