import { createHash } from "node:crypto";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { SandboxError } from "../../protocol/errors.ts";
import { builtEngine } from "../engine/test-engine.ts";
import { evaluate, type Surroundings } from "./evaluator.ts";
import { type Stop, stopIn } from "./test-stops.ts";
import { viewOf } from "./value-view.ts";

/** Includes the time to build the engine when it is missing. */
beforeAll(async () => {
  await builtEngine();
}, 60_000);

const surroundings: Surroundings = {
  address: "KT1self",
  value: (key) => (key === "n" ? "41" : undefined),
  balance: (address) => (address === "KT1self" ? 7n : 0n),
  now: 1_000,
};

/** The result as it is shown, or the code of the error and its reason. */
function valueOrCode({ vm, heap, frame }: Stop, expression: string): string {
  const caller = heap.frame(heap.callerOf(frame.address))!;
  try {
    return evaluate(
      vm,
      heap,
      expression,
      { variables: heap.variables(caller), surroundings },
      (bits) => viewOf(heap, { kind: "value", bits }).text,
    );
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
    return `${error.code} ${Object.values(error.data).join()}`.trim();
  }
}

const PROGRAM = `
  const count = 41, key = "a/b", list = [1, 2, 3], shared = { n: 1 };
  const boom = { get it() { throw new TypeError("no"); } };
  const trap = new Proxy({}, { get() { throw new Error("trap"); } });
  class Box { #size = 2; get area() { return this.#size ** 2; } look() { stop(this); } }
  const box = new Box();
  box.look();
  stop(0);
  const later = 1;
  stop(later);`;

const state = ({ vm }: Stop): string =>
  [
    createHash("sha256").update(new Uint8Array(vm.exports.memory.buffer)).digest("hex"),
    vm.gas,
    vm.exports.pages.value,
    vm.exports.__stack_pointer.value,
  ].join();

async function answers(expressions: readonly string[], at = 1): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  let stops = 0;
  await stopIn(PROGRAM, (stop) => {
    if (stops++ !== at) return;
    for (const expression of expressions) found[expression] = valueOrCode(stop, expression);
  });
  return found;
}

describe("an expression in a paused frame", () => {
  it("sees variables, this, globals and state", async () => {
    const cases = {
      "count + 1": "42",
      "list.map((n) => n * count)": "(3) [41, 82, 123]",
      'key.split("/")': '(2) ["a", "b"]',
      "request.url": '"jstz://probe/a?b=c"',
      'request.headers.get("x-one")': '"1"',
      "new URL(request.url).searchParams.get('b')": '"c"',
      'Kv.get("n")': "41",
      'Kv.has("m")': "false",
      "Ledger.selfAddress": '"KT1self"',
      "Ledger.balance(Ledger.selfAddress)": "7",
      "Date.now()": "1000",
      "box.area": "4",
      "shared.n = 5, shared": "{n: 5}",
      "shared.n": "1",
      "{ let sum = 0; for (const n of list) sum += n; sum }": "6",
      this: "undefined",
    };
    expect(await answers(Object.keys(cases))).toEqual(cases);
    expect(await answers(["this.area", "this"], 0)).toEqual({ "this.area": "4", this: "Box {#size: 2}" });
  });

  it("says what is wrong with it", async () => {
    const found = await answers([
      "nope",
      "later",
      "1 +",
      "boom.it",
      "trap.x",
      "null.x",
      "(function down() { down(); })()",
      "x".repeat(70_000),
    ]);
    const texts = Object.values(found);
    for (const text of texts) expect(text).toMatch(/^EXPRESSION_FAILED /);
    expect(found["nope"]).toContain("ReferenceError: nope is not defined");
    expect(found["later"]).toMatch(/ReferenceError: later is not initialized/);
    expect(found["1 +"]).toContain("SyntaxError");
    expect(found["boom.it"]).toContain("TypeError: no");
    expect(found["trap.x"]).toContain("Error: trap");
  });

  it("has no effect, and ends", async () => {
    const found = await answers([
      'Kv.set("n", 1)',
      'Kv.delete("n")',
      'Ledger.transfer("tz1", 1)',
      'console.log("x")',
      "crypto.getRandomValues(new Uint8Array(1))",
      'fetch("jstz://KT1/")',
      'SmartFunction.create("")',
      "for (;;);",
      "while (true) new Array(1000).fill(1)",
      '"x".repeat(2 ** 29)',
    ]);
    const codes = Object.values(found).map((text) => text.split(" ")[0]);
    expect(codes.slice(0, 7)).toEqual(Array.from({ length: 7 }, () => "EXPRESSION_EFFECT"));
    expect(codes.slice(7)).toEqual(["EXPRESSION_ENDLESS", "EXPRESSION_ENDLESS", "EXPRESSION_FAILED"]);
  });
});

it("a thousand random expressions change nothing of memory, gas and outcome", async () => {
  const part = fc.constantFrom(
    "count",
    "list",
    "shared",
    "box",
    "boom",
    "trap",
    "request",
    "key",
    'Kv.get("n")',
    "globalThis",
    "(() => { for (let i = 0; i < 300; i++) list.push({ i }); return list.length; })()",
    "(shared.n = {}, shared)",
    "(globalThis.leak = [1, 2, 3])",
    "Object.assign(Array.prototype, { odd: 1 })",
    'Kv.set("x", 1)',
    'fetch("https://example.com")',
    "new Uint8Array(200_000).fill(7)",
    "Promise.resolve(1).then(() => (shared.n = 9))",
    "(function f(n) { return n === 0 ? 0 : 1 + f(n - 1); })(200)",
    "delete shared.n",
    "JSON.stringify(shared)",
    "nope",
    "1 +",
  );
  const expression = fc
    .array(fc.tuple(part, fc.constantFrom("", ".x", ".n", ".it", "[0]", ".length", "?.url")), {
      minLength: 1,
      maxLength: 3,
    })
    .map((parts) => parts.map(([one, access]) => one + access).join(", "));
  const expressions = fc.sample(expression, { numRuns: 1_000, seed: 11 });
  let stops = 0;
  const kinds = new Set<string>();
  const gas: string[] = [];
  const ended = await stopIn(PROGRAM, (stop) => {
    gas.push(String(stop.vm.gas));
    if (stops++ !== 1) return;
    const before = state(stop);
    // The memory itself may have grown, which the guest cannot see.
    evaluate(stop.vm, stop.heap, "new Uint8Array(3_000_000)", { variables: [], surroundings }, () => 0);
    const sized = state(stop);
    expect(sized.split(",").slice(1)).toEqual(before.split(",").slice(1));
    for (const [i, each] of expressions.entries()) {
      kinds.add(valueOrCode(stop, each).split(" ")[0]!);
      if (i % 20 === 19) expect(state(stop)).toBe(sized);
    }
  });
  expect(ended).toBe("ended");
  expect([...kinds]).toEqual(
    expect.arrayContaining(["EXPRESSION_FAILED", "EXPRESSION_EFFECT", "41", "Promise"]),
  );
  const untouched: string[] = [];
  await stopIn(PROGRAM, ({ vm }) => untouched.push(String(vm.gas)));
  expect(gas).toEqual(untouched);
}, 120_000);
