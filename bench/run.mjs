// `npm run bench`: measures functez and its peers in turn, in one run, and writes docs/benchmarks.md.
//   --only <group>   size, start, load, growth, memory, container, editor or cli, or the number of a figure in it; may be
//                    given more than once. The other figures of the page stay as the last runs of their groups left them
//   --rounds <n>     rounds over all subjects (default 3; starts get twice as many)
//   --quick          fewer operations and no great heights: to try a change, writes no page
// Build first (`npm run build`). Linux only: memory and processes are read from /proc.
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { measureCli } from "./figures-cli.mjs";
import { measureContainer } from "./figures-container.mjs";
import { measureEditorLoad } from "./figures-editor-load.mjs";
import { measureEditor } from "./figures-editor.mjs";
import { measureEvm, measureMiniflare } from "./figures-evm.mjs";
import { measureGrowth, measureMemory } from "./figures-growth.mjs";
import { measureSandbox } from "./figures-sandbox.mjs";
import { measureSizes } from "./figures-size.mjs";
import { measureStarts } from "./figures-start.mjs";
import { measureLimits } from "./limits.mjs";
import { load } from "./machine.mjs";
import { writePage } from "./page.mjs";
import { EVM_NODES, cache, installPeers } from "./peers.mjs";
import { createSamples } from "./samples.mjs";
import { copyDist, loadSigning } from "./sandbox.mjs";
import { figuresText } from "./targets.mjs";

const GROUP_OF = {
  size: [4],
  start: [1, 2, 3, 14],
  load: [5, 6, 7, 8, 9, 10, 11, 15, 19],
  growth: [12],
  memory: [13],
  container: [16],
  editor: [17, 20],
  cli: [18],
};

const { values } = parseArgs({
  options: {
    only: { type: "string", multiple: true, default: [] },
    rounds: { type: "string", default: "3" },
    quick: { type: "boolean", default: false },
    help: { type: "boolean", short: "h", default: false },
  },
});
if (values.help) {
  const head = readFileSync(new URL(import.meta.url), "utf8").match(/^(\/\/.*\n)+/)[0];
  process.stdout.write(head.replaceAll(/^\/\/ ?/gm, ""));
  process.exit();
}
const rounds = Number(values.rounds);
const { quick } = values;
const groups = Object.keys(GROUP_OF).filter(
  (group) =>
    values.only.length === 0 ||
    values.only.some((name) => name === group || GROUP_OF[group].includes(Number(name))),
);

if (process.platform !== "linux" || !existsSync("/proc/self/smaps_rollup"))
  throw new Error("the benchmarks read memory and processes from /proc: Linux only");
mkdirSync(cache, { recursive: true });
installPeers();
copyDist();
const signing = await loadSigning();
const results = quick ? join(cache, "quick") : cache;
mkdirSync(results, { recursive: true });
const samples = createSamples(results);
samples.read(Object.keys(GROUP_OF).filter((group) => !groups.includes(group)));
process.stderr.write(`load ${load()}, rounds ${rounds}, groups ${groups.join(", ")}\n`);

async function attempt(who, step) {
  try {
    await step();
  } catch (error) {
    samples.fail(who, error);
  }
}

async function measureLoads() {
  const size = quick ? 600 : 2_000;
  // As many transactions as the peers were seen to take without a stall.
  const peerLoad = { size, pipelined: 500 };
  // 20 floods of 2,000 over the whole run.
  const own = { size, pipelined: quick ? 500 : 2_000, floods: quick ? 1 : Math.ceil(20 / rounds) };
  for (let round = 0; round < rounds; round++) {
    await attempt("limits", () => measureLimits(samples));
    await attempt("functez", () => measureSandbox(samples, signing, own));
    for (const name of Object.keys(EVM_NODES)) {
      if (quick && name === "ganache") continue;
      await attempt(name, () => measureEvm(samples, name, peerLoad));
    }
    await attempt("miniflare", () => measureMiniflare(samples, { size }));
  }
}

const MEASURE = {
  size: () => measureSizes(samples),
  start: () => measureStarts(samples, { rounds: 2 * rounds, quick }),
  load: measureLoads,
  growth: () => measureGrowth(samples, signing, { quick }),
  memory: () => measureMemory(samples, signing),
  container: () => measureContainer(samples, { rounds }),
  editor: async () => {
    await measureEditor(samples, { rounds });
    await measureEditorLoad(samples, signing, { rounds });
  },
  cli: () => measureCli(samples, { rounds }),
};
for (const group of groups) {
  samples.begin(group);
  await attempt(group, MEASURE[group]);
}

process.stdout.write(`${figuresText(samples)}\n`);
if (!quick) writePage(samples);
process.exit(samples.failures.length === 0 ? 0 : 1);
