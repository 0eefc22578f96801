// Figure 18: the time that the command line itself takes, next to the bare start of Node, and its size.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { benchHome, quiet, stop } from "./machine.mjs";
import { functez, startSandbox } from "./sandbox.mjs";

/** Runs of each command per round: a single run is dominated by noise. */
const RUNS = 10;
const KIB = 1024;

export async function measureCli(samples, { rounds }) {
  const { shared, onDemand } = bundleSize(functez);
  samples.add("functez", "command line loaded for every command, KiB", shared / KIB);
  samples.add("functez", "command line loaded on demand, KiB", onDemand / KIB);

  const sandbox = await startSandbox();
  const env = {
    ...process.env,
    HOME: benchHome,
    XDG_CONFIG_HOME: benchHome,
    FUNCTEZ_SANDBOX_URL: `http://127.0.0.1:${sandbox.control}`,
  };
  const address = "tz1TGu6TN5GSez2ndXXeDX6LgUDvLzPLqgYV";
  const commands = [
    ["node", "`node -e 0`, ms", ["-e", "0"]],
    ["functez", "`functez --version`, ms", [functez, "--version"]],
    ["functez", "`functez account balance`, ms", [functez, "account", "balance", "-a", address]],
  ];
  try {
    for (let round = 0; round < rounds; round++) {
      await quiet();
      const times = new Map(commands.map(([, what]) => [what, 0]));
      for (let run = 0; run < RUNS; run++) {
        for (const [, what, args] of commands) times.set(what, times.get(what) + timeOf(args, env));
      }
      for (const [who, what] of commands) samples.add(who, what, times.get(what) / RUNS);
    }
  } finally {
    await stop(sandbox.child);
  }
}

function timeOf(args, env) {
  const started = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { env, encoding: "utf8" });
  if (status !== 0) throw new Error(`${args.join(" ")} ended with ${status}: ${stderr}`);
  return performance.now() - started;
}

/** Bytes of a bundle and of its imports: static, and dynamic. */
function bundleSize(entry) {
  const seen = new Map();
  function visit(file, isShared) {
    if (seen.has(file) && (seen.get(file) || !isShared)) return;
    seen.set(file, isShared);
    const text = readFileSync(file, "utf8");
    for (const [, dynamic, path] of text.matchAll(/(import\()?"(\.{1,2}\/[^"]+\.mjs)"/g)) {
      const target = join(dirname(file), path);
      if (existsSync(target)) visit(target, isShared && dynamic === undefined);
    }
  }
  visit(entry, true);
  const sum = (isShared) =>
    [...seen]
      .filter(([, shared]) => shared === isShared)
      .reduce((total, [file]) => total + readFileSync(file).length, 0);
  return { shared: sum(true), onDemand: sum(false) };
}
