import { beforeAll, describe, expect, it } from "vitest";

import { type Engine, FIXED_NOW } from "./engine.ts";
import { testEngine } from "./test-engine.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await testEngine();
}, 60_000);

/** Runs the body of an async function in a guest; the value passes through JSON. */
function evaluate(code: string): unknown {
  const source = `export default async (request) => Response.json(await (async () => { ${code} })());`;
  const call = engine.open(source, "jstz://KT1Test", { gas: 20_000_000, now: FIXED_NOW, seed: "s" });
  const step = call.invoke(
    { op: () => undefined, fetch: () => undefined },
    { url: "jstz://KT1Test/", method: "GET", headers: [], body: null },
  );
  call.close();
  if (step.kind !== "response") throw new Error(JSON.stringify(step));
  return JSON.parse(String(step.response.body));
}

describe("web APIs in a smart function", () => {
  it.each<[string, string, unknown]>([
    [
      "URL of smart functions",
      `const u = new URL("jstz://KT1AbC/a/../b?x=1#y"); return [u.host, u.pathname, u.search, u.searchParams.get("x")];`,
      ["KT1AbC", "/b", "?x=1", "1"],
    ],
    [
      "a stack set to anything, and import() of anything: errors remain errors",
      `const error = new Error("a"); error.stack = undefined; const text = new Error("b"); text.stack = "at b";
       const failed = await import("node:fs").catch((e) => [e instanceof TypeError, e.name, e.message]);
       const again = await import("node:fs").catch((e) => e.name);
       return ["stack" in error, error.stack ?? null, Object.keys(error), text.stack, failed, again];`,
      [true, null, [], "at b", [true, "TypeError", "Import specifiers are not supported"], "TypeError"],
    ],
    [
      "the order of texts, as English has it",
      `const refused = (step) => { try { return step(); } catch (error) { return error.name + ": " + error.message; } };
       return [["b", "A", "a", "B", "é", "z", "10", "9", "_", "Z"].sort((x, y) => x.localeCompare(y)),
         ["10", "9", "a2"].sort(new Intl.Collator("en", { numeric: true }).compare), "a".localeCompare("A", "en", { sensitivity: "base" }),
         refused(() => "a".localeCompare("b", "de")), refused(() => "i".toLocaleUpperCase("tr")), "straße".toLocaleUpperCase("de"),
         refused(() => new Intl.Collator("en", { caseFirst: "upper" })), "a".localeCompare("a"), refused(() => String.prototype.localeCompare.call(null, "a"))];`,
      [
        ["_", "10", "9", "a", "A", "b", "B", "é", "z", "Z"],
        ["9", "10", "a2"],
        0,
        "NotSupported: Intl knows only the locale en, not de",
        "NotSupported: toLocaleUpperCase knows only the locale en, not tr",
        "STRASSE",
        "NotSupported: Intl.Collator caseFirst is not supported",
        0,
        "TypeError: String.prototype.localeCompare called on null or undefined",
      ],
    ],
    [
      "the pieces of dates and numbers",
      `const date = new Date(Date.UTC(2024, 0, 5, 15, 4, 9));
       const dates = [{ dateStyle: "full", timeStyle: "long" }, { month: "short", day: "numeric" }, { hour: "numeric", hour12: true }, {}];
       const numbers = [[-1234.5, {}], [0.256, { style: "percent" }], [-99, { style: "currency", currency: "EUR" }], [NaN, {}], [1234567n, {}]];
       return [dates.map((o) => new Intl.DateTimeFormat("en", { ...o, timeZone: "UTC" }).formatToParts(date)),
         numbers.map(([n, o]) => new Intl.NumberFormat("en", o).formatToParts(n))];`,
      (() => {
        const date = new Date(Date.UTC(2024, 0, 5, 15, 4, 9));
        const dates: Intl.DateTimeFormatOptions[] = [
          { dateStyle: "full", timeStyle: "long" },
          { month: "short", day: "numeric" },
          { hour: "numeric", hour12: true },
          {},
        ];
        const numbers: [number | bigint, Intl.NumberFormatOptions][] = [
          [-1234.5, {}],
          [0.256, { style: "percent" }],
          [-99, { style: "currency", currency: "EUR" }],
          [NaN, {}],
          [1234567n, {}],
        ];
        return [
          // Newer data of the locale has a narrow no-break space before AM and PM.
          dates.map((options) =>
            new Intl.DateTimeFormat("en", { ...options, timeZone: "UTC" })
              .formatToParts(date)
              .map(({ type, value }) => ({ type, value: value.replace("\u202f", " ") })),
          ),
          numbers.map(([number, options]) => new Intl.NumberFormat("en", options).formatToParts(number)),
        ];
      })(),
    ],
    [
      "URL with a name in Unicode",
      `return new URL("https://bücher.example/").host;`,
      "xn--bcher-kva.example",
    ],
    [
      "searchParams change their URL",
      `const u = new URL("https://a/?x=1"); u.searchParams.append("y", "ü &"); return u.href;`,
      "https://a/?x=1&y=%C3%BC+%26",
    ],
    [
      "header names and values, ordinary and not",
      `const tell = (step) => { try { return step(); } catch (error) { return error.name; } };
       const value = (text) => tell(() => new Headers([["a", text]]).get("a"));
       const name = (text) => tell(() => [...new Headers({ [text]: "v" }).keys()][0]);
       return [value(" a b\\t"), value("\\ta\\n"), value("caf\\xe9 "), value("a\\tb"), value("a\\nb"), value("\\u0100"), value(""), value("  "),
         name("X-Some_Name!"), name("Referer"), name("a b"), name(""), name("\\u0100"), name("caf\\xe9")];`,
      [
        ...["a b", "a", "caf\xe9", "a\tb", "TypeError", "TypeError", "", ""],
        ...["x-some_name!", "referer", "TypeError", "TypeError", "TypeError", "TypeError"],
      ],
    ],
    [
      "the content type that a body implies, even after changes to the methods of Headers",
      `Headers.prototype.has = Headers.prototype.append = () => true;
       const type = (response) => response.headers.get("content-type");
       return [type(new Response("a")), type(Response.json(1)), type(new Response(new URLSearchParams("a=1"))),
         type(new Request("https://a/", { method: "POST", body: "a" })), type(new Response("a", { headers: { "Content-Type": "x/y" } })), type(new Response())];`,
      [
        "text/plain;charset=UTF-8",
        "application/json",
        "application/x-www-form-urlencoded;charset=UTF-8",
        "text/plain;charset=UTF-8",
        "x/y",
        null,
      ],
    ],
    [
      "no content type that a no-cors request may not have",
      `return [...new Request("https://a/", { method: "POST", mode: "no-cors", body: new Blob(["{}"], { type: "application/json" }) }).headers];`,
      [],
    ],
    [
      "URLPattern",
      `const p = new URLPattern({ pathname: "/users/:id" }); return p.exec("https://a/users/7").pathname.groups.id;`,
      "7",
    ],
    [
      "text encoding in both directions",
      `return [[...new TextEncoder().encode("é\\ud800")], new TextDecoder("utf-16le").decode(new Uint8Array([65, 0])), new TextDecoder("windows-1252").decode(new Uint8Array([0x80]))];`,
      [[195, 169, 239, 191, 189], "A", "€"],
    ],
    [
      "signals with a time limit, in their order, once nothing else is left to do",
      `const order = [];
       for (const ms of [50, 5, 50]) AbortSignal.timeout(ms).addEventListener("abort", () => order.push(ms));
       const last = AbortSignal.timeout(60);
       order.push("set", last.aborted);
       await new Promise((resolve) => { last.onabort = resolve; });
       return [...order, last.reason.name, Date.now() === new Date().getTime()];`,
      ["set", false, 5, 50, 50, "TimeoutError", true],
    ],
    [
      "signals with a time limit that follow one another",
      `let turns = 0;
       while (turns < 3) await new Promise((resolve) => { turns += 1; AbortSignal.timeout(10).onabort = resolve; });
       return turns;`,
      3,
    ],
    [
      "signals with an invalid time limit",
      `return [-1, NaN, Infinity].map((ms) => { try { AbortSignal.timeout(ms) } catch (e) { return e.name } });`,
      ["TypeError", "TypeError", "TypeError"],
    ],
    [
      "observers of marks and measures",
      `const seen = [];
       const observer = new PerformanceObserver((list, self, options) =>
         seen.push([list.getEntries().map((e) => e.name), self === observer, options.droppedEntriesCount]));
       observer.observe({ entryTypes: ["mark", "measure", "resource"] });
       performance.mark("b", { startTime: 2 }); performance.mark("a", { startTime: 1 });
       await null; observer.disconnect(); performance.mark("c"); await null;
       return [seen, PerformanceObserver.supportedEntryTypes];`,
      [[[["a", "b"], true, 0]], ["mark", "measure"]],
    ],
    [
      "no location, WebAssembly and shared memory",
      `return [typeof location, typeof WebAssembly, typeof SharedArrayBuffer, typeof Atomics];`,
      ["undefined", "undefined", "undefined", "undefined"],
    ],
    [
      "structuredClone",
      `const a = { d: new Date(5), m: new Map([[1, new Set([2])]]) }; a.self = a; const b = structuredClone(a); return [b !== a, b.self === b, b.d.getTime(), [...b.m.get(1)]];`,
      [true, true, 5, [2]],
    ],
    [
      "structuredClone of a function is refused",
      `try { structuredClone(() => 1) } catch (e) { return e.name }`,
      "DataCloneError",
    ],
    [
      "digest",
      `const d = await crypto.subtle.digest("SHA-256", new TextEncoder().encode("abc")); return [...new Uint8Array(d)].slice(0, 4);`,
      [0xba, 0x78, 0x16, 0xbf],
    ],
    [
      "compression and back",
      `const text = "functez ".repeat(500); const zip = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
      const packed = new Uint8Array(await new Response(zip).arrayBuffer());
      const out = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).text(); return [packed.length < 100, out === text];`,
      [true, true],
    ],
    [
      "data after the compressed data is refused",
      `try { await new Response(new Blob([new Uint8Array([1, 2, 3])]).stream().pipeThrough(new DecompressionStream("deflate"))).text() } catch (e) { return e.name }`,
      "TypeError",
    ],
    [
      "text streams",
      `const r = new Blob(["aé"]).stream().pipeThrough(new TextDecoderStream()).pipeThrough(new TextEncoderStream()); return await new Response(r).text();`,
      "aé",
    ],
    [
      "FormData through multipart",
      `const f = new FormData(); f.append("a", "1"); f.append("f", new Blob(["xy"], { type: "text/csv" }), "t.csv");
      const g = await new Response(f).formData(); const file = g.get("f"); return [g.get("a"), file.name, file.type, await file.text()];`,
      ["1", "t.csv", "text/csv", "xy"],
    ],
    [
      "messages between ports",
      `const { port1, port2 } = new MessageChannel(); const got = new Promise((r) => { port2.onmessage = (e) => r(e.data) }); port1.postMessage({ a: [1] }); return await got;`,
      { a: [1] },
    ],
    [
      "FileReader",
      `const r = new FileReader(); const done = new Promise((s) => { r.onload = s }); r.readAsDataURL(new Blob(["hi"], { type: "text/plain" })); await done; return r.result;`,
      "data:text/plain;base64,aGk=",
    ],
    [
      "abort signals",
      `const c = new AbortController(); const s = AbortSignal.any([c.signal]); let n = 0; s.onabort = () => n++; c.abort("why"); return [s.aborted, s.reason, n];`,
      [true, "why", 1],
    ],
    [
      "an aborted fetch rejects",
      `const c = new AbortController(); const p = fetch("jstz://KT1X/", { signal: c.signal }); c.abort(); return await p.catch((e) => e.name);`,
      "AbortError",
    ],
    [
      "user timing",
      `performance.mark("a"); performance.mark("b", { startTime: 5 }); return [performance.measure("m", "a", "b").duration, performance.getEntries().length];`,
      [4, 3],
    ],
    [
      "numbers as text",
      `return [(1234567.891).toLocaleString(), new Intl.NumberFormat("en-US", { style: "currency", currency: "USD" }).format(-5), (0.256).toLocaleString("en", { style: "percent" }), (12345678901234567890n).toLocaleString()];`,
      ["1,234,567.891", "-$5.00", "26%", "12,345,678,901,234,567,890"],
    ],
    [
      "dates as text",
      `const d = new Date(0); return [d.toLocaleString(), d.toLocaleDateString("en-US", { dateStyle: "long" }), new Intl.DateTimeFormat("en", { timeStyle: "short", timeZone: "UTC" }).format(d), String(d)];`,
      [
        "1/1/1970, 12:00:00 AM",
        "January 1, 1970",
        "12:00 AM",
        "Thu Jan 01 1970 00:00:00 GMT+0000 (Coordinated Universal Time)",
      ],
    ],
    [
      "other locales are refused by name",
      `try { new Intl.NumberFormat("de") } catch (e) { return [e.name, e instanceof NotSupported] }`,
      ["NotSupported", true],
    ],
    [
      "the fixed clock and random numbers of the runtime",
      `return [Date.now(), new Date().toISOString(), Math.random()];`,
      [1530380397121, "2018-06-30T17:39:57.121Z", 0.42],
    ],
    [
      "timers are refused by name",
      `try { setInterval(() => {}, 1) } catch (e) { return [e.name, e.message] }`,
      ["NotSupported", "'setInterval()' is not supported"],
    ],
    [
      "names of classes",
      `return [Blob, Headers, Request, Response, URL, AbortSignal, CustomEvent, ReadableStream].map((c) => [c.name, Object.prototype.toString.call(c.prototype)].join());`,
      ["Blob", "Headers", "Request", "Response", "URL", "AbortSignal", "CustomEvent", "ReadableStream"].map(
        (name) => `${name},[object ${name}]`,
      ),
    ],
    [
      "transfers by helper",
      `const r = Request.withTransfer("jstz://KT1X/", 5); const s = Response.withTransfer("x", 7); return [r.headers.get("x-jstz-transfer"), s.headers.get("X-JSTZ-TRANSFER")];`,
      ["5", "7"],
    ],
    [
      "GET with a body is refused",
      `try { new Request("jstz://KT1X/", { body: "x" }) } catch (e) { return e.name }`,
      "TypeError",
    ],
    [
      "nothing of the host",
      `return ["process", "require", "Buffer", "global", "Deno", "WebAssembly", "__hostOp", "__control", "SharedArrayBuffer"].filter((n) => n in globalThis);`,
      [],
    ],
  ])("%s", (_name, code, expected) => {
    expect(evaluate(code)).toEqual(expected);
  });
});

describe("instances", () => {
  it("that swelled are replaced, and the next call costs the same", () => {
    const before = engine.statistics().retiredInstances;
    const gasOf = (): number => {
      const call = engine.open("export default () => new Response('x')", "jstz://KT1Test", {
        gas: 1e6,
        now: FIXED_NOW,
        seed: "s",
      });
      call.invoke(
        { op: () => undefined, fetch: () => undefined },
        { url: "jstz://KT1Test/", method: "GET", headers: [], body: null },
      );
      call.close();
      return call.gasUsed();
    };
    const gas = gasOf();
    expect(
      evaluate("const a = []; for (let i = 0; i < 40; i++) a.push(new Uint8Array(1e6)); return a.length;"),
    ).toBe(40);
    expect(engine.statistics().retiredInstances).toBe(before + 1);
    expect(gasOf()).toBe(gas);
  });

  it("are limited in number, and released once", () => {
    const calls = Array.from({ length: 64 }, () =>
      engine.open("export default 1", "jstz://KT1Test", { gas: 1e6, now: FIXED_NOW, seed: "s" }),
    );
    expect(() =>
      engine.open("export default 1", "jstz://KT1Test", { gas: 1e6, now: FIXED_NOW, seed: "s" }),
    ).toThrow(RangeError);
    for (const call of calls) call.close();
    calls[0]?.close();
    expect(engine.statistics().liveCalls).toBe(0);
  });
});
