import { beforeAll, describe, expect, it } from "vitest";

import { amount } from "../../../test/support/long-run.ts";
import { type Engine, FIXED_NOW } from "./engine.ts";
import type { GuestStep } from "./guest-call.ts";
import type { GuestHost } from "./host-ops.ts";
import { testEngine } from "./test-engine.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await testEngine();
}, 60_000);

const SOAK_CALLS = amount(8_000, 20_000);

function host(): GuestHost {
  const store = new Map<string, string>();
  return {
    op(name, [a = "", b = ""]) {
      if (name === "kv.get") return store.get(a);
      if (name === "kv.set") store.set(a, b);
      return undefined;
    },
    fetch: () => ({ status: 200, statusText: "", headers: [], body: "" }),
  };
}

interface Run {
  readonly step: GuestStep;
  readonly gas: number;
}

function run(code: string, gas = 3_000_000, specifier = "jstz://KT1Test"): Run {
  const call = engine.open(code, specifier, { gas, now: FIXED_NOW, seed: "s" });
  const step = call.invoke(host(), { url: "jstz://KT1Test/", method: "GET", headers: [], body: null });
  call.close();
  return { step, gas: call.gasUsed() };
}

const body = ({ step }: Run): string => {
  if (step.kind !== "response") throw new Error(JSON.stringify(step));
  return String(step.response.body);
};

const REPORT = `export default async () => {
  const u = new URL("jstz://KT1Test/p?q=1"); Kv.set("k", [1, { a: 2 }]);
  const h = new Headers({ b: "1", a: "2" });
  return Response.json([u.search, Kv.get("k"), [...h], [3, 1, 2].sort(), await new Response("x").text(), typeof globalThis.evil, "evil" in {}]);
};`;

/** Each tries to reach or change something outside its own call. */
const ESCAPES: readonly (readonly [string, string])[] = [
  [
    "constructor chains of host values",
    `const f = Kv.get.constructor; return new Response(String(f("return typeof process + typeof require + typeof globalThis.Deno")()));`,
  ],
  [
    "constructor chains of functions",
    `return new Response(String((() => {}).constructor("return typeof process")()));`,
  ],
  [
    "async and generator constructors",
    `const G = Object.getPrototypeOf(function* () {}).constructor; const A = Object.getPrototypeOf(async () => {}).constructor;
    return new Response([...G("yield typeof process")()][0] + (await A("return typeof require")()));`,
  ],
  [
    "errors of the host",
    `try { new URL("::") } catch (e) { return new Response(String(e.constructor.constructor("return typeof process")())) }`,
  ],
  [
    "the host function itself",
    `return new Response(typeof __hostOp + typeof __control + typeof globalThis.hostOp);`,
  ],
  [
    "dynamic import",
    `try { await import("node:fs"); return new Response("imported") } catch (e) { return new Response("undefined") }`,
  ],
  [
    "prototype pollution",
    `Object.prototype.evil = 1; Array.prototype.map = Array.prototype[Symbol.iterator] = () => { throw 1 };
    JSON.parse = JSON.stringify = () => "evil"; Promise.prototype.then = () => {}; Headers.prototype.get = () => "evil"; return null;`,
  ],
  [
    "replaced globals",
    `globalThis.Response = globalThis.URL = globalThis.Kv = globalThis.Promise = class {}; globalThis.evil = 1; return null;`,
  ],
  [
    "thenables and getters in the response",
    `return { then(f) { f(new Proxy(new Response("x"), { get() { throw 1 } })) } };`,
  ],
  [
    "a body that changes while it is read",
    `const b = new Uint8Array(1e5); const r = new Response(b); b.fill(9); return r;`,
  ],
  ["oversized strings", `return new Response("x".repeat(2 ** 29));`],
  [
    "memory growth",
    `const a = []; for (let i = 0; i < 30; i++) a.push(new ArrayBuffer(1e6)); return new Response(String(a.length));`,
  ],
  ["too much memory, caught", `const a = []; for (;;) try { a.push("y".repeat(1e7) + a.length) } catch {}`],
  ["a wide array", `return new Response(String(new Array(1e9).fill(1).length));`],
  [
    "recursion through proxies",
    `let p = {}; for (let i = 0; i < 1e5; i++) p = new Proxy(p, {}); return new Response(String(p.x));`,
  ],
  ["deep JSON", `return new Response(String(JSON.parse("[".repeat(1e5) + "]".repeat(1e5)).length));`],
  ["a deep parser", `return new Response(String(eval("(".repeat(1e5) + "1" + ")".repeat(1e5))));`],
  ["an exponential regular expression", `return new Response(String(/^(a+)+$/.test("a".repeat(40) + "b")));`],
  ["a large power", `return new Response(String((3n ** 100000000n) % 7n));`],
  [
    "a hanging generator",
    `const g = (function* () { try { yield 1 } finally { for (;;); } })(); for (const x of g) break; return null;`,
  ],
  ["endless microtasks", `const f = () => Promise.resolve().then(f); f(); return new Promise(() => {});`],
  [
    "a finalizer",
    `new FinalizationRegistry(() => { globalThis.evil = 1 }).register({}, 1); return new Response("undefined");`,
  ],
  [
    "an endless stream",
    `return new Response(new ReadableStream({ pull(c) { c.enqueue(new Uint8Array(1e5)) } }));`,
  ],
  ["messages of odd shape to the host", `return new Response("x", { headers: { toString: "x" } });`],
];

describe("isolation", () => {
  it.each(ESCAPES)("%s stays inside its call", (_name, attempt) => {
    const good = run(REPORT);
    const code = `export default async (request) => { ${attempt} };`;
    const first = run(code);
    expect(run(REPORT)).toEqual(good);
    expect(run(code)).toEqual(first);
    if (first.step.kind === "response" && String(first.step.response.body).length < 100) {
      expect(body(first)).not.toMatch(/object|function|imported/);
    }
    expect(run(REPORT)).toEqual(good);
  });

  it("shares nothing between functions", () => {
    run(
      "globalThis.shared = 1; Object.prototype.shared = 1; export default () => new Response('');",
      3_000_000,
      "jstz://KT1A",
    );
    expect(body(run("export default () => new Response(typeof shared);", 3_000_000, "jstz://KT1B"))).toBe(
      "undefined",
    );
  });

  it("shows no passing time, so that one function cannot measure another", () => {
    const code =
      "export default () => { const a = [Date.now(), performance.now()]; for (let i = 0; i < 1e5; i++); return Response.json([Date.now() - a[0], performance.now() - a[1]]); };";
    expect(body(run(code, 30_000_000))).toBe("[0,0]");
  });

  it("isolates suspended callers from calls in between", () => {
    const code =
      'let n = 0; export default async () => { n++; globalThis.mark = n; const r = await fetch("jstz://KT1X/"); return new Response(`${n} ${mark} ${r.status}`); };';
    const waiting: GuestHost = { ...host(), fetch: () => undefined };
    const request = { url: "jstz://KT1Test/", method: "GET", headers: [], body: null };
    const calls = [1, 2, 3].map(() =>
      engine.open(code, "jstz://KT1Test", { gas: 3_000_000, now: FIXED_NOW, seed: "s" }),
    );
    for (const call of calls) expect(call.invoke(waiting, request).kind).toBe("waiting");
    run(ESCAPES[6]?.[1] ?? "");
    const answers = calls.map((call) =>
      call.deliver(1, { status: 204, statusText: "", headers: [], body: null }),
    );
    for (const call of calls) call.close();
    expect(answers.map((step) => (step.kind === "response" ? step.response.body : step.kind))).toEqual([
      "1 1 204",
      "1 1 204",
      "1 1 204",
    ]);
  });
});

describe("module evaluation", () => {
  it("is seen on each call: top-level reads of Kv are fresh", () => {
    const store = new Map([["n", "1"]]);
    const reader: GuestHost = {
      op: (name, [key = ""]) => (name === "kv.get" ? store.get(key) : undefined),
      fetch: () => undefined,
    };
    const code = 'const n = Kv.get("n"); export default () => new Response(String(n));';
    const once = (): Run => {
      const call = engine.open(code, "jstz://KT1Test", { gas: 3_000_000, now: FIXED_NOW, seed: "s" });
      const step = call.invoke(reader, { url: "jstz://KT1Test/", method: "GET", headers: [], body: null });
      call.close();
      return { step, gas: call.gasUsed() };
    };
    expect(body(once())).toBe("1");
    store.set("n", "2");
    expect(body(once())).toBe("2");
  });

  it("sees the clock of its own call", () => {
    const code = "const at = Date.now(); export default () => new Response(String(at));";
    const at = (now: number): string => {
      const call = engine.open(code, "jstz://KT1Test", { gas: 3_000_000, now, seed: "s" });
      const step = call.invoke(host(), { url: "jstz://KT1Test/", method: "GET", headers: [], body: null });
      call.close();
      return body({ step, gas: 0 });
    };
    expect([at(1_000), at(2_000), at(1_000)]).toEqual(["1000", "2000", "1000"]);
  });

  it("does not keep the image of a module that uses much memory", () => {
    const code =
      "const big = new Uint8Array(26e6).fill(1); export default () => new Response(String(big[5]));";
    const before = engine.statistics().functionImageBytes;
    const first = run(code, 3_000_000, "jstz://KT1Big");
    expect(body(first)).toBe("1");
    expect(run(code, 3_000_000, "jstz://KT1Big")).toEqual(first);
    expect(engine.statistics().functionImageBytes - before).toBeLessThan(10_000);
  });

  it("keeps the image of a module as large as the largest packages, and no call sees another", () => {
    const code =
      "const big = new Uint8Array(2e7).fill(1); export default () => { big[5] += 1; big[19e6] += 2; return new Response(`${big[5]} ${big[19e6]}`); };";
    const clean = run(REPORT);
    const before = engine.statistics().functionImageBytes;
    const first = run(code, 5_000_000, "jstz://KT1Large");
    expect(body(first)).toBe("2 3");
    expect(engine.statistics().functionImageBytes - before).toBeGreaterThan(2e7);
    expect(run(REPORT)).toEqual(clean);
    expect(run(code, 5_000_000, "jstz://KT1Large")).toEqual(first);
  });

  it("waits for top-level await, also on a fetch", () => {
    const code =
      'const r = await fetch("jstz://KT1X/"); export default () => new Response(`top ${r.status}`);';
    expect(body(run(code))).toBe("top 200");
  });

  it("costs the same gas on every call, with or without an image", () => {
    const code = `const table = Array.from({ length: 500 }, (_, i) => i * i); /* ${"x".repeat(100)} */ export default () => new Response(String(table[9]));`;
    const first = run(code, 3_000_000, "jstz://KT1Gas");
    const second = run(code, 3_000_000, "jstz://KT1Gas");
    expect(first).toEqual(second);
    expect(first.gas).toBeGreaterThan(5_000);
  });
});

describe("gas", () => {
  it("is exact at the limit", () => {
    const code = "export default () => new Response('x');";
    const { gas } = run(code);
    expect(run(code, gas).step.kind).toBe("response");
    expect(run(code, gas - 1).step).toMatchObject({ kind: "failure", code: "GAS" });
  });

  it("shows where a loop ran out of gas", () => {
    const { step } = run(
      "export default function main() {\n  spin();\n}\nfunction spin() {\n  for (;;);\n}\n",
      1_000_000,
    );
    expect(step.kind === "failure" && step.stack).toMatch(
      /at spin \(jstz:\/\/KT1Test:\d+:\d+\)\n {4}at main \(jstz:\/\/KT1Test:2:/,
    );
  });
});

describe("a soak of mixed calls", () => {
  it(`shows no deviation in ${SOAK_CALLS} calls with a hostile one in every 200`, () => {
    const good = run(REPORT);
    const hostile = ESCAPES.map(([, attempt]) => `export default async (request) => { ${attempt} };`);
    let deviations = 0;
    for (let index = 0; index < SOAK_CALLS; index += 1) {
      if (index % 200 === 199) run(hostile[Math.floor(index / 200) % hostile.length] as string, 500_000);
      const { step, gas } = run(REPORT);
      const same =
        gas === good.gas &&
        step.kind === "response" &&
        good.step.kind === "response" &&
        step.response.body === good.step.response.body;
      if (!same) deviations += 1;
    }
    expect(deviations).toBe(0);
    expect(engine.statistics().liveCalls).toBe(0);
    expect(engine.statistics().idleBytes).toBeLessThan(256 * 1024 * 1024);
  }, 300_000);
});
