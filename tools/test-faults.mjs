// `npm run test:faults`: the suites of hostile conditions by themselves, against the built dist; with `--long` far
// more of everything (a million fuzzed requests and documents, a minute of load, hundreds of kills).
import { spawnSync } from "node:child_process";

const args = process.argv.slice(2);
const long = args.includes("--long");
spawnSync(process.execPath, ["tools/ensure-built.mjs"], { stdio: "inherit" });
const { status } = spawnSync(
  "npx",
  [
    "--no-install",
    "vitest",
    "run",
    "--project",
    "system",
    "--project",
    "alone",
    "test/faults",
    ...args.filter((arg) => arg !== "--long"),
  ],
  { stdio: "inherit", env: { ...process.env, ...(long ? { FUNCTEZ_LONG: "1" } : {}) } },
);
process.exitCode = status ?? 1;
