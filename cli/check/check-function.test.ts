import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LIMITS } from "../../daemon/protocol/real-runtime.ts";
import { FINDINGS } from "../../daemon/protocol/runtime-findings.ts";
import { processorTime } from "../../test/support/processor-time.ts";
import { loadFunction } from "../bundle-function.ts";
import { checkFunction } from "./check-function.ts";

const HANDLER = "export default () => new Response();";

/** Code, severity, line and column of the findings in plain JavaScript. */
function find(code: string): string[] {
  const findings = checkFunction({ code, file: "/function.js", bundled: false, inputs: [], absent: [] });
  return findings.map(({ code: kind, severity, place }) =>
    [kind, severity, ...(place ? [`${place.line}:${place.column}`] : [])].join(" "),
  );
}
const inHandler = (body: string): string[] => find(`export default async (request) => {\n${body}\n};`);

it.each([
  ["a sum", `${"1+".repeat(20_000)}1`],
  ["lists", `${"[".repeat(20_000)}${"]".repeat(20_000)}`],
  ["functions", `${"()=>".repeat(20_000)}1`],
  ["calls", `(()=>1)${"()".repeat(20_000)}`],
])("reports endlessly nested %s as too deep, and does not fail", (_, expression) => {
  expect(find(`export default () => new Response(${expression});`)).toEqual(["SYNTAX warning 1:1"]);
});

it("lists the first of very many findings of one kind, with their number", () => {
  const lines = Array.from({ length: 30_000 }, (_, i) => `  Kv.has("${i}"); Date.now();`);
  const begun = processorTime();
  const findings = find(`export default () => {\n${lines.join("\n")}\n};`);
  expect(processorTime() - begun).toBeLessThan(5_000);
  expect(findings).toHaveLength(1_002);
  expect(findings.filter((finding) => finding.startsWith("KV_HAS error"))).toHaveLength(501);
  expect(findings.slice(-2)).toEqual(["KV_HAS error", "FIXED_VALUE note"]);
});

it("does not parse excessively long code", () => {
  const begun = processorTime();
  const [long] = checkFunction({
    code: `${HANDLER}\n[${"1,".repeat(1_700_000)}];`,
    file: "/function.js",
    bundled: false,
    inputs: [],
    absent: [],
  });
  expect(long).toMatchObject({ code: "SYNTAX", severity: "warning" });
  expect(long!.message).toContain("at most 3145728");
  expect(processorTime() - begun).toBeLessThan(500);
});

describe("finds", () => {
  it.each([
    ["crypto.getRandomValues(new Uint8Array(4));", "MISSING_GLOBAL error 2:1"],
    ["return new URLSearchParams(request.url);", "MISSING_GLOBAL error 2:12"],
    ["return Buffer.from('a').toString('hex');", "MISSING_GLOBAL error 2:8"],
    ["return RegExp.escape('a.b');", "MISSING_GLOBAL error 2:8"],
    ["const { escape } = RegExp, safe = RegExp.escape; return safe('a.b');", "MISSING_GLOBAL error 2:35"],
    ["return RegExp.escape.call(null, 'a.b');", "MISSING_GLOBAL error 2:8"],
    ["return new Uint8Array(4).toHex();", "MISSING_GLOBAL error 2:26"],
    ["const bytes = new TextEncoder().encode('a'); return bytes.toBase64();", "MISSING_GLOBAL error 2:59"],
    ["return Uint8Array.of(1, 2).slice(1).toBase64();", "MISSING_GLOBAL error 2:37"],
    ["const all = new Map(); all.getOrInsert('a', []).push(1);", "MISSING_GLOBAL error 2:28"],
    [
      "return Map.groupBy(request.all, String).getOrInsertComputed('a', () => 1);",
      "MISSING_GLOBAL error 2:41",
    ],
    ["return Map.prototype.getOrInsert.call(request.map, 'a', 1);", "MISSING_GLOBAL error 2:22"],
    ["return [1, 2].values().map(String).join();", "MISSING_GLOBAL error 2:36"],
    ["function* two() { yield 1; } return two().chunks(2);", "MISSING_GLOBAL error 2:43"],
    ["return Iterator.zip([[1], [2]]);", "MISSING_GLOBAL error 2:8"],
    ["return { [Symbol.dispose]() {} };", "MISSING_GLOBAL error 2:11"],
    ["return class { async [Symbol.asyncDispose]() {} };", "MISSING_GLOBAL error 2:23"],
    ["{ using file = request.file; }", "SYNTAX error 2:3"],
    ["counter = 1;", "MISSING_GLOBAL error 2:1"],
    ["globalThis.crypto.randomUUID();", "MISSING_GLOBAL error 2:12"],
    ["new self.WebSocket('wss://a');", "MISSING_GLOBAL error 2:10"],
    ["try { process.exit(); } catch {}", "MISSING_GLOBAL warning 2:7"],
    ["await new Promise((done) => setTimeout(done, 10));", "THROWING_GLOBAL error 2:29"],
    ["return Response.json(typeof location);", "THROWING_GLOBAL error 2:29"],
    ["if (Kv.has('a')) return new Response();", "KV_HAS error 2:8"],
    ["const { has } = Kv; return has('a');", "KV_HAS error 2:9"],
    ["await fetch('jstz://jstz/withdraw', { method: 'POST' });", "WITHDRAWAL error 2:13"],
    ["await fetch(`jstz://jstz/fa-withdraw?${request.url}`);", "WITHDRAWAL error 2:13"],
    ["return import('node:fs');", "LATE_IMPORT error 2:8"],
    ["Kv.get('a'); return fetch('https://a.b/');", "OUTSIDE_AFTER_STATE error 2:21"],
    [
      "const url = `https://a.b/${request.url}`; Ledger.balance('tz1'); await fetch(url);",
      "OUTSIDE_AFTER_STATE error 2:72",
    ],
    [
      "if (request.url) Kv.get('a'); else Kv.set('a', 1); await fetch(new URL('http://a.b'));",
      "OUTSIDE_AFTER_STATE error 2:58",
    ],
    ["return Response.json(Date.now() + Math.random());", "FIXED_VALUE note 2:22"],
    ["return Response.json(new Date());", "FIXED_VALUE note 2:22"],
  ])("%s", (body, expected) => {
    expect(inHandler(body)[0]).toBe(expected);
  });

  it.each([
    [`console.log("loaded"); ${HANDLER}`, "TOP_LEVEL_ACCESS error 1:1"],
    [`const first = Kv.get("first"); ${HANDLER}`, "TOP_LEVEL_ACCESS error 1:15"],
    [`const self_ = Ledger.selfAddress; ${HANDLER}`, "TOP_LEVEL_ACCESS error 1:15"],
    [`(() => { Kv.set("a", 1); })(); ${HANDLER}`, "TOP_LEVEL_ACCESS error 1:10"],
    [`load(); function load() { Kv.get("a"); } ${HANDLER}`, "TOP_LEVEL_ACCESS error 1:27"],
    [`class A { static a = Kv.get("a"); } ${HANDLER}`, "TOP_LEVEL_ACCESS error 1:22"],
    [`import fs from "node:fs"; ${HANDLER}`, "LATE_IMPORT error 1:16"],
    ["export const handler = () => new Response();", "NO_HANDLER error"],
    ["export default () => {", "SYNTAX error 1:23"],
  ])("%s", (code, expected) => {
    expect(find(code)).toEqual([expected]);
  });

  it.each(["__proto__", "constructor", "hasOwnProperty"])("a name that objects have anyway: %s", (name) => {
    const [finding] = checkFunction({
      ...{ code: `${HANDLER}\n${name}();`, file: "/function.js", bundled: false, inputs: [], absent: [] },
    }).filter(({ code }) => code === "MISSING_GLOBAL");
    expect(finding?.message).toBe(`${name} does not exist.`);
  });

  it("more live calls than the real runtime has", () => {
    const call = (path: number) => `fetch("jstz://KT1Bridge/${path}")`;
    const calls = (count: number) => Array.from({ length: count }, (_, index) => call(index)).join(", ");
    expect(inHandler(`await Promise.all([${calls(LIMITS.liveCalls)}]);`)).toEqual(["LIVE_CALLS warning 2:7"]);
    expect(inHandler(`await Promise.all([${calls(LIMITS.liveCalls - 1)}]);`)).toEqual([]);
    expect(inHandler(`await Promise.all([${calls(9).replaceAll("KT1Bridge", "tz1User")}]);`)).toEqual([]);
  });

  it("an oversized deploy, without parsing it", () => {
    expect(find(`${HANDLER}//${"x".repeat(LIMITS.deployBytes)}`)).toEqual(["CODE_SIZE error"]);
  });

  it("every kind in the table: the tests above cover all", () => {
    const tested = [
      ...["MISSING_GLOBAL", "THROWING_GLOBAL", "KV_HAS", "WITHDRAWAL", "LATE_IMPORT", "TOP_LEVEL_ACCESS"],
      ...["NO_HANDLER", "SYNTAX", "CODE_SIZE", "LIVE_CALLS", "OUTSIDE_AFTER_STATE", "FIXED_VALUE"],
    ];
    expect(Object.keys(FINDINGS).sort()).toEqual(tested.sort());
  });
});

describe("accepts", () => {
  it.each([
    "const id = typeof crypto === 'undefined' ? 'none' : crypto.randomUUID();",
    "if (typeof process !== 'undefined' && process.env.DEBUG) console.log('debug');",
    "if (typeof setTimeout === 'function') request.timer = setTimeout;",
    "if (typeof window === 'undefined') return new Response(); window.alert('a');",
    "const isNode = typeof process === 'object'; if (isNode) return process.version;",
    "if (!('crypto' in globalThis)) return new Response(); return crypto.randomUUID();",
    "const has = Kv.contains ? Kv.contains('a') : Kv.has('a');",
    "const has = 'has' in Kv ? Kv.has('a') : Kv.contains('a');",
    "return globalThis.crypto?.randomUUID?.() ?? 'none';",
    "return Response.json(globalThis.navigator === undefined);",
    "return typeof RegExp.escape === 'function' ? RegExp.escape('a') : 'a';",
    "return new Float16Array(2).map(Math.f16round);",
    "return Temporal.PlainDate.from('2020-01-01').toString();",
    "return [3, 1].toSorted().with(0, 2).values().map(String).toArray().join();",
    "return Object.groupBy(new Set([1]).union(new Set([2])), String);",
    "return Promise.try(() => /[\\p{L}--a]/v.test('b') && 'a'.isWellFormed());",
    "const { resolve } = Promise.withResolvers(); resolve(); return Array.fromAsync([]);",
    "const bytes = new Uint8Array(4); return bytes.toHex ? bytes.toHex() : [...bytes].join();",
    "const bytes = new Uint8Array(4); return bytes.toHex?.() ?? [...bytes].join();",
    "return 'toHex' in Uint8Array.prototype ? new Uint8Array(4).toHex() : '';",
    "const fast = (() => typeof Uint8Array.from([]).toHex === 'function')(); if (fast) return new Uint8Array(4).toHex();",
    "if (!('getOrInsert' in Map.prototype)) return ''; return new Map().getOrInsert('a', 1);",
    "Uint8Array.prototype.toHex ??= () => ''; return new Uint8Array(4).toHex();",
    "Object.defineProperty(Map.prototype, 'getOrInsert', { value: () => 1 }); return new Map().getOrInsert('a', 1);",
    "RegExp.escape ||= (text) => text; return RegExp.escape('a');",
    "request.$({ target: 'RegExp', stat: true }, { escape: (text) => text }); return RegExp.escape('a');",
    "class Bytes { toHex() { return ''; } } return new Bytes().toHex() + request.bytes.toHex();",
    "const Map = request.Map; return new Map().getOrInsert('a', 1);",
    "const dispose = Symbol.dispose ?? Symbol('dispose'); return { [dispose]() {} };",
    "return [1].join() + 'a'.concat('b') + [1].includes(1);",
    "return typeof define === 'function' && define.amd ? define('a') : new Response();",
    "const crypto = { randomUUID: () => '0' }; return crypto.randomUUID();",
    "globalThis.process = { env: {} }; return process.env.A;",
    "return ((setTimeout) => setTimeout())(() => 1);",
    "for (const process of [1]) { const { require: module = process } = { require: 1 }; request(module); }",
    "label: for (;;) { break label; }",
    "return { crypto: 1, process() {}, location: request.location }.crypto;",
    "if (request.a) { Kv.get('a'); return new Response(); } return fetch('https://a.b/');",
    "for (const a of request.all) Kv.get(a); return fetch('https://a.b/');",
    "const read = () => Kv.get('a'); const body = await fetch('https://a.b/'); return read(body);",
    "Kv.get('a'); return fetch('jstz://KT1/');",
    "if (request.a && Kv.get('a')) return 1; return fetch('https://a.b/');",
    "try { Kv.get('a'); } catch { return fetch('https://a.b/'); }",
    "return Response.json({ at: new Date(0), url: new URL(request.url).searchParams });",
    "function old() { return arguments.length; } return old();",
  ])("%s", (body) => {
    expect(inHandler(body)).toEqual([]);
  });

  it.each([
    `const wait = async () => console.log(Kv.get("a")); ${HANDLER}`,
    `const log = typeof process === "undefined" ? () => {} : console.log("node"); ${HANDLER}`,
    `try { console.log("x"); } catch {} ${HANDLER}`,
    `const config = await Promise.resolve({}); ${HANDLER}`,
    `class Store { #kv = Kv.get("a"); get() { return Kv.get("b"); } } ${HANDLER}`,
    "const handler = () => new Response(); export { handler as default };",
  ])("%s", (code) => {
    expect(find(code)).toEqual([]);
  });
});

describe("of bundled code", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "functez-check-"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function check(files: Readonly<Record<string, string>>) {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    return checkFunction(await loadFunction(join(folder, Object.keys(files)[0]!), folder, { withMap: true }));
  }

  it("gives file, line, column, length and replacement in the TypeScript source", async () => {
    const [first, second, ...rest] = await check({
      "index.ts": [
        'import { nameOf } from "./store.ts";',
        "export default (request: Request): Response => {",
        "  const caller: string | undefined = crypto.randomUUID() + request.url;",
        "  return new Response(nameOf(caller));",
        "};",
      ].join("\n"),
      "store.ts": [
        "interface Entry { readonly name: string }",
        "export const nameOf = (key: string): string =>",
        '  Kv.has(key) ? Kv.get<Entry>(key)!.name : "nobody";',
      ].join("\n"),
    });
    expect(first).toMatchObject({
      code: "KV_HAS",
      place: { file: join(folder, "store.ts"), line: 3, column: 6, endColumn: 9 },
      replacement: "contains",
    });
    expect(second).toMatchObject({
      code: "MISSING_GLOBAL",
      place: { file: join(folder, "index.ts"), line: 3, column: 38, endColumn: 44 },
    });
    expect(rest).toEqual([]);
  });

  it("groups a library's findings, as warnings unless the code runs with the module", async () => {
    const findings = await check({
      "index.js":
        'import { id, later, retry } from "chatty";\nexport default async () => [await later(), await retry(), id()];',
      "node_modules/chatty/package.json": '{ "name": "chatty", "main": "index.js", "type": "module" }',
      "node_modules/chatty/index.js": [
        "export const later = () => new Promise((done) => setTimeout(done, 1));",
        "export const retry = () => new Promise((done) => setTimeout(done, 2));",
        "export const version = process.version;",
        'if (typeof navigator !== "undefined") navigator.sendBeacon("/");',
        "const random = () => crypto.randomUUID();",
        'export const id = () => (typeof crypto.randomUUID === "function" ? random() : 0);',
        'try { localStorage.setItem("a", Date.now()); } catch {}',
      ].join("\n"),
    });
    expect(findings.map(({ code, severity, library, places }) => [code, severity, library, places])).toEqual([
      ["THROWING_GLOBAL", "warning", "chatty", 2],
      ["MISSING_GLOBAL", "error", "chatty", 1],
    ]);
    expect(findings[1]?.place).toMatchObject({ line: 3 });
  });
});

// Modelled on the public smart functions of Jstz: what works there must not be reported.
describe("of functions that work on the real runtime", () => {
  const folder = fileURLToPath(new URL("./fixtures", import.meta.url));
  it.each(readdirSync(folder))("%s has neither errors nor warnings", async (name) => {
    const findings = checkFunction(await loadFunction(join(folder, name), folder, { withMap: true }));
    expect(findings.filter(({ severity }) => severity !== "note")).toEqual([]);
  });
});
