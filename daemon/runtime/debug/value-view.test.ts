import { beforeAll, expect, it } from "vitest";
import { builtEngine } from "../engine/test-engine.ts";
import type { HeapReader } from "./heap-reader.ts";
import { stopIn } from "./test-stops.ts";
import type { Child, Shown } from "./value-children.ts";
import { textOf } from "./value-text.ts";
import { childrenOf, viewOf } from "./value-view.ts";

/** Includes the time to build the engine when it is missing. */
beforeAll(async () => {
  await builtEngine();
}, 60_000);

const childLine = (heap: HeapReader, { name, shown }: Child): string =>
  `${name}: ${shown === undefined ? "(getter)" : viewOf(heap, shown).text}`;

function linesOf(heap: HeapReader, shown: Shown): string[] {
  return (["indexed", "named"] as const).flatMap((kind) =>
    childrenOf(heap, shown, kind, 0, 100).map((child) => childLine(heap, child)),
  );
}

/** Program, its line, its children. */
const VALUES: readonly (readonly [program: string, line: string, ...children: string[]])[] = [
  ["5", "5"],
  ["-0", "-0"],
  ["1.5e300", "1.5e+300"],
  ["NaN", "NaN"],
  ["true", "true"],
  ["null", "null"],
  ["undefined", "undefined"],
  ['"a\\n\\u{1f642}"', '"a\\n🙂"'],
  ['"ab".repeat(3000).slice(1, 6)', '"babab"'],
  ["12n", "12n"],
  ["2n ** 80n", "1208925819614629174706176n"],
  ["-(2n ** 80n)", "-1208925819614629174706176n"],
  ['Symbol("tag")', "Symbol(tag)"],
  [
    '[1, "two", [3], {}]',
    '(4) [1, "two", Array(1), {…}]',
    "0: 1",
    '1: "two"',
    "2: (1) [3]",
    "3: {}",
    "length: 4",
  ],
  ["[, 1]", "(2) [1: 1]", "length: 2", "1: 1"],
  [
    "Array.from({ length: 9 }, (_, i) => i).fill(7, 8)",
    "(9) [0, 1, 2, 3, 4, …]",
    ...[0, 1, 2, 3, 4, 5, 6, 7, 7].map((n, i) => `${i}: ${n}`),
    "length: 9",
  ],
  [
    '({ a: 1, "b c": "x", [Symbol("s")]: null, 7: 7 })',
    '{a: 1, b c: "x", [Symbol(s)]: null, 7: 7}',
    "a: 1",
    'b c: "x"',
    "[Symbol(s)]: null",
    "7: 7",
  ],
  [
    "({ get boom() { throw 1; }, set only(v) {} })",
    "{boom: (getter), only: (getter)}",
    "boom: (getter)",
    "only: undefined",
  ],
  ["Object.create(null)", "{}"],
  [
    "new (class Box { #hidden = 7; size = 2; get area() { return 4; } })()",
    "Box {#hidden: 7, size: 2}",
    "#hidden: 7",
    "size: 2",
    "area: (getter)",
  ],
  ["new Map([[1, { a: 1 }], [{}, 2]])", "Map(2) {1 => {…}, {…} => 2}", "0: {1 => {…}}", "1: {{…} => 2}"],
  [
    "(() => { const m = new Map([[1, 1], [2, 2]]); m.delete(1); return m; })()",
    "Map(1) {2 => 2}",
    "0: {2 => 2}",
  ],
  ['new Set(["a", 2])', 'Set(2) {"a", 2}', '0: "a"', "1: 2"],
  ["new (class Bag extends Map {})()", "Bag(0) {}"],
  ["new WeakMap()", "WeakMap"],
  ["new Date(0)", "1970-01-01T00:00:00.000Z"],
  ["new Date(NaN)", "Invalid Date"],
  ["/a+b/gi", "/a+b/gi", "lastIndex: 0"],
  ["/[a]/v", "/[a]/v", "lastIndex: 0"],
  ["new Uint8Array([1, 255])", "Uint8Array(2) [1, 255]", "0: 1", "1: 255"],
  ["new Float64Array([-0, 1.5])", "Float64Array(2) [-0, 1.5]", "0: -0", "1: 1.5"],
  ["new Float32Array([0.5])", "Float32Array(1) [0.5]", "0: 0.5"],
  [
    "new Float16Array([0.5, -2, Infinity])",
    "Float16Array(3) [0.5, -2, Infinity]",
    "0: 0.5",
    "1: -2",
    "2: Infinity",
  ],
  ["new Int16Array([-2, 3]).subarray(1)", "Int16Array(1) [3]", "0: 3"],
  ["new BigInt64Array([-5n])", "BigInt64Array(1) [-5n]", "0: -5n"],
  ["new BigUint64Array([5n])", "BigUint64Array(1) [5n]", "0: 5n"],
  ["new Int8Array([-1])", "Int8Array(1) [-1]", "0: -1"],
  ["new Uint8ClampedArray([300])", "Uint8ClampedArray(1) [255]", "0: 255"],
  ["new Uint16Array([65535])", "Uint16Array(1) [65535]", "0: 65535"],
  ["new Int32Array([-7])", "Int32Array(1) [-7]", "0: -7"],
  ["new Uint32Array([4294967295])", "Uint32Array(1) [4294967295]", "0: 4294967295"],
  ["new Uint8Array([9, 8]).buffer", "ArrayBuffer(2)", "0: 9", "1: 8"],
  ["function named() {}", "ƒ named"],
  ["(() => 1)", "ƒ (anonymous)"],
  ["async function* rows() {}", "ƒ rows"],
  ["Math.max", "ƒ max", "length: 2", 'name: "max"'],
  ["class Tez {}", "ƒ Tez"],
  [
    "new Proxy({ a: 1 }, { get() { throw 1; }, ownKeys() { throw 2; } })",
    "Proxy of {…}",
    "[[Target]]: {a: 1}",
  ],
  [
    "(() => { const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return proxy; })()",
    "Proxy (revoked)",
  ],
  ["new Proxy(function f() {}, {})", "Proxy of ƒ f", "[[Target]]: ƒ f"],
  [
    "Promise.resolve(4)",
    "Promise {fulfilled: 4}",
    '[[State]]: "fulfilled"'.replaceAll('"', ""),
    "[[Result]]: 4",
  ],
  ["new Promise(() => {})", "Promise {pending}", "[[State]]: pending"],
  ["Object(5)", "[Number: 5]"],
  ['Object("x")', '[String: "x"]', "length: 1"],
  ["(function* () {})()", "Generator"],
  [
    "(() => { const a = { n: 1 }; a.self = a; return a; })()",
    "{n: 1, self: {…}}",
    "n: 1",
    "self: {n: 1, self: {…}}",
  ],
  ["(() => { const o = { a: 1, b: 2, c: 3 }; delete o.b; return o; })()", "{a: 1, c: 3}", "a: 1", "c: 3"],
];

it("views of every kind of value", async () => {
  const calls = VALUES.map(
    ([program]) =>
      `  stop(${program.startsWith("function") || program.startsWith("async function") || program.startsWith("class") ? `(${program})` : program});`,
  );
  const found: string[][] = [];
  const ended = await stopIn(calls.join("\n"), ({ heap, frame }) => {
    const shown: Shown = { kind: "value", bits: heap.variables(frame)[0]!.bits };
    found.push([viewOf(heap, shown).text, ...linesOf(heap, shown)]);
  });
  expect(ended).toBe("ended");
  // Children of functions are the same for all of them.
  const isFunction = (line: string): boolean => line.startsWith("ƒ") && line !== "ƒ max";
  const shown = found.map(([line = "", ...children]) => (isFunction(line) ? [line] : [line, ...children]));
  expect(shown).toEqual(VALUES.map(([, ...expected]) => expected));
});

it("an error shows name, message and stack, and what is its own", async () => {
  const lines: string[] = [];
  await stopIn(
    'class Lost extends TypeError { get name() { return "no"; } } const e = new RangeError("too much"); e.code = 7; stop(e); stop(new Lost("x"));',
    ({ heap, frame }) => {
      const shown: Shown = { kind: "value", bits: heap.variables(frame)[0]!.bits };
      lines.push(viewOf(heap, shown).text, ...linesOf(heap, shown));
    },
  );
  expect(lines[0]).toBe("RangeError: too much");
  expect(lines).toContain("code: 7");
  expect(lines.find((line) => line.startsWith("stack: "))).toContain("jstz://probe:3");
  expect(lines).toContain("TypeError: x");
});

it("a request shows its getters, and none has run", async () => {
  let lines: string[] = [];
  await stopIn("stop(request);", ({ heap, frame }) => {
    const shown: Shown = { kind: "value", bits: heap.variables(frame)[0]!.bits };
    expect(viewOf(heap, shown).type).toBe("Request");
    expect(viewOf(heap, shown).text).toMatch(
      /^Request \{url: "jstz:[^"]+…?", method: "\w+", headers: Headers, /,
    );
    lines = linesOf(heap, shown);
  });
  expect(lines).toEqual(expect.arrayContaining(["url: (getter)", "method: (getter)", "headers: (getter)"]));
});

it("a text of 10 MB and a list of 100,000 elements are read by pages", async () => {
  const seen: unknown[] = [];
  await stopIn(
    'stop("0123456789".repeat(1_000_000)); let joined = ""; for (let i = 0; i < 3000; i++) joined += "ab" + i; stop(joined); stop(Array.from({ length: 100_000 }, (_, i) => ({ i }))); stop(new Map(Array.from({ length: 5_000 }, (_, i) => [i, i])));',
    ({ heap, frame }) => {
      const { bits } = heap.variables(frame)[0]!;
      const shown: Shown = { kind: "value", bits };
      const { text, indexed } = viewOf(heap, shown);
      const whole = textOf(heap, bits, 20_000_000)?.length;
      const page = childrenOf(heap, shown, "indexed", indexed - 2, 10).map((child) => childLine(heap, child));
      seen.push([text.length < 1_100 && text.slice(-22), indexed, whole, page]);
    },
  );
  expect(seen).toEqual([
    ['…" (10000000 characters)'.slice(-22), 0, 10_000_000, []],
    [expect.stringContaining("characters)"), 0, 16_890, []],
    [expect.any(String), 100_000, undefined, ["99998: {i: 99998}", "99999: {i: 99999}"]],
    [expect.any(String), 5_000, undefined, ["4998: {4998 => 4998}", "4999: {4999 => 4999}"]],
  ]);
});
