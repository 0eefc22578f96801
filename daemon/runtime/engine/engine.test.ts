import { beforeAll, describe, expect, it } from "vitest";
import type { Engine } from "./engine.ts";
import { FIXED_NOW, loadEngine } from "./engine.ts";
import type { GuestStep } from "./guest-call.ts";
import { GuestError } from "./guest-error.ts";
import type { GuestHost, GuestRequest, GuestResponse } from "./host-ops.ts";
import { builtEngine, testEngine } from "./test-engine.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await testEngine();
}, 60_000);

const OPTIONS = { gas: 40_000_000, now: FIXED_NOW, seed: "seed" };
const SPECIFIER = "jstz://KT1Test";

function memoryHost(log: string[] = []): GuestHost {
  const store = new Map<string, string>();
  return {
    op(name, args) {
      const [a = "", b = ""] = args;
      if (name === "kv.get") return store.get(a);
      if (name === "kv.set") store.set(a, b);
      if (name === "kv.delete") store.delete(a);
      if (name === "kv.has") return store.has(a) ? "1" : "";
      if (name === "ledger.self") return "KT1Test";
      if (name === "ledger.balance") return "42";
      if (name === "ledger.transfer") throw new GuestError("Error", "InsufficientFunds");
      if (name === "console") log.push(`${a} ${b}`);
      return undefined;
    },
    fetch: () => undefined,
  };
}

const request = (over: Partial<GuestRequest> = {}): GuestRequest => ({
  url: "jstz://KT1Test/path?x=1",
  method: "GET",
  headers: [["referer", "tz1"]],
  body: null,
  ...over,
});

function run(
  code: string,
  over: Partial<GuestRequest> = {},
  host = memoryHost(),
): GuestStep & { gas: number } {
  const call = engine.open(code, SPECIFIER, OPTIONS);
  const step = call.invoke(host, request(over));
  call.close();
  return { ...step, gas: call.gasUsed() };
}

function bodyOf(step: GuestStep): string {
  if (step.kind !== "response") throw new Error(JSON.stringify(step));
  return String(step.response.body);
}

describe("a call", () => {
  it("answers with the handler's response", () => {
    const step = run(
      'export default (request) => new Response("hello " + request.url, { status: 201, headers: { a: "b" } });',
    );
    expect(step).toMatchObject({
      kind: "response",
      response: { status: 201, body: "hello jstz://KT1Test/path?x=1" },
    });
    expect((step as { response: GuestResponse }).response.headers).toEqual([
      ["a", "b"],
      ["content-type", "text/plain;charset=UTF-8"],
    ]);
  });

  it("reads the request's body, headers and URL", () => {
    const code = `export default async (r) => Response.json([await r.json(), r.headers.get("referer"), new URL(r.url).searchParams.get("x"), r.method]);`;
    expect(bodyOf(run(code, { method: "POST", body: '{"a":1}' }))).toBe('[{"a":1},"tz1","1","POST"]');
  });

  it("carries binary bodies unchanged in both directions", () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    const step = run("export default async (r) => new Response(await r.bytes());", {
      method: "POST",
      body: bytes,
    });
    expect(step.kind === "response" && step.response.body).toEqual(bytes);
  });

  it("keeps values in Kv and returns null for missing ones", () => {
    const code = `export default () => { Kv.set("a", { n: [1] }); const got = Kv.get("a"); Kv.delete("a");
      return Response.json([got, Kv.get("a"), Kv.has("a"), Kv.contains("a"), Object.isFrozen(Kv)]); };`;
    expect(bodyOf(run(code))).toBe('[{"n":[1]},null,false,false,true]');
  });

  it("raises host errors with their class and message", () => {
    const code = `export default () => { try { Ledger.transfer("tz1", 5) } catch (e) {
      return Response.json([e.constructor.name, e.message, Ledger.selfAddress, Ledger.balance("tz1")]) } };`;
    expect(bodyOf(run(code))).toBe('["Error","InsufficientFunds","KT1Test",42]');
  });

  it("starts every call from a fresh environment", () => {
    const code =
      "let n = 0; export default () => { n += 1; globalThis.m = (globalThis.m ?? 0) + 1; Array.prototype.x = 1; return new Response(`${n} ${m}`); };";
    expect(bodyOf(run(code))).toBe("1 1");
    expect(bodyOf(run(code))).toBe("1 1");
  });

  it("logs through the host with levels and readable objects", () => {
    const log: string[] = [];
    run(
      'export default () => { console.log("a", { message: "abc" }, [1, "b"]); console.error(new Map([[1, 2]])); return new Response(); };',
      {},
      memoryHost(log),
    );
    expect(log).toEqual(['info a { message: "abc" } [ 1, "b" ]', "error Map(1) { 1 => 2 }"]);
  });
});

describe("fetch", () => {
  const caller = `export default async (r) => {
    const [a, b] = await Promise.all([fetch("jstz://KT1Other/a", { method: "POST", body: "x" }), fetch("jstz://KT1Other/b")]);
    return new Response((await a.text()) + b.status); };`;

  it("hands requests to the host in order and resumes with answers in any order", () => {
    const seen: string[] = [];
    const call = engine.open(caller, SPECIFIER, OPTIONS);
    const host: GuestHost = {
      ...memoryHost(),
      fetch: (id, r) => void seen.push(`${id} ${r.method} ${r.url} ${String(r.body)}`),
    };
    const first = call.invoke(host, request());
    expect(seen).toEqual(["1 POST jstz://KT1Other/a x", "2 GET jstz://KT1Other/b null"]);
    expect(first).toEqual({ kind: "waiting", ids: [1, 2] });
    const answer: GuestResponse = { status: 200, statusText: "", headers: [["A", "b"]], body: "one" };
    expect(call.deliver(2, { ...answer, status: 404 })).toEqual({ kind: "waiting", ids: [1] });
    expect(bodyOf(call.deliver(1, answer))).toBe("one404");
    call.close();
  });

  it("accepts answers that the host gives at once, also from a nested call", () => {
    const callee = 'export default async (r) => new Response("callee of " + r.method);';
    const host: GuestHost = {
      ...memoryHost(),
      fetch: (_id, r) => {
        const nested = engine.open(callee, "jstz://KT1Other", OPTIONS);
        const step = nested.invoke(memoryHost(), r);
        nested.close();
        if (step.kind !== "response") throw new Error(step.kind);
        return step.response;
      },
    };
    expect(bodyOf(run(caller, {}, host))).toBe("callee of POST200");
  });

  it("rejects when the host delivers an error", () => {
    const call = engine.open(
      'export default () => fetch("tezos://x").catch((e) => new Response(e.name + e.message))',
      SPECIFIER,
      OPTIONS,
    );
    expect(call.invoke(memoryHost(), request()).kind).toBe("waiting");
    expect(bodyOf(call.deliver(1, new GuestError("TypeError", "Unsupported scheme 'tezos'")))).toBe(
      "TypeErrorUnsupported scheme 'tezos'",
    );
    call.close();
  });
});

describe("failures", () => {
  it.each([
    ["an uncaught error", 'export default () => { throw new RangeError("boom"); };', "THREW", "RangeError"],
    ["a rejected promise", 'export default async () => { throw new Error("boom"); };', "THREW", "Error"],
    ["a thrown string", 'export default () => { throw "boom"; };', "THREW", ""],
    ["a value that is not a Response", "export default () => 5;", "INVALID_RESPONSE", "TypeError"],
    ["an endless loop", "export default () => { for (;;); };", "GAS", "GasLimitExceeded"],
    [
      "an endless loop that catches everything",
      "export default () => { for (;;) try { for (;;); } catch {} finally { continue; } };",
      "GAS",
      "GasLimitExceeded",
    ],
    [
      "an endless chain of microtasks",
      "export default async () => { for (;;) await null; };",
      "GAS",
      "GasLimitExceeded",
    ],
    [
      "an endless chain of signals with a time limit",
      "export default async () => { for (;;) await new Promise((next) => { AbortSignal.timeout(1).onabort = next; }); };",
      "GAS",
      "GasLimitExceeded",
    ],
    [
      "a native loop",
      "export default () => { Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1); };",
      "GAS",
      "GasLimitExceeded",
    ],
    [
      "memory without end",
      "export default () => { const a = []; for (;;) a.push(new Uint8Array(1e6)); };",
      "MEMORY",
      "MemoryLimitExceeded",
    ],
    [
      "deep recursion",
      "export default () => { const f = () => f() + 1; return f(); };",
      "THREW",
      "RangeError",
    ],
    ["a promise that never settles", "export default () => new Promise(() => {});", "NEVER_SETTLED", "Error"],
    ["top level that throws", 'throw new TypeError("no"); export default 1;', "THREW", "TypeError"],
    ["a timer", "export default () => setTimeout(() => {}, 1);", "THREW", "NotSupported"],
  ])("%s ends with its own code, and the next call is unaffected", (_name, code, expected, name) => {
    const good = 'export default () => new Response("good " + [1, 2].length);';
    const before = run(good);
    const step = run(code);
    expect(step).toMatchObject({ kind: "failure", code: expected, class: name });
    expect(run(code)).toEqual(step);
    expect(run(good)).toEqual(before);
  });

  it("show the function, line and column of the program", () => {
    const step = run(
      'export default function main() {\n  inner();\n}\nfunction inner() {\n  throw new Error("boom");\n}\n',
    );
    expect(step.kind === "failure" && step.stack).toBe(
      "Error: boom\n    at inner (jstz://KT1Test:5:13)\n    at main (jstz://KT1Test:2:3)",
    );
  });
});

describe("the deploy-time check", () => {
  const check = (code: string): string => {
    const result = engine.check(code, { gas: 10_000_000, specifier: SPECIFIER });
    return result.ok ? "ok" : result.message;
  };

  it.each([
    ["export default () => new Response()", "ok"],
    ["await null; export default () => new Response()", "ok"],
    ['const r = await fetch("jstz://KT1X/"); export default () => r', "ok"],
    ["", "No default handler"],
    ["export default null", "No default handler"],
    [
      "export default 42",
      "Module namespace object expected 'default' property to be function but was Number",
    ],
    ['import x from "y"; export default () => x', "Import specifiers are not supported"],
    ['throw new TypeError("bad"); export default 1', "TypeError: Uncaught TypeError: bad"],
    ['throw "just a string"; export default 1', "Error: Uncaught just a string"],
    ['Kv.get("a"); export default () => 1', "NotSupported: Uncaught NotSupported: Kv is not supported"],
    [
      "console.log(1); export default () => 1",
      "NotSupported: Uncaught NotSupported: console is not supported",
    ],
    ["for (;;); export default () => 1", "GasLimitExceeded: the gas limit was reached"],
  ])("says of %j: %s", (code, expected) => {
    expect(check(code)).toBe(expected);
  });

  it("names syntax errors as such", () => {
    const result = engine.check("this is not js", { gas: 1_000_000, specifier: SPECIFIER });
    expect(result).toMatchObject({ ok: false, code: "SYNTAX" });
  });

  it("reports a long run while it runs", async () => {
    let slowCalls = 0;
    const own = await loadEngine({ directory: await builtEngine(), onSlow: () => (slowCalls += 1) });
    const toldIn = (turns: number): number => {
      slowCalls = 0;
      const code = `export default () => { for (let i = 0; i < ${turns}; i++); return new Response(); }`;
      const call = own.open(code, SPECIFIER, OPTIONS);
      expect(call.invoke(memoryHost(), request()).kind).toBe("response");
      call.close();
      return slowCalls;
    };
    expect(toldIn(10)).toBe(0);
    expect(toldIn(200_000)).toBeGreaterThan(5);
  });
});
