// Measures runtime_node over HTTP: signed counter calls with receipts, a fresh guest environment for each call.
// Run after a build: node bench/runtime.mjs [operations] [closed loops]
// The server runs on one core and the client on the others. Linux only: time and memory are read from /proc. 100000
// operations show whether memory and latency stay flat.
import { spawnSync } from "node:child_process";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { cpuSeconds, launch, memoryOf } from "./machine.mjs";
import { root } from "./peers.mjs";

const [operations = "8000", loops = "32"] = process.argv.slice(2);
const cores = availableParallelism();
const pinned = cores > 1 && spawnSync("taskset", ["--version"]).status === 0;
const onCores = (list) => (pinned ? ["taskset", "-c", list] : []);
const dist = process.env.BENCH_DIST ?? join(root, "dist");

const server = launch(
  [
    ...onCores("0"),
    process.execPath,
    join(dist, "runtime-node.mjs"),
    "--endpoint",
    "127.0.0.1:0",
    // Nothing listens there: deposits are not part of this measurement.
    "--layer1-endpoint",
    "127.0.0.1:9",
    "--log-level",
    "error",
  ],
  { cwd: root, stdio: ["ignore", "pipe", "inherit"] },
);

/** The first line printed by the server: its endpoint. */
function readyLine() {
  return new Promise((resolve, reject) => {
    let text = "";
    server.stdout.setEncoding("utf8").on("data", (chunk) => {
      text += chunk;
      if (text.includes("\n")) resolve(JSON.parse(text.split("\n")[0]));
    });
    server.once("exit", (code) => reject(new Error(`the server ended with ${code}`)));
  });
}

try {
  const { endpoint, pid } = await readyLine();
  const before = memoryOf(pid);
  const client = launch(
    [
      ...onCores(`1-${cores - 1}`),
      process.execPath,
      join(root, "bench", "runtime-load.mjs"),
      new URL(endpoint).port,
      operations,
      loops,
    ],
    { stdio: ["ignore", "inherit", "inherit", "ipc"] },
  );
  let processor = 0;
  const result = await new Promise((resolve, reject) => {
    client.on("message", (message) => {
      if (message === "begin") processor -= cpuSeconds(pid);
      else if (message === "end") processor += cpuSeconds(pid);
      else resolve(message);
    });
    client.once("exit", (code) => reject(new Error(`the client ended with ${code}`)));
  });
  const medians = result.windows.map(({ median }) => median);
  console.table({
    "operations per second": result.perSecond.toFixed(0),
    "slowest and fastest tenth, per second": ["min", "max"]
      .map((which) => Math[which](...result.windows.map(({ perSecond }) => perSecond)).toFixed(0))
      .join(" – "),
    "the server's processor time for each, ms": ((processor * 1000) / result.operations).toFixed(2),
    [`median of ${loops} loops, ms`]: result.median.toFixed(2),
    "p99, ms": result.p99.toFixed(2),
    "lone call to receipt, median ms": result.loneMedian.toFixed(2),
    "lone call to receipt, p99 ms": result.loneP99.toFixed(2),
    "memory before, MiB": before.toFixed(0),
    [`memory after ${result.operations}, MiB`]: memoryOf(pid).toFixed(0),
    "slowest tenth / fastest tenth": (Math.max(...medians) / Math.min(...medians)).toFixed(2),
  });
} finally {
  server.kill();
}
