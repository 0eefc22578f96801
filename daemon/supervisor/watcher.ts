// A small process that briefly outlives sandboxd: it holds a pipe from sandboxd, and when the pipe closes (sandboxd has
// exited, however it died) it ends the process group of an operator's program.
import { spawn } from "node:child_process";

/** Source of the watcher: waits for the end of its stdin, then ends the group (on Windows the tree). */
const SOURCE = `
const pid = Number(process.argv[1]);
process.stdin.on("end", end).on("close", end).on("error", end).resume();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => undefined);
let done = false;
function end() {
  if (done) return;
  done = true;
  if (process.platform === "win32") {
    require("node:child_process").spawnSync("taskkill", ["/pid", String(pid), "/t", "/f"], { windowsHide: true });
    process.exit(0);
  }
  const kill = (signal) => { try { process.kill(-pid, signal); return true; } catch { return false; } };
  if (!kill("SIGTERM")) process.exit(0);
  setTimeout(() => { kill("SIGKILL"); process.exit(0); }, 2000);
}
`;

/**
 * Starts a watcher for the process group of a child.
 * @returns a function that ends the watcher, for after an orderly stop of the child
 */
export function startWatcher(pid: number): () => void {
  const watcher = spawn(process.execPath, ["-e", SOURCE, String(pid)], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true, // signals to our own group (Ctrl-C in a terminal) must not reach it before the pipe closes
    windowsHide: true,
    env: { ELECTRON_RUN_AS_NODE: "1" },
  });
  watcher.unref();
  watcher.on("error", () => undefined); // an orderly stop works without a watcher
  return () => {
    watcher.kill("SIGKILL");
  };
}
