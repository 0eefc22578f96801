import binaryen from "binaryen";
import { describe, expect, it } from "vitest";

import { BLOCK } from "../../daemon/runtime/engine/memory-image.ts";
import { rewriteWasm } from "./rewrite-wasm.mjs";

/** A loop, a growing memory and a bulk fill, as the engine has them. */
const PROGRAM = `(module
  (memory (export "memory") 18)
  (func (export "store") (param $at i32)
    (i64.store offset=${2 * BLOCK} (local.get $at) (i64.const 1)))
  (func (export "store_packed") (param $at i32)
    (i64.store offset=3 align=1 (local.get $at) (i64.const 1)))
  (func (export "store_byte") (param $at i32)
    (local $unused i64)
    (if (local.get $at) (then (i32.store8 (local.get $at) (i32.const 1)) (return))))
  (func (export "store_nested") (param $a i32) (param $b i32)
    (i32.store (local.get $a)
      (block (result i32)
        (f32.store offset=4 (local.get $b) (f32.const 1))
        (i32.store16 (i32.add (local.get $b) (i32.const ${2 * BLOCK})) (i32.const 1))
        (i32.const 7))))
  (func (export "spin") (param $n i32)
    (loop $again
      (local.set $n (i32.sub (local.get $n) (i32.const 1)))
      (br_if $again (local.get $n))))
  (func (export "size") (result i32) (memory.size))
  (func (export "grow") (param $n i32) (result i32) (memory.grow (local.get $n)))
  (func (export "fill") (param $n i32) (memory.fill (i32.const ${8 * BLOCK}) (i32.const 1) (local.get $n)))
  (func (export "copy") (param $to i32) (param $n i32)
    (memory.copy (local.get $to) (i32.const 0) (local.get $n)))
  (func (export "unused")))`;

interface Program {
  readonly memory: WebAssembly.Memory;
  readonly gas: WebAssembly.Global;
  readonly pages: WebAssembly.Global;
  readonly max_pages: WebAssembly.Global;
  store(at: number): void;
  store_packed(at: number): void;
  store_byte(at: number): void;
  store_nested(a: number, b: number): void;
  spin(count: number): void;
  size(): number;
  grow(pages: number): number;
  fill(bytes: number): void;
  copy(to: number, bytes: number): void;
}

const EXPORTS = [
  "memory",
  "store",
  "store_packed",
  "store_byte",
  "store_nested",
  "spin",
  "size",
  "grow",
  "fill",
  "copy",
];

function metered(loops = 1): Program {
  const module = binaryen.parseText(PROGRAM);
  module.setFeatures(binaryen.Features.BulkMemory | binaryen.Features.BulkMemoryOpt);
  const wasm = rewriteWasm(module.emitBinary(), EXPORTS, loops);
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
    expect(new Uint8Array(program.memory.buffer)[8 * BLOCK + 641]).toBe(0);
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

  it.each<[string, (program: Program) => void, number[]]>([
    ["a store, at its own offset", (program) => program.store(BLOCK * 9), [11]],
    ["one that ends where its block ends", (program) => program.store(BLOCK * 9 - 8), [10]],
    ["one out of line that crosses the edge of two blocks", (p) => p.store_packed(BLOCK * 9 - 8), [8, 9]],
    ["one out of line within a block", (program) => program.store_packed(BLOCK * 9), [9]],
    ["a single byte, in an arm of a condition", (program) => program.store_byte(BLOCK * 10 - 1), [9]],
    ["nothing that was not reached", (program) => program.store_byte(0), []],
    [
      "stores in the value of a store",
      (program) => program.store_nested(BLOCK * 15, BLOCK * 9 - 4),
      [9, 10, 15],
    ],
    ["a fill over several blocks", (program) => program.fill(3 * BLOCK + 1), [8, 9, 10, 11]],
    ["a fill of a block", (program) => program.fill(BLOCK), [8]],
    ["a copy across an edge", (program) => program.copy(BLOCK * 12 - 1, 2), [11, 12]],
    ["nothing that has no length", (program) => (program.fill(0), program.copy(BLOCK, 0)), []],
  ])("marks what is written: %s", (_, write, blocks) => {
    const program = metered();
    write(program);
    const marks = new Uint8Array(program.memory.buffer, 0, (18 * 65_536) / BLOCK);
    expect([...marks.entries()].filter(([, mark]) => mark !== 0)).toEqual(blocks.map((block) => [block, 1]));
  });

  it("marks nothing when the write is refused", () => {
    const program = metered();
    expect(() => program.store(18 * 65_536)).toThrow(WebAssembly.RuntimeError);
    expect(() => program.copy(18 * 65_536 - 1, 2)).toThrow(WebAssembly.RuntimeError);
    expect(new Uint8Array(program.memory.buffer).every((byte) => byte === 0)).toBe(true);
  });

  it("keeps only the named exports beside its own three globals", () => {
    expect(Object.keys(metered()).sort()).toEqual([...EXPORTS, "gas", "max_pages", "pages"].sort());
  });

  it("is refused when the number of loops is not the expected one", () => {
    expect(() => metered(2)).toThrow("1 loops found where 2 are expected");
  });
});
