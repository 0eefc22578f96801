// Time of Michelson instructions for their gas: `node bench/michelson-time.mjs [word ...]` runs each instruction in a loop
// in the interpreter, with small, large and adversarial arguments, and prints microseconds of processor time for a unit of
// gas, the slowest first. The rule is at most 3 (daemon/layer1/michelson/instruction-time.test.ts). With words, only the
// loops whose names contain one of them.
//   --each <ms>     time of one try (default 20)
//   --tries <n>     tries of a loop, of which the best counts (default 5)
//   --above <us>    prints only what is slower
import { join } from "node:path";
import { parseArgs } from "node:util";
import { importBundled } from "../tools/bundle.mjs";
import { load } from "./machine.mjs";
import { cache, root } from "./peers.mjs";

const { values, positionals } = parseArgs({
  options: {
    each: { type: "string", default: "20" },
    tries: { type: "string", default: "5" },
    above: { type: "string", default: "0" },
  },
  allowPositionals: true,
});
const { INSTRUCTION_LOOPS, timePerGas, loadBls, loadHashes, loadSecp256k1 } = await importBundled(
  join(root, "bench", "michelson-time.ts"),
  join(cache, "michelson-time.mjs"),
);
await Promise.all([loadBls(), loadHashes(), loadSecp256k1()]);

const measure = { each: Number(values.each) * 1_000, tries: Number(values.tries) };
const figures = [...INSTRUCTION_LOOPS]
  .filter(([name]) => positionals.length === 0 || positionals.some((word) => name.includes(word)))
  .map(([name, loop]) => ({ name, time: timePerGas(loop, measure) }))
  .sort((one, other) => other.time - one.time);
process.stdout.write(
  `Node ${process.versions.node}, load ${load()}; us of processor time for a unit of gas\n`,
);
for (const { name, time } of figures.filter(({ time }) => time > Number(values.above)))
  process.stdout.write(`${time.toFixed(2).padStart(8)}  ${name}\n`);
