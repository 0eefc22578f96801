import binaryen from "binaryen";
import { expect, it } from "vitest";
import { hookWasm } from "./hook-wasm.mjs";

const TARGETS = Array.from({ length: 210 }, () => "$out").join(" ");
const INTERPRETER = `(func $run (param $pc i32) (result i32)
  (block $out
    (br_table ${TARGETS} (local.tee $pc (i32.load8_u (local.get $pc)))))
  (i32.const 7))`;
const THROW = `(func $JS_Throw (param $ctx i32) (param $value i64) (drop (local.get $value)))
  (func (export "qjs_throw") (param $at i32) (call $JS_Throw (i32.const 0) (i64.load (local.get $at))))`;
const moduleOf = (...parts: string[]): Uint8Array => {
  const module = binaryen.parseText(
    `(module (memory (export "memory") 1) ${parts.join("\n")} (export "run" (func $run)))`,
  );
  const bytes = module.emitBinary();
  module.dispose();
  return bytes;
};

it("calls the host before each bytecode and at each throw, while it is watched", () => {
  const calls: unknown[] = [];
  const hooked = new WebAssembly.Module(hookWasm(moduleOf(INTERPRETER, THROW)) as BufferSource);
  const { exports } = new WebAssembly.Instance(hooked, {
    env: {
      watch_bytecode: (pc: number) => calls.push(pc),
      watch_throw: (value: bigint) => calls.push(value),
    },
  });
  const { run, qjs_throw, watched, memory } = exports as {
    run(pc: number): number;
    qjs_throw(at: number): void;
    watched: WebAssembly.Global;
    memory: WebAssembly.Memory;
  };
  new DataView(memory.buffer).setBigInt64(16, 99n, true);
  expect(run(5)).toBe(7);
  qjs_throw(16);
  expect(calls).toEqual([]);
  watched.value = 1;
  expect(run(5)).toBe(7);
  qjs_throw(16);
  expect(calls).toEqual([5, 99n]);
});

it.each([
  ["no interpreter", "(func $run)", THROW, /0 interpreters/],
  ["two interpreters", INTERPRETER + INTERPRETER.replace("$run", "$other"), THROW, /2 interpreters/],
  [
    "an opcode that comes from elsewhere",
    INTERPRETER.replace("(i32.load8_u (local.get $pc))", "(i32.const 1)"),
    THROW,
    /0 loads/,
  ],
  ["no throw", INTERPRETER, "", /no export qjs_throw/],
  ["a throw of another form", INTERPRETER, '(func (export "qjs_throw") (param i32) (nop))', /JS_Throw/],
])("refuses a module with %s", (_name, interpreter, thrower, message) => {
  expect(() => hookWasm(moduleOf(interpreter, thrower))).toThrow(message);
});
