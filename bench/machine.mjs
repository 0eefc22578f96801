// Facts about the machine for the benchmarks: statistics, waiting for quiet, process trees and their memory (Linux).
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
export const load = () => Number(loadavg()[0].toFixed(2));

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return sorted.length % 2 ? sorted[Math.floor(middle)] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** The value below which that part of the values lies. */
export function percentile(values, part) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
}

const folders = [];
/** A folder that is removed when the run ends. */
export function temporaryFolder(name) {
  const folder = mkdtempSync(join(tmpdir(), `functez-bench-${name}-`));
  folders.push(folder);
  return folder;
}
process.on("exit", () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Home folder of all measured programs: some leave files there. */
export const benchHome = temporaryFolder("home");

function cpuTimes() {
  const fields = readFileSync("/proc/stat", "utf8").split("\n")[0].trim().split(/\s+/).slice(1).map(Number);
  return { idle: fields[3] + fields[4], all: fields.slice(0, 8).reduce((a, b) => a + b, 0) };
}

/** Waits until the machine was mostly idle for 300 ms, at most `limit` ms; returns the busy share. */
export async function quiet(limit = Number(process.env.QUIET_MS ?? 10_000)) {
  if (!existsSync("/proc/stat")) return 0;
  const end = performance.now() + limit;
  for (;;) {
    const before = cpuTimes();
    await sleep(300);
    const after = cpuTimes();
    const busy = 1 - (after.idle - before.idle) / Math.max(1, after.all - before.all);
    if (busy < 0.15 || performance.now() > end) return busy;
  }
}

function parents() {
  const found = new Map();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8");
      const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      if (state !== "Z") found.set(Number(name), Number(parent));
    } catch {
      // it has ended in the meantime
    }
  }
  return found;
}

/** A process and all its descendants. */
export function processTree(pid) {
  const all = parents();
  const tree = new Set(all.has(pid) ? [pid] : []);
  for (let grew = true; grew;) {
    grew = false;
    for (const [child, parent] of all) {
      if (tree.has(parent) && !tree.has(child)) {
        tree.add(child);
        grew = true;
      }
    }
  }
  return [...tree];
}

export const isAlive = (pid) => parents().has(pid);

/** Memory of a process tree in MiB, counting shared pages once (PSS). */
export function memoryOf(pid) {
  let kilobytes = 0;
  for (const member of processTree(pid)) {
    try {
      kilobytes += Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${member}/smaps_rollup`, "utf8"))[1]);
    } catch {
      // it has ended in the meantime
    }
  }
  return kilobytes / 1024;
}

const TICKS_PER_SECOND = 100; // of Linux, whatever its kernel's own rate

/** Processor time that a process tree has used, in seconds. */
export function cpuSeconds(pid) {
  let ticks = 0;
  for (const member of processTree(pid)) {
    const stat = readFileSync(`/proc/${member}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    ticks += Number(fields[11]) + Number(fields[12]);
  }
  return ticks / TICKS_PER_SECOND;
}

export function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

export function launch([command, ...args], { cwd, env = {}, stdio = ["ignore", "ignore", "ignore"] } = {}) {
  return spawn(command, args.map(String), {
    cwd,
    stdio: process.env.BENCH_OUTPUT ? "inherit" : stdio,
    env: { ...process.env, HOME: benchHome, HARDHAT_DISABLE_TELEMETRY_PROMPT: "true", ...env },
  });
}

/** Ends a process; returns how long that took and how many of its tree were left half a second later. */
export async function stop(child, limit = 10_000) {
  const tree = processTree(child.pid);
  const start = performance.now();
  const ended = new Promise((resolve) =>
    child.exitCode !== null || child.signalCode !== null ? resolve() : child.once("exit", resolve),
  );
  child.kill("SIGTERM");
  const inTime = await Promise.race([ended.then(() => true), sleep(limit).then(() => false)]);
  const ms = performance.now() - start;
  await sleep(500);
  const left = tree.filter((pid) => isAlive(pid));
  for (const pid of left) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // it has already ended
    }
  }
  return { ms: inTime ? ms : Infinity, left: left.length };
}
