// Times of calls while a debugger holds them, from a client's view: `node bench/held-calls.mjs` after a build. Medians in
// ms of a signed call up to its receipt: without a debugger, attached without `hold`, and held with a breakpoint that
// the call does not come to. The three take turns, so that a busy machine slows all of them. Once with a pause after each
// call, as a person calls, and once without: then the debugger looks at each call while the next one runs.
import { connect, deploy, withSandbox } from "./debugged-sandbox.mjs";

const ROUNDS = 3;
const CALLS = 15;
const PAUSES_MS = [100, 0];

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
  const { ask, event, child } = connect();
  await ask("initialize");
  const initialized = event("initialized");
  await ask("attach", args);
  await initialized;
  await ask("setBreakpoints", { source: { path }, breakpoints: [{ line: 5 }] });
  await ask("configurationDone");
  return async () => {
    const closed = new Promise((resolve) => child.once("close", resolve));
    child.stdin.end();
    await closed;
  };
}

await withSandbox(async (ready) => {
  const { path, address } = deploy("counter", COUNTER);
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
  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  const times = new Map();
  for (let round = 0; round < ROUNDS; round++)
    for (const [name, args] of [
      ["alone", undefined],
      ["attached", {}],
      ["held", { hold: true }],
    ]) {
      const end = args === undefined ? undefined : await attach(args, path);
      for (const ms of PAUSES_MS) {
        const key = `${name}, ${ms} ms apart`;
        for (let i = 0; i < 3; i++) await call();
        await pause(ms);
        for (let i = 0; i < CALLS; i++) {
          times.set(key, [...(times.get(key) ?? []), await call()]);
          await pause(ms);
        }
      }
      await end?.();
    }
  const median = (list) => list.sort((one, other) => one - other)[list.length >> 1];
  for (const [name, list] of times) process.stdout.write(`${name}: ${median(list).toFixed(1)} ms a call\n`);
});
