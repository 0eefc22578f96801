// Figures 1 to 3 and 14: start, accounts with balances, idle memory, exit; and leftovers after a kill.
import { spawn } from "node:child_process";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { rpc, startEvm } from "./evm.mjs";
import {
  benchHome,
  cpuSeconds,
  freePort,
  isAlive,
  launch,
  memoryOf,
  processTree,
  quiet,
  sleep,
  stop,
  temporaryFolder,
} from "./machine.mjs";
import { anvilLauncher, azurite, fastifyHello, miniflare } from "./peers.mjs";
import { answers, ask, keepAlive, until } from "./requests.mjs";
import { sandboxCommand, startSandbox } from "./sandbox.mjs";

const IDLE_MS = 3_000;

async function startServer(command, path) {
  const ports = [await freePort(), await freePort(), await freePort()];
  const started = performance.now();
  const child = launch(command(...ports));
  await answers(ports[0], path);
  return { child, started, startMs: performance.now() - started };
}

async function startLauncher() {
  const port = await freePort();
  const started = performance.now();
  const child = launch(anvilLauncher(port));
  await until(() => rpc(port, "eth_chainId"));
  return { child, port, started, startMs: performance.now() - started };
}

async function evmAccounts({ port, started }) {
  const agent = keepAlive(16);
  const accounts = await rpc(port, "eth_accounts", [], agent);
  await Promise.all(accounts.map((address) => rpc(port, "eth_getBalance", [address, "latest"], agent)));
  agent.destroy();
  return performance.now() - started;
}

async function sandboxAccounts({ control, started }) {
  const accounts = JSON.parse((await ask(control, "/accounts")).text);
  if (JSON.stringify(accounts).length < 500) throw new Error("/accounts lists no accounts");
  return performance.now() - started;
}

/** Like after an installation: later starts find the compiled code of this one. */
function startWithoutCodeCache() {
  rmSync(join(benchHome, ".config", "functez", "code-cache"), { recursive: true, force: true });
  return startSandbox();
}

const SUBJECTS = {
  "fastify hello": { start: () => startServer(fastifyHello, "/") },
  "functez, nothing compiled": { start: startWithoutCodeCache },
  functez: { start: () => startSandbox(), accounts: sandboxAccounts },
  hardhat: { start: () => startEvm("hardhat"), accounts: evmAccounts },
  anvil: { start: () => startEvm("anvil"), accounts: evmAccounts },
  "anvil by npm": { start: startLauncher, accounts: evmAccounts },
  ganache: { start: () => startEvm("ganache"), accounts: evmAccounts },
  miniflare: { start: () => startServer(miniflare, "/") },
  azurite: { start: () => startServer(azurite, "/devstoreaccount1?comp=list") },
};

/** @param {{ rounds: number, quick: boolean }} options quick omits the peers that no target names */
export async function measureStarts(samples, { rounds, quick }) {
  const skipped = quick ? ["ganache", "miniflare", "azurite"] : [];
  const names = Object.keys(SUBJECTS).filter((name) => !skipped.includes(name));
  for (let round = 0; round < rounds; round++) {
    for (const name of names) {
      await quiet();
      const { start, accounts } = SUBJECTS[name];
      let started;
      try {
        started = await start();
        samples.add(name, "start, ms", started.startMs);
        if (accounts) samples.add(name, "accounts, ms", await accounts(started));
        await sleep(IDLE_MS);
        samples.add(name, "idle memory, MiB", memoryOf(started.child.pid));
        const ended = await stop(started.child);
        samples.add(name, "SIGTERM to exit, ms", ended.ms);
        samples.add(name, "left after SIGTERM", ended.left);
      } catch (error) {
        samples.fail(name, error);
        if (started) await stop(started.child);
      }
    }
  }
  await measureIdle(samples, quick ? 10_000 : 60_000);
  await measureKill(samples);
}

const SETTLE_MS = 10_000;

/** Processor time of an idle sandbox. */
async function measureIdle(samples, forMs) {
  const { child } = await startSandbox();
  try {
    await sleep(SETTLE_MS);
    const before = cpuSeconds(child.pid);
    await sleep(forMs);
    const used = cpuSeconds(child.pid) - before;
    samples.add("functez", "idle CPU of one core, %", (100 * used) / (forMs / 1000));
  } catch (error) {
    samples.fail("functez, idle", error);
  } finally {
    await stop(child);
  }
}

const KILL_WAIT_MS = 15_000;

/** Kills a starter of the sandbox with SIGKILL: what is left once the sandbox had time to notice? */
async function measureKill(samples) {
  try {
    const ports = [await freePort(), await freePort(), await freePort()];
    const folder = temporaryFolder("kill");
    const code = `const { spawn } = require("node:child_process");
      spawn(process.argv[1], process.argv.slice(2), { stdio: ["pipe", "ignore", "ignore"] });
      setInterval(() => {}, 1000);`;
    const [node, ...rest] = [...sandboxCommand(ports), "--lifeline"];
    const starter = spawn(process.execPath, ["-e", code, node, ...rest], {
      stdio: "ignore",
      env: { ...process.env, HOME: folder, TMPDIR: folder },
    });
    await answers(ports[0], "/health", 200);
    const tree = processTree(starter.pid);
    starter.kill("SIGKILL");
    const end = performance.now() + KILL_WAIT_MS;
    while (tree.some((pid) => isAlive(pid)) && performance.now() < end) await sleep(100);
    samples.add(
      "functez",
      "processes left after SIGKILL of the parent",
      tree.filter((pid) => isAlive(pid)).length,
    );
    // Compiled code is kept on purpose, for the next start.
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
      (entry) => entry.isFile() && !entry.parentPath.endsWith("code-cache"),
    ).length;
    samples.add("functez", "files left after SIGKILL of the parent", files);
    const leftInHome = existsSync(join(benchHome, ".foundry")) ? 1 : 0;
    samples.add("anvil", "state folder left in the home folder", leftInHome);
  } catch (error) {
    samples.fail("functez, killed parent", error);
  }
}
