// Times of the debugger, seen by a client of the Debug Adapter Protocol: `node bench/debugger.mjs` after a build. Medians
// in ms: from `launch` to the first stop, one step back, one step, one evaluation.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { root } from "./peers.mjs";

const ROUNDS = 15;
const home = mkdtempSync(join(tmpdir(), "functez-bench-"));
const env = { ...process.env, XDG_CONFIG_HOME: home, NO_COLOR: "1" };
const program = (name) => join(root, "dist", `${name}.mjs`);
const functez = (...args) => {
  const { stdout, stderr, status } = spawnSync(process.execPath, [program("functez"), "--json", ...args], {
    env,
  });
  if (status !== 0) throw new Error(String(stderr) || String(stdout));
  return stdout.length === 0 ? undefined : JSON.parse(String(stdout));
};

const CALLEE = `export default async (request) => {
  const count = (Kv.get("count") ?? 0) + 1;
  Kv.set("count", count);
  return new Response(String(count));
};`;
const callerOf = (callee) => `async function ask(path) {
  const response = await fetch("jstz://${callee}" + path);
  return response.text();
}
export default async () => {
  const one = await ask("/a");
  const two = await ask("/b");
  return new Response(one + two);
};`;
const LOOP = `export default () => {
  let sum = 0;
  for (let i = 0; i < 60000; i++) {
    sum += i % 7;
  }
  const rest = sum % 10;
  return new Response(String(rest));
};`;

/** A client of the protocol. */
function connect() {
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

const median = (times) => times.sort((one, other) => one - other)[times.length >> 1].toFixed(1);
async function timed(times, act) {
  const begun = performance.now();
  await act();
  times.push(performance.now() - begun);
}

async function measure(name, operation, path, line, expression) {
  const [launches, back, step, looks] = [[], [], [], []];
  for (let round = 0; round < ROUNDS; round++) {
    const { ask, event, move, child } = connect();
    await ask("initialize");
    await timed(launches, async () => {
      const initialized = event("initialized");
      await ask("launch", { operation });
      await initialized;
      await ask("setBreakpoints", { source: { path }, breakpoints: [{ line }] });
      await move("configurationDone");
    });
    await ask("setBreakpoints", { source: { path }, breakpoints: [] });
    await ask("stackTrace", { threadId: 1 });
    // A stop is reached once the stack is there.
    const go = async (command) => {
      await move(command);
      await ask("stackTrace", { threadId: 1 });
    };
    await timed(back, () => go("stepBack"));
    await timed(step, () => go("next"));
    await ask("evaluate", { expression, frameId: 1 });
    await timed(looks, () => ask("evaluate", { expression, frameId: 1 }));
    await ask("disconnect");
    await new Promise((resolve) => child.once("close", resolve));
  }
  process.stdout.write(
    `${name}: launch to stop ${median(launches)}, step back ${median(back)}, step ${median(step)}, evaluate ${median(looks)} ms\n`,
  );
}

const daemon = spawn(process.execPath, [program("sandboxd"), "run", "--lifeline", "--free-ports", "--json"], {
  env,
  stdio: ["pipe", "pipe", "inherit"],
});
try {
  const ready = await new Promise((resolve) =>
    createInterface({ input: daemon.stdout }).on("line", (line) => {
      if (line.startsWith('{"ready"')) resolve(JSON.parse(line));
    }),
  );
  env.FUNCTEZ_SANDBOX_URL = ready.sandboxd;
  functez("account", "create", "alice");
  const file = (name, code) => {
    const path = join(home, `${name}.js`);
    writeFileSync(path, code);
    return { path, address: functez("deploy", path, "--name", name).address };
  };
  const callee = file("callee", CALLEE);
  file("caller", callerOf(callee.address));
  const loop = file("loop", LOOP);
  const nested = functez("run", "caller/").operation;
  const looped = functez("run", "loop/").operation;
  await measure("two nested calls", nested, callee.path, 3, "count + 1");
  await measure("loop of 60,000 turns", looped, loop.path, 6, "sum * 2");
} finally {
  daemon.kill("SIGTERM");
  await new Promise((resolve) => daemon.once("close", resolve));
  rmSync(home, { recursive: true, force: true });
}
