// Finds the process that holds a port, where the system tells, and a free port to use instead. For error messages only.
import { execFile } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { createServer } from "node:net";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Name and pid of the process that listens on a TCP port, or undefined where the system does not tell. */
export async function portHolder(port: number): Promise<string | undefined> {
  try {
    if (process.platform === "linux") return holderFromProc(port);
    if (process.platform === "win32") return await holderFromNetstat(port);
    return await holderFromLsof(port);
  } catch {
    return undefined; // a detail of a message must never cause an error of its own
  }
}

function holderFromProc(port: number): string | undefined {
  const hexPort = port.toString(16).toUpperCase().padStart(4, "0");
  const inodes = new Set<string>();
  for (const table of ["/proc/net/tcp", "/proc/net/tcp6"]) {
    let lines: string[];
    try {
      lines = readFileSync(table, "utf8").split("\n").slice(1);
    } catch {
      continue; // no IPv6 in this kernel
    }
    for (const line of lines) {
      const [, local = "", , state, , , , , , inode = ""] = line.trim().split(/\s+/);
      if (state === "0A" && local.endsWith(`:${hexPort}`)) inodes.add(`socket:[${inode}]`);
    }
  }
  if (inodes.size === 0) return undefined;
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const links = readdirSync(`/proc/${pid}/fd`).map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`));
      if (links.some((link) => inodes.has(link))) {
        return `${readFileSync(`/proc/${pid}/comm`, "utf8").trim()} (process ${pid})`;
      }
    } catch {
      continue; // exited meanwhile, or another user's
    }
  }
  return undefined;
}

async function holderFromLsof(port: number): Promise<string | undefined> {
  const { stdout } = await run("lsof", ["-nP", `-iTCP:${port}`, "-sTCP:LISTEN", "-Fpc"], { timeout: 2000 });
  const pid = /^p(\d+)$/m.exec(stdout)?.[1];
  return pid && `${/^c(.+)$/m.exec(stdout)?.[1] ?? "a program"} (process ${pid})`;
}

async function holderFromNetstat(port: number): Promise<string | undefined> {
  const { stdout } = await run("netstat", ["-ano", "-p", "TCP"], { timeout: 4000, windowsHide: true });
  const pid = new RegExp(`:${port}\\s+\\S+\\s+LISTENING\\s+(\\d+)`).exec(stdout)?.[1];
  return pid && `process ${pid}`;
}

/** Ports of one sandbox are often neighbours, and those not bound yet would seem free. */
const DISTANCE = 10;

/** The first bindable port at some distance above the given one; undefined after 50 tries. */
export async function nextFreePort(host: string, port: number): Promise<number | undefined> {
  const first = port + DISTANCE;
  for (let candidate = first; candidate <= Math.min(first + 50, 65535); candidate++) {
    if (await canBind(host, candidate)) return candidate;
  }
  return undefined;
}

/** Whether a program on this machine could listen on the port now. */
export function canBind(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(false));
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve(true)));
  });
}
