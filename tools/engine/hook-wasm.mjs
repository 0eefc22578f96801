// Makes the module of the debugger from the metered one: two calls of the host inserted, nothing else changed, so that
// images, positions of the heap and gas are those of the module that runs every day. Used at build time only.
//
//  1. Before each bytecode, while the exported global `watched` is not 0: `watch_bytecode(address of the bytecode)`.
//     The interpreter is the one function with a jump table of more than 200 targets, and its operand loads the opcode.
//  2. At the start of JS_Throw: `watch_throw(the thrown value)`. It is what the exported `qjs_throw` calls with a value.
//     Native errors pass through it as well.
import binaryen from "binaryen";
import { endOfExpression, FEATURES } from "./rewrite-wasm.mjs";

/** Opcodes of QuickJS; no other jump table is nearly as large. */
const MIN_TARGETS = 200;

/**
 * @param {Uint8Array} metered the module that `rewriteWasm` made
 * @returns {Uint8Array} the module with hooks
 * @throws Error when a place is not found exactly once: then QuickJS, or how it was compiled, is another
 */
export function hookWasm(metered) {
  const source = binaryen.readBinary(metered);
  source.setFeatures(FEATURES);
  const text = source.emitText();
  source.dispose();
  const hooked = withGlobals(withThrows(withBytecodes(text)));
  const result = binaryen.parseText(hooked);
  result.setFeatures(FEATURES);
  if (!result.validate()) throw new Error("the module with hooks does not validate");
  const binary = result.emitBinary();
  result.dispose();
  return binary;
}

const watching = (call) => `(if (global.get $watched) (then ${call}))`;

function withBytecodes(text) {
  const tables = [...text.matchAll(/\(br_table [^\n]*/g)].filter(
    ([line]) => line.split(" $").length > MIN_TARGETS,
  );
  if (tables.length !== 1) throw new Error(`${tables.length} interpreters found where 1 is expected`);
  const [{ index: start }] = tables;
  // The operand is the first expression after the targets; what the arms do follows the table.
  const operandAt = text.indexOf("(", start + 1);
  const operand = text.slice(operandAt, endOfExpression(text, operandAt));
  const loads = [...operand.matchAll(/\(i32\.load8_u\s+\(local\.get (\$\S+?)\)\s*\)/g)];
  if (loads.length !== 1) throw new Error(`${loads.length} loads of an opcode found where 1 is expected`);
  const [{ 0: load, 1: pc, index }] = loads;
  const at = operandAt + index;
  const hook = watching(`(call $watch_bytecode (local.get ${pc}))`);
  const watched = `(i32.load8_u (block (result i32) ${hook} (local.get ${pc})))`;
  return text.slice(0, at) + watched + text.slice(at + load.length);
}

function withThrows(text) {
  const exported = /\(export "qjs_throw" \(func (\S+)\)\)/.exec(text)?.[1];
  if (exported === undefined) throw new Error("there is no export qjs_throw");
  const body = functionText(text, exported);
  const thrower = /\(call (\S+)/.exec(body)?.[1];
  const head = thrower && functionText(text, thrower).split("\n", 1)[0];
  const value = head && /\(param \S+ i32\) \(param (\S+) i64\)/.exec(head)?.[1];
  if (!value) throw new Error("JS_Throw(context, value) was not found behind qjs_throw");
  const hook = watching(`(call $watch_throw (local.get ${value}))`);
  return text.replace(functionText(text, thrower), (own) =>
    own.replace(/^.*\n(?: {2}\(local .*\n)*/, (start) => `${start}  ${hook}\n`),
  );
}

function functionText(text, name) {
  const at = text.indexOf(`\n (func ${name} `) + 1;
  if (at === 0) throw new Error(`there is no function ${name}`);
  return text.slice(at, endOfExpression(text, at + 1));
}

function withGlobals(text) {
  const head = "(module";
  const imports =
    '\n (import "env" "watch_bytecode" (func $watch_bytecode (param i32)))' +
    '\n (import "env" "watch_throw" (func $watch_throw (param i64)))';
  const closing = text.lastIndexOf(")");
  const global = ' (global $watched (export "watched") (mut i32) (i32.const 0))\n)';
  return head + imports + text.slice(text.indexOf(head) + head.length, closing) + global;
}
