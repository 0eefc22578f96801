import { beforeAll, describe, expect, it } from "vitest";

import { type EngineFiles, readEngineFiles } from "./manifest.ts";
import { difference, type ImageDifference, WASM_PAGE } from "./memory-image.ts";
import { builtEngine } from "./test-engine.ts";
import { Vm } from "./vm.ts";

const IDLE = { call: () => undefined, now: () => 0, interrupted: () => false, imported: () => undefined };

/** Programs that write where a restore must not forget to look: deep into the stack, high up, everywhere. */
const PROGRAMS = {
  "deep recursion": "let d = 0; const f = (a, b, c) => { d++; f(a + 1, [b], { c }); }; try { f(0) } catch {}",
  "deep native recursion":
    'try { JSON.parse("[".repeat(5000)) } catch {} RegExp("(a".repeat(500) + ")".repeat(500)).exec("a");',
  "much memory": "globalThis.kept = Array.from({ length: 2e5 }, (_, i) => ({ i }));",
  little: "globalThis.one = 1;",
};

describe("a restore", () => {
  let files: EngineFiles;
  beforeAll(async () => {
    files = await readEngineFiles(await builtEngine());
  }, 60_000);

  /** Memory as an image describes it. */
  function expected(over: ImageDifference | undefined, pages: number): Buffer {
    const memory = Buffer.alloc(pages * WASM_PAGE);
    memory.set(files.base.bytes);
    let at = 0;
    for (const { offset, length } of over?.runs ?? []) {
      memory.set(over!.bytes.subarray(at, at + length), offset);
      at += length;
    }
    return memory;
  }

  function run(vm: Vm, code: string): void {
    vm.gas = 1e9;
    vm.exports.qjs_free_value(vm.evaluateModule(code, "program"));
    vm.runJobs();
  }

  it("leaves no byte of any program that ran before, in whatever order images follow each other", () => {
    const vm = new Vm(files.module, IDLE);
    vm.setMaxPages(1_000);
    const { scratch } = files.manifest;
    const images = Object.values(PROGRAMS).map((code) => {
      vm.restore(files.base, undefined, scratch);
      run(vm, code);
      return difference(files.base.bytes, vm.memory(), vm.state());
    });
    const reachesDown = images.map(({ runs }) => runs[0]!.offset < files.base.start);
    expect(reachesDown).toContain(true); // the stack below the base's own is in some image, and not in all
    expect(reachesDown).toContain(false);
    for (const before of [undefined, ...images]) {
      for (const code of Object.values(PROGRAMS)) {
        for (const after of [undefined, ...images]) {
          vm.restore(files.base, before, scratch);
          run(vm, code);
          vm.restore(files.base, after, scratch);
          const { pages } = after ?? files.base;
          expect(Buffer.compare(vm.memory(), expected(after, pages))).toBe(0);
        }
      }
    }
  });
});
