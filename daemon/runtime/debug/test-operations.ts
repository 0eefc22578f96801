// Programs and random operations on them, for tests that run operations twice.
import { runContent } from "../test-node.ts";
import type { RecordedRuntime } from "./test-recorded.ts";

/** Counts, throws, logs, sends tez back, and uses up what it gets. */
export const CALLEE = `
const handlers = {
  "/add": (url) => { const n = (Kv.get("n") ?? 0) + Number(url.searchParams.get("n")); Kv.set("n", n); return n; },
  "/delete": () => { Kv.delete("n"); return "gone"; },
  "/log": () => { console.log("log", Kv.get("n")); console.error("twice"); return 1; },
  "/throw": () => { Kv.set("n", -1); throw new TypeError("on purpose"); },
  "/loop": () => { let sum = 0; for (let i = 0; i < 20000; i++) sum += i; return sum; },
  "/memory": () => { const all = []; for (let i = 0; ; i++) all.push(new Array(10000).fill(i)); },
  "/random": () => [...crypto.getRandomValues(new Uint8Array(4))].join() + Math.random(),
  "/time": () => Date.now(),
  "/deep": () => { const down = (n) => 1 + down(n + 1); return down(0); },
  "/native": () => { const down = () => [1].map(down); return down(); },
  "/rows": () => [...(function* () { for (let i = 0; i < 50; i++) yield i; })()].join(),
  "/eval": () => new Function("return [1, 2].map((n) => n * 2).join()")(),
  "/import": async () => (await import("other")).x,
  "/json": () => JSON.parse("{"),
  "/big": () => "x".repeat(20000),
  "/create": async () => SmartFunction.create("export default () => new Response('made')"),
};
export default async (request) => {
  const url = new URL(request.url);
  const handler = handlers[url.pathname];
  if (!handler) return new Response("no such path", { status: 404 });
  if (url.searchParams.has("back"))
    return new Response("back", { headers: { "X-JSTZ-TRANSFER": url.searchParams.get("back") } });
  return new Response(String(await handler(url)));
};`;

/** Calls another function, catches its failure or not, sends it tez, calls twice at once. */
export const CALLER = `
export default async (request) => {
  const url = new URL(request.url);
  const to = url.searchParams.get("to");
  const path = url.pathname + url.search;
  Kv.set("before", path);
  const headers = url.searchParams.has("tez") ? { "X-JSTZ-TRANSFER": url.searchParams.get("tez") } : {};
  if (url.searchParams.has("twice")) {
    const both = await Promise.all([1, 2].map(() => fetch("jstz://" + to + path)));
    return new Response((await Promise.all(both.map((each) => each.text()))).join("+"));
  }
  const response = await fetch(new Request("jstz://" + to + path, { headers }));
  if (url.searchParams.has("pay")) Ledger.transfer(to, url.searchParams.get("pay"));
  const text = await response.text();
  Kv.set("after", text.length);
  if (url.searchParams.has("strict") && !response.ok) throw new Error("callee failed: " + response.status);
  return new Response(Date.now() + ":" + text, { status: response.ok ? 200 : response.status });
};`;

/** Asks the outside before it looks at its state. */
export const OUTSIDE = `
export default async (request) => {
  const { pathname } = new URL(request.url);
  if (pathname === "/count") { Kv.set("count", (Kv.get("count") ?? 0) + 1); return new Response("counted"); }
  const names = pathname === "/two" ? ["a", "b"] : ["a"];
  const answers = await Promise.all(names.map((name) => fetch("https://example.com/" + name)));
  const texts = await Promise.all(answers.map((each) => each.text()));
  if (pathname === "/after") Kv.set("told", texts);
  return new Response(texts.join(" ") + " " + (Kv.get("count") ?? 0));
};`;

/** Deterministic pseudo-random numbers below a bound. */
function dice(seed: number): (bound: number) => number {
  let state = seed >>> 0 || 1;
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}

/** @returns the hashes of the operations that have an outcome, each once */
export async function randomOperations(
  runtime: RecordedRuntime,
  count: number,
  seed: number,
): Promise<string[]> {
  const roll = dice(seed);
  const one = <T>(list: readonly T[]): T => list[roll(list.length)]!;
  const users = ["a", "b", "c"];
  for (const user of users) runtime.deposit(user, 1_000_000_000n);
  const callees = [runtime.deploy("a", CALLEE, 1_000n), runtime.deploy("b", CALLEE, 500n)];
  const callers = [runtime.deploy("a", CALLER, 1_000n), runtime.deploy("c", CALLER)];
  const outside = runtime.deploy("c", OUTSIDE);
  const paths = [
    "/add",
    "/delete",
    "/log",
    "/throw",
    "/loop",
    "/memory",
    "/random",
    "/rows",
    "/eval",
    "/import",
    "/json",
    "/time",
    "/big",
    "/create",
  ];
  const queries = ["", "&back=3", "&tez=5", "&pay=7", "&pay=99999999", "&twice=1", "&strict=1"];

  function call(): ReturnType<typeof runContent> {
    const path = one(roll(6) === 0 ? ["/none", "/memory"] : paths.filter((each) => each !== "/memory"));
    const query = `?n=${roll(5)}${one(queries)}`;
    const target = roll(2) === 0 ? one(callees) : one(callers);
    const uri = `jstz://${target}${path}${query}&to=${one([...callees, ...callers])}`;
    const headers: Record<string, string> = roll(4) === 0 ? { "X-JSTZ-TRANSFER": `${1 + roll(9)}` } : {};
    const content = runContent(uri, { headers });
    // Some run out of gas, at any place.
    return roll(5) === 0 ? ({ ...content, gasLimit: BigInt(1 + roll(40)) } as typeof content) : content;
  }

  for (let i = 0; i < count; i++) {
    switch (roll(12)) {
      case 0:
        runtime.send(one(users), runContent(`jstz://${outside}/${one(["two", "one", "after", "count"])}`));
        break;
      case 1: {
        const [waiting] = runtime.asked.splice(roll(runtime.asked.length), 1);
        waiting?.answer({ status: 200, statusText: "OK", headers: [["x-n", `${i}`]], body: `answer ${i}` });
        await new Promise((resolve) => setImmediate(resolve));
        break;
      }
      case 2:
        runtime.deposit(one(users), BigInt(1 + roll(1_000)));
        break;
      case 3:
        runtime.sendStale(one(users), call());
        break;
      default:
        runtime.send(one(users), call());
    }
  }
  for (const waiting of runtime.asked.splice(0)) {
    waiting.answer({ status: 503, statusText: "", headers: [], body: null });
    await new Promise((resolve) => setImmediate(resolve));
  }
  return [...runtime.outcomes.keys()];
}
