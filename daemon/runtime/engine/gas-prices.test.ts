// Prices, not times: the gas of an operation must grow with its work. bench/gas-prices.mjs measures whether the prices
// are right.

import { gzipSync } from "node:zlib";

import { beforeAll, describe, expect, it } from "vitest";

import { type Engine, FIXED_NOW } from "./engine.ts";
import { priceOfCall } from "./gas-schedule.ts";
import { MAX_DECOMPRESSED_BYTES, MAX_HOST_LENGTH } from "./limits.ts";
import { testEngine } from "./test-engine.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await testEngine();
}, 60_000);

const LIMIT = 400_000_000;

function gasOf(body: string): number {
  const code = `export default async () => { ${body}; return new Response(""); }`;
  const call = engine.open(code, "jstz://KT1Gas", { gas: LIMIT, now: FIXED_NOW, seed: "s" });
  const step = call.invoke(
    { op: () => undefined, fetch: () => undefined },
    { url: "jstz://KT1Gas/", method: "GET", headers: [], body: null },
  );
  call.close();
  expect(step.kind).toBe("response");
  return call.gasUsed();
}

/** Gas of a body for `n`, minus that for zero. */
const growth = (body: (n: number) => string, n: number): number => gasOf(body(n)) - gasOf(body(0));

it("charges the same for any unknown operation", () => {
  for (const name of ["", "kv", "toString", "__proto__"]) expect(priceOfCall(name, 100)).toBe(310);
});

describe("host work", () => {
  it.each<[string, (n: number) => string, number]>([
    ["the path of a URL", (n) => `new URL("http://a/" + "b".repeat(${n}))`, 200],
    ["its @", (n) => `new URL("http://" + "@".repeat(${n}) + "a/")`, 800],
    ["an accented path", (n) => `new URL("http://a/" + "é".repeat(${n}))`, 800],
    ["what is set into a URL", (n) => `new URL("http://a/").hash = "b".repeat(${n})`, 200],
    ["random bytes", (n) => `crypto.getRandomValues(new Uint8Array(${n}))`, 10],
    ["a digest", (n) => `await crypto.subtle.digest("SHA-256", new Uint8Array(${n}))`, 1],
    ["a legacy encoding", (n) => `new TextDecoder("shift_jis").decode(new Uint8Array(${n}))`, 4],
  ])("is charged by the length of %s", (_, body, perUnit) => {
    const [some, more] = [growth(body, 500), growth(body, 1_000)];
    expect(some).toBeGreaterThanOrEqual(500 * perUnit);
    expect(more).toBeGreaterThanOrEqual(1.9 * 500 * perUnit);
    expect(more).toBeLessThan(3 * some);
  });

  it("is charged for hosts that are too long, too", () => {
    const failingParse = (n: number) => `try { new URL("http://" + "\\u0301".repeat(${n})) } catch { }`;
    expect(growth(failingParse, 4 * MAX_HOST_LENGTH)).toBeGreaterThan(4 * MAX_HOST_LENGTH * 800);
  });

  const inflate = (bytes: Uint8Array): string => `
    const b = Uint8Array.fromBase64("${Buffer.from(bytes).toString("base64")}");
    try { await new Response(new Blob([b]).stream().pipeThrough(new DecompressionStream("gzip"))).bytes() } catch { }`;

  it("is charged for the longest output when a decompression yields too much", () => {
    const bomb = gzipSync(Buffer.alloc(MAX_DECOMPRESSED_BYTES + 1_000_000));
    expect(gasOf(inflate(bomb))).toBeGreaterThan(MAX_DECOMPRESSED_BYTES);
  });

  it("is charged for the longest possible output when a decompression fails at its end", () => {
    const damaged = gzipSync(Buffer.alloc(10_000_000));
    damaged[damaged.length - 1]! ^= 1;
    expect(gasOf(inflate(damaged))).toBeGreaterThan(10_000_000);
  });

  it("is charged little when a decompression fails at once", () => {
    expect(gasOf(inflate(new Uint8Array(20)))).toBeLessThan(200_000);
  });
});

describe("engine work", () => {
  it.each<[string, (n: number) => string, number]>([
    ["copying", (n) => `new Uint8Array(64 * ${n + 1}).slice()`, 2],
    ["filling", (n) => `new Uint8Array(64 * ${n + 1}).fill(1)`, 2],
    ["joining, element by element", (n) => `new Uint8Array(${n}).join()`, 10],
    ["repeating a text", (n) => `"ab".repeat(${n})`, 1],
    ["splitting a text", (n) => `"x".repeat(${n}).split("")`, 10],
    ["comparing a needle", (n) => `"a".repeat(${4 * n}).indexOf("a".repeat(${n}) + "b")`, 1_000],
    ["sorting", (n) => `Array.from({ length: ${n} }, (_, i) => i % 7).sort()`, 50],
    ["a regular expression that backtracks", (n) => `/^a*a*b/.test("a".repeat(${n}))`, 1_000],
    ["parsing JSON", (n) => `JSON.parse("[" + "1,".repeat(${n}) + "1]")`, 10],
    ["compiling", (n) => `eval("1;".repeat(${n}))`, 10],
    [
      "a chain of iterators",
      (n) => `let it = [1].values(); for (let i = 0; i < ${n}; i++) it = it.map(x => x); it.next()`,
      50,
    ],
    ["multiplying large numbers", (n) => `const b = 1n << BigInt(${64 * n}); b * b`, 1_000],
  ])("is charged by its size: %s", (_, body, perUnit) => {
    expect(growth(body, 1_000)).toBeGreaterThanOrEqual(1_000 * perUnit);
  });

  it("is charged for each page that a call is the first to use, and more where that costs the instance", () => {
    const [some, more] = [gasOf("new ArrayBuffer(10e6)"), gasOf("new ArrayBuffer(40e6)")];
    expect(some).toBeGreaterThan((10e6 / 65_536 - 10) * 4_000);
    expect(more).toBeGreaterThan((40e6 / 65_536 - 10) * 16_000);
  });
});
