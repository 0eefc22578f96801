// Times of the debugger, seen by a client of the Debug Adapter Protocol: `node bench/debugger.mjs` after a build. Medians
// in ms: from `launch` to the first stop, one step back, one step, one evaluation.
import { connect, deploy, functez, withSandbox } from "./debugged-sandbox.mjs";

const ROUNDS = 15;

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
const loopOf = (turns) => `export default () => {
  let sum = 0;
  for (let i = 0; i < ${turns}; i++) {
    sum += i % 7;
  }
  const rest = sum % 10;
  return new Response(String(rest));
};`;

const median = (times) => times.sort((one, other) => one - other)[times.length >> 1].toFixed(1);
async function time(times, act) {
  const begun = performance.now();
  await act();
  times.push(performance.now() - begun);
}

async function measure(name, operation, path, line, expression) {
  const [launches, back, step, looks] = [[], [], [], []];
  for (let round = 0; round < ROUNDS; round++) {
    const { ask, event, move, child } = connect();
    await ask("initialize");
    await time(launches, async () => {
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
    await time(back, () => go("stepBack"));
    await time(step, () => go("next"));
    await ask("evaluate", { expression, frameId: 1 });
    await time(looks, () => ask("evaluate", { expression, frameId: 1 }));
    await ask("disconnect");
    await new Promise((resolve) => child.once("close", resolve));
  }
  process.stdout.write(
    `${name}: launch to stop ${median(launches)}, step back ${median(back)}, step ${median(step)}, evaluate ${median(looks)} ms\n`,
  );
}

await withSandbox(async () => {
  const callee = deploy("callee", CALLEE);
  deploy("caller", callerOf(callee.address));
  const loop = deploy("loop", loopOf(60_000));
  // 31 M bytecodes, nearly as many events as a recording keeps.
  const long = deploy("long", loopOf(1_250_000));
  const nested = functez("run", "caller/").operation;
  const looped = functez("run", "loop/").operation;
  await measure("two nested calls", nested, callee.path, 3, "count + 1");
  await measure("loop of 60,000 turns", looped, loop.path, 6, "sum * 2");
  const longest = functez("run", "long/").operation;
  await measure("loop of 1,250,000 turns", longest, long.path, 6, "sum * 2");
});
