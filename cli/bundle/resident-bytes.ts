// How much memory a process occupies. Node.js knows that of its own process only.
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";

/** Resident memory of a process in bytes; undefined when it has ended, or the system does not say. */
export async function residentBytes(pid: number): Promise<number | undefined> {
  if (process.platform === "linux") {
    return inBytes(/^VmRSS:\s*(\d+) kB$/m.exec(statusOf(pid))?.[1]);
  }
  if (process.platform === "win32") {
    const line = await outputOf("tasklist", ["/FI", `PID eq ${pid}`, "/FO", "CSV", "/NH"]);
    // The last column, such as "12,345 K". The separator is that of the user's language.
    return inBytes(/"([^"]*)K"\s*$/.exec(line)?.[1]?.replace(/\D/g, ""));
  }
  return inBytes((await outputOf("ps", ["-o", "rss=", "-p", String(pid)])).trim());
}

/** At once: it comes from memory, and a read in the background would come late while the process grows. */
function statusOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, "utf8");
  } catch {
    return ""; // it has ended
  }
}

const inBytes = (kib: string | undefined): number | undefined =>
  kib === undefined || !/^\d+$/.test(kib) ? undefined : Number(kib) * 1024;

const outputOf = (program: string, args: readonly string[]): Promise<string> =>
  new Promise((resolve) => {
    execFile(program, args, { windowsHide: true, timeout: 5_000 }, (error, stdout) =>
      resolve(error ? "" : stdout),
    );
  });
