import { beforeAll, describe, expect, it } from "vitest";

import { MAX_PAGES } from "./limits.ts";
import { type EngineFiles, readEngineFiles } from "./manifest.ts";
import { BLOCK, difference, type ImageDifference, MARKS_LENGTH, WASM_PAGE } from "./memory-image.ts";
import { builtEngine } from "./test-engine.ts";
import { Vm } from "./vm.ts";

const HOST = {
  call: ([name]: readonly (string | Uint8Array | undefined)[]) =>
    name === "bytes" ? new Uint8Array(70_000).fill(7) : "text".repeat(20_000),
  now: () => 1_234_567_890_123,
  interrupted: () => false,
  imported: () => undefined,
};

/** Programs that write to memory which a restore might miss: deep in the stack, high up, everywhere. */
const PROGRAMS = {
  "deep recursion": "let d = 0; const f = (a, b, c) => { d++; f(a + 1, [b], { c }); }; try { f(0) } catch {}",
  "deep native recursion":
    'try { JSON.parse("[".repeat(5000)) } catch {} RegExp("(a".repeat(500) + ")".repeat(500)).exec("a");',
  "much memory": "globalThis.kept = Array.from({ length: 2e5 }, (_, i) => ({ i }));",
  "copies and fills": `
    const a = new Uint8Array(3e5).fill(9); a.copyWithin(1000, 5, 2e5); a.slice(7).set(a.subarray(0, 99), 4090);
    globalThis.kept = [a, new Float64Array(a.buffer.slice(0, 80_000)), "x".repeat(1e5) + a.join("")];`,
  numbers: `
    const view = new DataView(new ArrayBuffer(20_000));
    for (let at = 0; at < 19_990; at += 3) view.setBigUint64(at, 1n << BigInt(at % 64)), view.setFloat64(at, at / 7);
    globalThis.kept = [view, 3n ** 5000n, [5, 3, 9].sort(), Date.now(), Math.random(), new Date().toString()];`,
  "texts and patterns": `
    globalThis.kept = "aäb".repeat(5000).replace(/(a)(.)/gu, "$2$1").normalize("NFD").split("").reverse().join("");
    globalThis.more = [new Map(Object.entries(JSON.parse(JSON.stringify({ kept })))), new Set(kept), new WeakMap()];`,
  "what the host writes":
    'globalThis.kept = [hostOp("bytes"), hostOp("text"), hostOp("bytes", kept2())]; function kept2() { return hostOp("text"); }',
  "an error": "null.of",
  little: "globalThis.one = 1;",
};

/** Most pages of the instance. */
const PAGES = 1_000;

/** All but the marks, which guests cannot see. */
const guestMemory = (memory: Uint8Array): Uint8Array => memory.subarray(MARKS_LENGTH);

describe("a restore", () => {
  let files: EngineFiles;
  beforeAll(async () => {
    files = await readEngineFiles(await builtEngine());
  }, 60_000);

  /** All memory that an instance may have, as an image describes it; everything beyond the image is zero. */
  function expectedMemory(over: ImageDifference | undefined): Buffer {
    const memory = Buffer.alloc(PAGES * WASM_PAGE);
    memory.set(files.base.bytes);
    for (const [index, block] of over?.blocks ?? []) memory.set(block, index * BLOCK);
    return memory;
  }

  function run(vm: Vm, code: string): void {
    vm.gas = 1e9;
    vm.installHostFunction("hostOp");
    vm.exports.qjs_free_value(vm.evaluateModule(code, "program"));
    vm.runJobs();
  }

  it("has a mark for each block that an instance may have, in no block of an image", () => {
    expect(MARKS_LENGTH * BLOCK).toBeGreaterThanOrEqual(MAX_PAGES * WASM_PAGE);
    expect(new Vm(files.module, HOST).exports.max_pages.value).toBe((MARKS_LENGTH * BLOCK) / WASM_PAGE);
    expect(files.base.bytes.findIndex((byte) => byte !== 0)).toBeGreaterThan(MARKS_LENGTH);
  });

  it("leaves no byte of an earlier program, whatever the order of images", () => {
    const vm = new Vm(files.module, HOST);
    vm.memory.setMaxPages(PAGES);
    const { scratch } = files.manifest;
    const images = Object.values(PROGRAMS).map((code) => {
      vm.memory.restore(files.base, undefined, scratch);
      run(vm, code);
      return difference(files.base, vm.memory.contents(), vm.memory.state());
    });
    const lowest = images.map(({ blocks }) => Math.min(...blocks.keys()) * BLOCK);
    // Some program went deep into the stack, but none came near the marks at its far end.
    expect(Math.min(...lowest)).toBeLessThan(600_000);
    expect(Math.min(...lowest)).toBeGreaterThan(5 * MARKS_LENGTH);
    const programs = Object.values(PROGRAMS);
    const states = [undefined, ...images];
    for (const [second, after] of states.entries()) {
      const wanted = expectedMemory(after);
      for (const [first, before] of states.entries()) {
        vm.memory.restore(files.base, before, scratch);
        run(vm, programs[(first + 3 * second) % programs.length]!);
        vm.memory.restore(files.base, after, scratch);
        const memory = new Uint8Array(vm.exports.memory.buffer);
        expect(Buffer.compare(guestMemory(memory), guestMemory(wanted.subarray(0, memory.length)))).toBe(0);
        expect(vm.memory.virtualBytes).toBe((after ?? files.base).pages * WASM_PAGE);
      }
    }
  });
});
