// `npm run test:faults`: only the suites of hostile conditions, against the built dist; with `--long` far more of
// everything (a million fuzzed requests and documents, a minute of load, hundreds of kills, 20,000 hostile programs,
// 30,000 schedules of operations, 100,000 random programs of Michelson, a hundred packages in smart functions, more
// versions of Node and package managers). Other arguments go to vitest, such as a file or `-t <name>`.
import { spawnSync } from "node:child_process";

const args = process.argv.slice(2);
const long = args.includes("--long");
const passedOn = args.filter((arg) => arg !== "--long");
const env = { ...process.env, ...(long ? { FUNCTEZ_LONG: "1" } : {}) };

/** One after the other: the first measures the time of single instructions, the second uses all processors, and the third
 * would judge that as slowness. */
const RUNS = [
  { projects: ["unit"], files: ["daemon/layer1/michelson/instruction-time.test.ts"] },
  {
    projects: ["unit*"],
    files: [
      "daemon/runtime/engine/hostile.test.ts",
      "daemon/runtime/engine/isolation.test.ts",
      "daemon/runtime/operations/schedules.test.ts",
      "daemon/layer1/michelson/random-programs.test.ts",
      "daemon/layer1/chain/hostile-bytes.test.ts",
      "daemon/runtime/debug",
    ],
  },
  {
    projects: ["system", "background", "container", "alone"],
    files: [
      ...["test/faults", "test/which-sandbox.test.ts", "test/container/kills.test.ts"],
      ...(long ? ["test/libraries", "test/package.test.ts"] : []),
    ],
  },
];

spawnSync(process.execPath, ["tools/ensure-built.mjs"], { stdio: "inherit" });
if (long) spawnSync("npm", ["ci", "--ignore-scripts", "--prefix", "tools/libraries"], { stdio: "inherit" });
for (const { projects, files } of RUNS) {
  const flags = projects.flatMap((project) => ["--project", project]);
  const command = ["--no-install", "vitest", "run", "--passWithNoTests", ...flags, ...files, ...passedOn];
  const { status } = spawnSync("npx", command, { stdio: "inherit", env });
  if (status !== 0) process.exitCode = status ?? 1;
}
