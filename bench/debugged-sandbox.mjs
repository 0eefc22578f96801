// A sandbox of its own and clients of the Debug Adapter Protocol, for the benchmarks of the debugger.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { root } from "./peers.mjs";

const home = mkdtempSync(join(tmpdir(), "functez-bench-"));
const env = { ...process.env, XDG_CONFIG_HOME: home, NO_COLOR: "1" };
const program = (name) => join(root, "dist", `${name}.mjs`);

/** @returns the command's JSON */
export function functez(...args) {
  const { stdout, stderr, status } = spawnSync(process.execPath, [program("functez"), "--json", ...args], {
    env,
  });
  if (status !== 0) throw new Error(String(stderr) || String(stdout));
  return stdout.length === 0 ? undefined : JSON.parse(String(stdout));
}

/** Writes a function to a file and deploys it. */
export function deploy(name, code) {
  const path = join(home, `${name}.js`);
  writeFileSync(path, code);
  return { path, address: functez("deploy", path, "--name", name).address };
}

/** A client of the protocol. */
export function connect() {
  const child = spawn(process.execPath, [program("functez"), "debug", "--dap"], {
    env,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const waiting = [];
  let seq = 0;
  let text = Buffer.alloc(0);
  child.stdout.on("data", (bytes) => {
    text = Buffer.concat([text, bytes]);
    for (let end = text.indexOf("\r\n\r\n"); end >= 0; end = text.indexOf("\r\n\r\n")) {
      const length = Number(/\d+/.exec(text.toString("latin1", 0, end))[0]);
      if (text.length < end + 4 + length) return;
      const message = JSON.parse(text.toString("utf8", end + 4, end + 4 + length));
      text = text.subarray(end + 4 + length);
      const at = waiting.findIndex(({ wanted }) => wanted(message));
      if (at >= 0) waiting.splice(at, 1)[0].resolve(message.body);
    }
  });
  const message = (wanted) => new Promise((resolve) => waiting.push({ wanted, resolve }));
  const event = (name) => message((each) => each.event === name);
  const ask = (command, args = {}) => {
    const number = ++seq;
    const body = JSON.stringify({ seq: number, type: "request", command, arguments: args });
    child.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
    return message((each) => each.type === "response" && each.request_seq === number);
  };
  const move = async (command, args) => {
    const stopped = event("stopped");
    await ask(command, { threadId: 1, ...args });
    return stopped;
  };
  return { ask, event, move, child };
}

/** Runs `act` with the endpoints of a new sandbox and an account; ends the sandbox afterwards. */
export async function withSandbox(act) {
  const daemon = spawn(
    process.execPath,
    [program("sandboxd"), "run", "--lifeline", "--free-ports", "--json"],
    {
      env,
      stdio: ["pipe", "pipe", "inherit"],
    },
  );
  try {
    const ready = await new Promise((resolve) =>
      createInterface({ input: daemon.stdout }).on("line", (line) => {
        if (line.startsWith('{"ready"')) resolve(JSON.parse(line));
      }),
    );
    env.FUNCTEZ_SANDBOX_URL = ready.sandboxd;
    functez("account", "create", "alice");
    await act(ready);
  } finally {
    daemon.kill("SIGTERM");
    await new Promise((resolve) => daemon.once("close", resolve));
    rmSync(home, { recursive: true, force: true });
  }
}
