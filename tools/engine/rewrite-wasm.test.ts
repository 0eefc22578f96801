import binaryen from "binaryen";
import { describe, expect, it } from "vitest";

import { rewriteWasm } from "./rewrite-wasm.mjs";

/** A loop, a growing memory and a bulk fill, as the engine has them. */
const PROGRAM = `(module
  (memory (export "memory") 18)
  (global $sp (export "__stack_pointer") (mut i32) (i32.const 1048576))
  (func $frame (export "frame") (param $size i32) (param $depth i32)
    (local $at i32)
    (global.set $sp (local.tee $at (i32.sub (global.get $sp) (local.get $size))))
    (if (local.get $depth)
      (then (call $frame (local.get $size) (i32.sub (local.get $depth) (i32.const 1)))))
    (global.set $sp (i32.add (local.get $at) (local.get $size))))
  (func (export "spin") (param $n i32)
    (loop $again
      (local.set $n (i32.sub (local.get $n) (i32.const 1)))
      (br_if $again (local.get $n))))
  (func (export "size") (result i32) (memory.size))
  (func (export "grow") (param $n i32) (result i32) (memory.grow (local.get $n)))
  (func (export "fill") (param $n i32) (memory.fill (i32.const 0) (i32.const 1) (local.get $n)))
  (func (export "unused")))`;

interface Program {
  readonly memory: WebAssembly.Memory;
  readonly gas: WebAssembly.Global;
  readonly pages: WebAssembly.Global;
  readonly max_pages: WebAssembly.Global;
  readonly stack_low: WebAssembly.Global;
  readonly __stack_pointer: WebAssembly.Global;
  frame(size: number, depth: number): void;
  spin(count: number): void;
  size(): number;
  grow(pages: number): number;
  fill(bytes: number): void;
}

function metered(loops = 1): Program {
  const module = binaryen.parseText(PROGRAM);
  module.setFeatures(binaryen.Features.BulkMemory | binaryen.Features.BulkMemoryOpt);
  const wasm = rewriteWasm(
    module.emitBinary(),
    ["memory", "__stack_pointer", "frame", "spin", "size", "grow", "fill"],
    loops,
  );
  module.dispose();
  const compiled = new WebAssembly.Module(new Uint8Array(wasm));
  return new WebAssembly.Instance(compiled).exports as unknown as Program;
}

describe("the metered module", () => {
  it("takes one unit of gas for each turn of a loop and traps below zero", () => {
    const program = metered();
    program.gas.value = 100n;
    program.spin(40);
    expect(program.gas.value).toBe(60n);
    expect(() => program.spin(61)).toThrow(WebAssembly.RuntimeError);
    program.gas.value = 61n;
    program.spin(61);
    expect(program.gas.value).toBe(0n);
  });

  it("takes gas for bulk work by its length, before it is done", () => {
    const program = metered();
    program.gas.value = 10n;
    program.fill(640);
    expect(program.gas.value).toBe(0n);
    expect(() => program.fill(65_536)).toThrow(WebAssembly.RuntimeError);
    expect(new Uint8Array(program.memory.buffer)[1_000]).toBe(0);
  });

  it("shows a virtual memory size that can be set back while the real memory stays", () => {
    const program = metered();
    program.max_pages.value = 25;
    expect([program.size(), program.grow(5), program.size()]).toEqual([18, 18, 23]);
    program.pages.value = 18;
    expect([program.size(), program.grow(2), program.size()]).toEqual([18, 18, 20]);
    expect(program.memory.buffer.byteLength).toBe(23 * 65_536);
    expect([program.grow(6), program.grow(-1), program.size()]).toEqual([-1, -1, 20]);
  });

  it("keeps the lowest value that the stack pointer had", () => {
    const program = metered();
    program.frame(64, 9);
    expect([program.__stack_pointer.value, program.stack_low.value]).toEqual([1_048_576, 1_048_576 - 640]);
    program.stack_low.value = 1_048_576;
    program.frame(16, 0);
    expect(program.stack_low.value).toBe(1_048_560);
  });

  it("keeps only the named exports beside its own four globals", () => {
    expect(Object.keys(metered()).sort()).toEqual([
      "__stack_pointer",
      "fill",
      "frame",
      "gas",
      "grow",
      "max_pages",
      "memory",
      "pages",
      "size",
      "spin",
      "stack_low",
    ]);
  });

  it("is refused when the number of loops is not the expected one", () => {
    expect(() => metered(2)).toThrow("1 loops found where 2 are expected");
  });
});
