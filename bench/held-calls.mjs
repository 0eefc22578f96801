// Times of calls while a debugger holds them, from a client's view: `node bench/held-calls.mjs` after a build. Medians in
// ms of a signed call up to its receipt: without a debugger, attached without `hold`, and held with a breakpoint that
// the call does not come to. The three take turns, so that a busy machine slows all of them.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { root } from "./peers.mjs";

const ROUNDS = 3;
const CALLS = 15;
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

const COUNTER = `export default () => {
  const count = (Kv.get("count") ?? 0) + 1;
  Kv.set("count", count);
  if (count < 0) {
    Kv.set("never", true);
  }
  return new Response(String(count));
};`;

/** A debugger with a breakpoint that no call comes to. @returns what ends it */
async function attach(args, path) {
  const child = spawn(process.execPath, [program("functez"), "debug", "--dap"], {
    env,
    stdio: ["pipe", "pipe", "inherit"],
  });
  let seq = 0;
  let text = "";
  const waiting = [];
  const take = (bytes) => {
    text += bytes;
    for (let wanted = waiting[0]; wanted && text.includes(wanted.text); wanted = waiting[0]) {
      text = text.slice(text.indexOf(wanted.text) + wanted.text.length);
      waiting.shift().resolve();
    }
  };
  child.stdout.on("data", take);
  const seen = (wanted) =>
    new Promise((resolve) => {
      waiting.push({ text: wanted, resolve });
      take("");
    });
  const ask = (command, fields) => {
    const body = JSON.stringify({ seq: ++seq, type: "request", command, arguments: fields });
    const answered = seen(`"request_seq":${seq}`);
    child.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
    return answered;
  };
  await ask("initialize", {});
  await ask("attach", args);
  await seen('"initialized"');
  await ask("setBreakpoints", { source: { path }, breakpoints: [{ line: 5 }] });
  await ask("configurationDone", {});
  return async () => {
    const closed = new Promise((resolve) => child.once("close", resolve));
    child.stdin.end();
    await closed;
  };
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
  const path = join(home, "counter.js");
  writeFileSync(path, COUNTER);
  functez("account", "create", "alice");
  const { address } = functez("deploy", path, "--name", "counter");
  const call = async () => {
    const begun = performance.now();
    const answer = await fetch(`${ready.sandboxd}/runtime/operations`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ from: "bootstrap1", url: `jstz://${address}/` }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(text);
    return performance.now() - begun;
  };
  const times = { alone: [], attached: [], held: [] };
  for (let round = 0; round < ROUNDS; round++)
    for (const [name, args] of [
      ["alone", undefined],
      ["attached", {}],
      ["held", { hold: true }],
    ]) {
      const end = args === undefined ? undefined : await attach(args, path);
      for (let i = 0; i < 3; i++) await call();
      for (let i = 0; i < CALLS; i++) times[name].push(await call());
      await end?.();
    }
  const median = (list) => list.sort((one, other) => one - other)[list.length >> 1];
  for (const [name, list] of Object.entries(times))
    process.stdout.write(`${name}: ${median(list).toFixed(1)} ms a call\n`);
} finally {
  daemon.kill("SIGTERM");
  await new Promise((resolve) => daemon.once("close", resolve));
  rmSync(home, { recursive: true, force: true });
}
