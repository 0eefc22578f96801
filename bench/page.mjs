// Writes docs/benchmarks.md from the samples of a run.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import { NOTES } from "./notes.mjs";
import { root } from "./peers.mjs";
import { round } from "./samples.mjs";
import { figures, valueToJudge, targetText, verdict } from "./targets.mjs";

const INTRODUCTION = `# Benchmarks

\`npm run bench\` (after \`npm run build\`) installs the peers into \`.cache/bench\`, measures them and functez in turn, and
writes this page. Only the ratio of two values of the same run matters: machines are noisy, so do not compare these
values with others. The groups of figures (size, start, load, growth, memory, container, editor, cli) run one after the
other, and may be run separately; a ratio never crosses groups. For other systems this page has only values measured in
this run.

A fast simulator proves nothing about the real network: functez keeps its chain in memory and has no rollup behind it.
The figures show how long a developer waits for a sandbox, not what Tezos or Jstz can do.
`;

const METHOD = `## How it is measured

- Every server binds to 127.0.0.1; the client is one Node process (undici) with kept connections, and it shares the machine's
  cores with the server. Operations are signed before any measurement starts.
- Rounds cover all subjects in turn, each in a fresh process; before a sample the machine gets time to become idle (a
  bounded wait). Values are medians; [min..max] is the spread over the rounds, n their number.
- "Lone": one operation after the other, 50 of them after a warm-up of 100; JIT compilers need some dozen calls, so the
  first operations of a fresh process take several times longer.
- "With receipts, 32 at once": 32 senders, each sends, gets its receipt, sends the next; each of these and of the reads
  has a warm-up of 1,000, for every subject. A receipt costs one request: by its hash from an EVM node and from the
  runtime, in the operations of the next block from layer 1.
- "Pipelined": 32 senders send without reading receipts; the clock stops when all receipts have been fetched. anvil gets
  runs of 500: with 2,000 it once stopped mining.
- The EVM counter is a Solidity contract, miniflare's a Durable Object (no signature, no receipt), functez's a smart
  function that runs in a fresh environment for each call.
- The start of functez is any but the first: the first one after an installation compiles code that later ones find in
  the configuration folder, and is listed separately.
- Memory is PSS over the process tree, 3 s after the first response. Figure 13 is the slope over 4,000 blocks, and beyond
  the history over 30,000.
- A time of the command line is the mean of ten runs in turn with the others, from spawn to exit; its size is that of its
  bundle's files.
- Figure 20 is the processor time of a real editor's extension host beyond that of an idle one, with the packed extension:
  attaching to a sandbox that has executed 2,000 operations, following 2,000 more while all its views are open, and
  opening every row of every tree.
- Size counts the archives that npm fetches and the files it installs, without Node itself.
`;

function spread(values) {
  if (values.length === 0) return "";
  return `[${round(Math.min(...values))}..${round(Math.max(...values))}], n = ${values.length}`;
}

const UNIT = /, (ms|MiB|KiB|%)$/;

const SOURCES = [
  [1, "functez", "start, ms"],
  [1, "functez, nothing compiled", "start, ms"],
  [1, "fastify hello", "start, ms"],
  [1, "hardhat", "start, ms"],
  [1, "anvil", "start, ms"],
  [1, "anvil by npm", "start, ms"],
  [1, "ganache", "start, ms"],
  [1, "miniflare", "start, ms"],
  [1, "azurite", "start, ms"],
  [2, "functez", "accounts, ms"],
  [2, "hardhat", "accounts, ms"],
  [3, "functez", "idle memory, MiB"],
  [3, "functez", "idle CPU of one core, %"],
  [3, "fastify hello", "idle memory, MiB"],
  [3, "hardhat", "idle memory, MiB"],
  [3, "anvil by npm", "idle memory, MiB"],
  [3, "ganache", "idle memory, MiB"],
  [3, "miniflare", "idle memory, MiB"],
  [3, "azurite", "idle memory, MiB"],
  ...["functez", "anvil", "hardhat", "ganache"].flatMap((name) => [
    [5, name, "lone transfer, ms"],
    [6, name, "lone counter call, ms"],
    [7, name, "counter calls/s"],
    [8, name, "transfers/s"],
    [9, name, "pipelined transfers/s"],
  ]),
  [7, "miniflare", "counter calls/s"],
  [10, "functez", "balance reads/s"],
  [10, "functez", "KV reads/s"],
  [10, "hardhat", "reads/s"],
  [10, "anvil", "reads/s"],
  [11, "functez", "FA2 transfers/s"],
  ...["lone transfer", "lone counter call"].flatMap((what) =>
    ["at 10000 blocks", "at 50000 blocks", "after 100000 calls"].flatMap((state) => [
      [12, "functez", `${what} ${state}, ms`],
      [12, "functez", `${what} of the young beside it, ${state}, ms`],
    ]),
  ),
  ...[
    "memory when young, MiB",
    "memory at 50000 blocks, MiB",
    "memory after 10000 operations more, MiB",
    "memory after 100000 calls more, MiB",
  ].map((what) => [13, "functez", what]),
  [14, "functez", "SIGTERM to exit, ms"],
  [14, "hardhat", "SIGTERM to exit, ms"],
  [15, "functez", "deposit, ms"],
  [16, "functez", "container start -d, ms"],
  [16, "functez", "process start -d, ms"],
  [17, "functez", "editor start, ms"],
  [17, "functez", "start beside the editor, ms"],
  [18, "node", "`node -e 0`, ms"],
  [18, "functez", "`functez --version`, ms"],
  [18, "functez", "`functez account balance`, ms"],
  [18, "functez", "command line loaded for every command, KiB"],
  [18, "functez", "command line loaded on demand, KiB"],
  ...["to show a full sandbox", "while operations arrive", "to open all rows", "of all"].map((what) => [
    20,
    "functez",
    `host's time ${what}, ms`,
  ]),
];

function figureTable(samples) {
  const rows = figures(samples).map((figure) => {
    const peer =
      figure.peerName === undefined ? "" : `${figure.peerName}: ${round(figure.peer)} ${figure.unit}`;
    const ratio = figure.peerName === undefined ? "" : round(valueToJudge(figure));
    const value = figure.value === undefined ? "–" : `${round(figure.value)} ${figure.unit}`;
    return `| ${figure.number} | ${figure.name} | ${value} | ${peer} | ${ratio} | ${targetText(figure)} | ${verdict(figure)} |`;
  });
  return [
    "| # | figure | functez | peer | ratio | to reach | reached |",
    "|---|---|---|---|---|---|---|",
    ...rows,
  ].join("\n");
}

function valueTable(samples) {
  const rows = SOURCES.filter(([, who, what]) => samples.all(who, what).length > 0).map(
    ([number, who, what]) =>
      `| ${number} | ${what.replace(UNIT, "")} | ${who} | ${round(samples.median(who, what))} ${UNIT.exec(what)?.[1] ?? ""} | ${spread(samples.all(who, what))} |`,
  );
  return ["| # | what | of | median | spread |", "|---|---|---|---|---|", ...rows].join("\n");
}

function limitText(samples) {
  const at = (what) => samples.median("limit", what);
  const calls = samples.median("functez", "counter calls/s");
  const transfers = samples.median("functez", "transfers/s");
  const ceiling = at("parse, hash, verify, receipt/s");
  if (ceiling === undefined || calls === undefined) return "Not measured in this run.";
  const share = (value) => (value === undefined ? "–" : `${Math.round((100 * value) / ceiling)} %`);
  return `One thread of this machine verified ${round(at("ed25519 verify/s"))} ed25519 signatures per second in this run, did
parse + hash + verify + receipt ${round(ceiling)} times, and made ${round(at("worker round trips/s"))} round trips to a worker. The signed
counter calls of figure 7 come to ${share(calls)} of the second, the transfers of figure 8 to ${share(transfers)}; the client's own work
shares the cores. \`node bench/runtime.mjs\` measures the calls with the server held to one core and the client on another.`;
}

function missedText(missed) {
  const numbers = [...new Set(missed.map(({ number }) => number))];
  return numbers
    .map((number) => `- **${number}**: ${NOTES[number] ?? "No profile explains it yet."}`)
    .join("\n");
}

function commit() {
  try {
    return execFileSync("git", ["rev-parse", "--short=10", "HEAD"], { cwd: root, encoding: "utf8" }).trim();
  } catch {
    return "unknown";
  }
}

export function writePage(samples) {
  const [low, high] = samples.loadRange();
  const missed = figures(samples).filter((figure) => verdict(figure) === "no");
  const machine = `${cpus()[0]?.model.trim()}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`;
  const unmeasured = figures(samples)
    .filter((figure) => verdict(figure) === "not measured")
    .map(({ number, name }) => `${number} (${name})`);
  const page = [
    INTRODUCTION,
    `Run of ${new Date().toISOString().slice(0, 10)} at commit ${commit()} on ${machine}; load of the machine during the
samples ${low} to ${high}.${high > 2.5 ? " **Other work ran on the machine: ratios carry that noise too.**" : ""}
`,
    "## The figures\n",
    `${figureTable(samples)}\n`,
    `Not measured in this run: ${unmeasured.join("; ") || "nothing"}. Figure 16 needs a container engine, figures 17 and 20 an editor (tools/editor/setup.sh).\n`,
    ...(samples.failures.length > 0 ? [`Failed: ${samples.failures.join("; ")}\n`] : []),
    ...(missed.length > 0
      ? ["## Missed targets, and what the profiles say\n", `${missedText(missed)}\n`]
      : []),
    "## Distance from the limits\n",
    `${limitText(samples)}\n`,
    "## Measured values\n",
    `${valueTable(samples)}\n`,
    METHOD,
  ].join("\n");
  writeFileSync(join(root, "docs", "benchmarks.md"), page);
}
