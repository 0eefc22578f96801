// Measures runtime_node over HTTP: signed counter calls with receipts, a fresh guest environment for each call.
// Run after a build: node bench/runtime.mjs [operations] [closed loops]
// On Linux the server runs on one core and the client on the others. 100000 operations show whether memory and
// latency stay flat.
import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { cpus } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const [operations = "8000", loops = "32"] = process.argv.slice(2);
const pinned =
  process.platform === "linux" && cpus().length > 1 && spawnSync("taskset", ["--version"]).status === 0;
const onCore = (list, command) => (pinned ? ["taskset", "-c", list, ...command] : command);

const load = join(root, ".cache", "bench-runtime-load.mjs");
await build({
  entryPoints: [join(root, "bench", "runtime-load.ts")],
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  outfile: load,
  logLevel: "error",
});

function start(command) {
  const child = spawn(command[0], command.slice(1), { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
  const output = new Promise((resolve, reject) => {
    let text = "";
    child.stdout.setEncoding("utf8");
    child.stdout.on("data", (chunk) => {
      text += chunk;
      if (text.includes("\n")) resolve(text.split("\n")[0]);
    });
    child.once("exit", (code) => reject(new Error(`${command.join(" ")} ended with ${code}`)));
  });
  return { child, output };
}

const server = start(
  onCore("0", [
    process.execPath,
    "dist/runtime-node.mjs",
    "--endpoint",
    "127.0.0.1:0",
    // Nothing is there: deposits are not part of this measurement.
    "--layer1-endpoint",
    "127.0.0.1:9",
    "--log-level",
    "error",
  ]),
);
try {
  const { endpoint, pid } = JSON.parse(await server.output);
  const memory = () => {
    try {
      return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1024;
    } catch {
      return Number.NaN; // no /proc on this system
    }
  };
  const before = memory();
  const others = `1-${cpus().length - 1}`;
  const client = start(onCore(others, [process.execPath, load, endpoint, operations, loops]));
  const result = JSON.parse(await client.output);
  const medians = result.windows.map(({ median }) => median);
  console.table({
    "operations per second": result.perSecond.toFixed(0),
    [`median of ${loops} loops, ms`]: result.median.toFixed(2),
    "p99, ms": result.p99.toFixed(2),
    "lone call to receipt, median ms": result.loneMedian.toFixed(2),
    "lone call to receipt, p99 ms": result.loneP99.toFixed(2),
    "memory before, MB": before.toFixed(0),
    [`memory after ${result.operations}, MB`]: memory().toFixed(0),
    "slowest tenth / fastest tenth": (Math.max(...medians) / Math.min(...medians)).toFixed(2),
  });
} finally {
  server.child.kill();
}
