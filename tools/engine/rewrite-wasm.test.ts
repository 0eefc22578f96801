import binaryen from "binaryen";
import { describe, expect, it } from "vitest";

import { STACK_BOTTOM } from "../../daemon/runtime/engine/limits.ts";
import { BLOCK, MARKS_LENGTH } from "../../daemon/runtime/engine/memory-image.ts";
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
  (func (export "zero") (param $at i32) (i64.store (local.get $at) (i64.const 0)))
  (func (export "fillAt") (param $at i32) (param $byte i32) (param $n i32)
    (memory.fill (local.get $at) (local.get $byte) (local.get $n)))
  (func (export "copyAt") (param $to i32) (param $from i32) (param $n i32)
    (memory.copy (local.get $to) (local.get $from) (local.get $n)))
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
  zero(at: number): void;
  fillAt(at: number, byte: number, bytes: number): void;
  copyAt(to: number, from: number, bytes: number): void;
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
  "zero",
  "fillAt",
  "copyAt",
];

function meter(loops = 1): Program {
  const module = binaryen.parseText(PROGRAM);
  module.setFeatures(binaryen.Features.BulkMemory | binaryen.Features.BulkMemoryOpt);
  const wasm = rewriteWasm(module.emitBinary(), EXPORTS, { loops, stackChanges: 0 });
  module.dispose();
  const compiled = new WebAssembly.Module(new Uint8Array(wasm));
  return new WebAssembly.Instance(compiled).exports as unknown as Program;
}

describe("the metered module", () => {
  it("takes one unit of gas for each turn of a loop and traps below zero", () => {
    const program = meter();
    program.gas.value = 100n;
    program.spin(40);
    expect(program.gas.value).toBe(60n);
    expect(() => program.spin(61)).toThrow(WebAssembly.RuntimeError);
    program.gas.value = 61n;
    program.spin(61);
    expect(program.gas.value).toBe(0n);
  });

  it("takes gas for bulk work by its length, before it is done", () => {
    const program = meter();
    program.gas.value = 10n;
    program.fill(640);
    expect(program.gas.value).toBe(0n);
    expect(() => program.fill(65_536)).toThrow(WebAssembly.RuntimeError);
    expect(new Uint8Array(program.memory.buffer)[8 * BLOCK + 641]).toBe(0);
  });

  it("shows a virtual memory size that can be set back while the real memory stays", () => {
    const program = meter();
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
    const program = meter();
    write(program);
    const marks = new Uint8Array(program.memory.buffer, 0, (18 * 65_536) / BLOCK);
    expect([...marks.entries()].filter(([, mark]) => mark !== 0)).toEqual(blocks.map((block) => [block, 1]));
  });

  it("marks nothing when the write is refused", () => {
    const program = meter();
    expect(() => program.store(18 * 65_536)).toThrow(WebAssembly.RuntimeError);
    expect(() => program.copy(18 * 65_536 - 1, 2)).toThrow(WebAssembly.RuntimeError);
    expect(new Uint8Array(program.memory.buffer).every((byte) => byte === 0)).toBe(true);
  });

  it("keeps only the named exports beside its own globals", () => {
    expect(Object.keys(meter()).sort()).toEqual(
      [...EXPORTS, "gas", "max_pages", "pages", "stack_bottom"].sort(),
    );
  });

  it("is refused when the number of loops is not the expected one", () => {
    expect(() => meter(2)).toThrow("1 loops found where 2 are expected");
  });
});

/** Functions with frames as the C compiler makes them: of a fixed size, of a size that it computes, and recursive. */
const STACK = `(module
  (memory (export "memory") 18)
  (global $sp (mut i32) (i32.const 1048576))
  (export "__stack_pointer" (global $sp))
  (func $deep (export "deep") (param $depth i32)
    (local $frame i32)
    (global.set $sp (local.tee $frame (i32.sub (global.get $sp) (i32.const 64))))
    (i64.store (local.get $frame) (i64.const 0))
    (if (local.get $depth) (then (call $deep (i32.sub (local.get $depth) (i32.const 1)))))
    (global.set $sp (i32.add (local.get $frame) (i32.const 64))))
  (func (export "take") (param $bytes i32)
    (global.set $sp (i32.sub (global.get $sp) (local.get $bytes)))
    (i64.store (global.get $sp) (i64.const 0))
    (global.set $sp (i32.add (global.get $sp) (local.get $bytes)))))`;

interface StackProgram {
  readonly memory: WebAssembly.Memory;
  readonly __stack_pointer: WebAssembly.Global;
  readonly stack_bottom: WebAssembly.Global;
  deep(depth: number): void;
  take(bytes: number): void;
}

function instantiate<T>(text: string, exports: string[], stackChanges: number): T {
  const module = binaryen.parseText(text);
  module.setFeatures(binaryen.Features.All);
  const wasm = rewriteWasm(module.emitBinary(), exports, { loops: 0, stackChanges });
  module.dispose();
  return new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array(wasm))).exports as unknown as T;
}

describe("the stack of the metered module", () => {
  const start = (): StackProgram => instantiate(STACK, ["memory", "__stack_pointer", "deep", "take"], 4);
  const room = 1024 * 1024 - STACK_BOTTOM;

  it("ends far above the marks, where the binding thinks that it ends", () => {
    expect(start().stack_bottom.value).toBe(STACK_BOTTOM);
    // A function may use 128 bytes below the pointer without saying so.
    expect(STACK_BOTTOM).toBeGreaterThan(MARKS_LENGTH + 128 * BLOCK);
  });

  it("holds what fits, and traps in a recursion one frame deeper, before it writes", () => {
    const program = start();
    program.deep(room / 64 - 1);
    expect(program.__stack_pointer.value).toBe(1024 * 1024);
    new Uint8Array(program.memory.buffer).fill(7);
    expect(() => program.deep(room / 64)).toThrow(WebAssembly.RuntimeError);
    const below = new Uint8Array(program.memory.buffer, MARKS_LENGTH, STACK_BOTTOM - MARKS_LENGTH);
    expect(below.every((byte) => byte === 7)).toBe(true);
  });

  it.each([room + 8, 1024 * 1024 + 8, 0x7fff_fff8, -8])("traps when a frame takes %i bytes", (bytes) => {
    const program = start();
    program.take(room);
    expect(() => program.take(bytes)).toThrow(WebAssembly.RuntimeError);
  });

  it("is refused when the number of its changes is not the expected one", () => {
    expect(() => instantiate(STACK, ["memory", "__stack_pointer", "deep"], 4)).toThrow(
      "2 stack changes found where 4 are expected",
    );
  });
});

describe("what the rewrite refuses", () => {
  it.each([
    [
      "state in a global of its own",
      `(global $own (mut i32) (i32.const 0)) (func (export "f") (global.set $own (i32.const 1)))`,
    ],
    [
      "state in a table",
      `(table $t 1 funcref) (func (export "f") (table.set $t (i32.const 0) (ref.null func)))`,
    ],
    [
      "writes from a data segment",
      `(memory 1) (data $d "x") (func (export "f") (memory.init $d (i32.const 0) (i32.const 0) (i32.const 1)))`,
    ],
    [
      "writes of vectors",
      `(memory 1) (func (export "f") (v128.store (i32.const 0) (v128.const i32x4 0 0 0 0)))`,
    ],
    [
      "atomic writes",
      `(memory 1 1 shared) (func (export "f") (i32.atomic.store (i32.const 0) (i32.const 1)))`,
    ],
  ])("%s, of which no restore knows", (_, body) => {
    expect(() => instantiate(`(module ${body})`, ["f"], 0)).toThrow("is not covered by a restore");
  });
});

describe("the marks of the table itself", () => {
  /** Tries to take marks away by writing zeros over the table, in every way that a program has. */
  it("stay, whatever is written over the table", () => {
    for (const erase of [
      (program: Program) => program.fillAt(0, 0, MARKS_LENGTH),
      (program: Program) => program.copyAt(0, 200 * BLOCK, MARKS_LENGTH),
      (program: Program) => {
        for (let at = MARKS_LENGTH - 8; at >= 0; at -= 8) program.zero(at);
      },
      (program: Program) => {
        for (let at = 0; at < MARKS_LENGTH; at += 8) program.zero(at);
        program.zero(0);
      },
    ]) {
      const program = meter();
      program.store(BLOCK * 300);
      erase(program);
      const marks = new Uint8Array(program.memory.buffer, 0, MARKS_LENGTH / BLOCK);
      expect(marks.some((mark) => mark !== 0)).toBe(true);
    }
  });
});
