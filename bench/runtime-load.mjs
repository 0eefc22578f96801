// Client side of bench/runtime.mjs: signed counter calls over HTTP, each from injection to its receipt. Runs in a
// separate process, so that its work is not counted as the server's. It signs before measuring: signing takes a client
// longer than the calls take the server.
import { COUNTER } from "./figures-sandbox.mjs";
import { percentile } from "./machine.mjs";
import { closedLoop, deal, latencies } from "./requests.mjs";
import { connectRuntime, loadSigning } from "./sandbox.mjs";

const WARM = 1_000;
const LONE = 500;
const WINDOWS = 10;

const [port, operations, loops] = process.argv.slice(2).map(Number);
const signing = await loadSigning();
const runtime = connectRuntime(port, signing);
const keys = Array.from({ length: loops }, () => signing.newKey());
const call = signing.callContent(await runtime.deploy(keys[0], COUNTER));
const sign = (count) => deal(count, loops, (lane) => runtime.sign(keys[lane], call));

await closedLoop(sign(WARM), runtime.complete);
const [ones] = deal(LONE, 1, () => runtime.sign(keys[0], call));
const lone = await latencies(ones, runtime.complete);

const windows = [];
for (let window = 0; window < WINDOWS; window++) {
  const lanes = sign(Math.round(operations / WINDOWS));
  const times = [];
  process.send("begin");
  const perSecond = await closedLoop(lanes, async (operation) => {
    const start = performance.now();
    await runtime.complete(operation);
    times.push(performance.now() - start);
  });
  process.send("end");
  windows.push({ perSecond, seconds: times.length / perSecond, times });
}
await runtime.close();

const all = windows.flatMap(({ times }) => times);
process.send({
  operations: all.length,
  perSecond: all.length / windows.reduce((sum, { seconds }) => sum + seconds, 0),
  median: percentile(all, 0.5),
  p99: percentile(all, 0.99),
  loneMedian: percentile(lone, 0.5),
  loneP99: percentile(lone, 0.99),
  windows: windows.map(({ perSecond, times }) => ({ perSecond, median: percentile(times, 0.5) })),
});
process.disconnect();
