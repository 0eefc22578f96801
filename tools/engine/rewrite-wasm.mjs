// Rewrites the pinned QuickJS wasm for metering. Called by build-engine.mjs at build time only, so that the
// large binaryen package never ships.
//
// Four changes, all in binaryen's text form:
//  1. every loop header takes 1 from the exported global `gas` and traps when it goes below zero. The interpreter's
//     dispatch is a loop, so this counts each bytecode and also the native loops (sort, regexp, bigint);
//  2. bulk copies and fills, the only native work without a loop, pay 1 for each 64 bytes;
//  3. memory.size and memory.grow speak of a virtual size (`pages`, at most `max_pages`), so that a restored
//     instance allocates exactly as a fresh one does although real wasm memory cannot shrink;
//  4. the lowest value of the stack pointer is kept in the exported global `stack_low`: below it (less RED_ZONE)
//     nothing of the stack was written, so that a restore need not clear a megabyte of unused stack.
import binaryen from "binaryen";

/** All that Node 20's V8 accepts; "all features" would write import kinds that it rejects. */
const FEATURES =
  binaryen.Features.BulkMemory |
  binaryen.Features.BulkMemoryOpt |
  binaryen.Features.SignExt |
  binaryen.Features.MutableGlobals |
  binaryen.Features.NontrappingFPToInt |
  binaryen.Features.Multivalue |
  binaryen.Features.ReferenceTypes;

const TAKE_ONE =
  "(global.set $gas (i64.sub (global.get $gas) (i64.const 1)))" +
  "(if (i64.lt_s (global.get $gas) (i64.const 0)) (then (unreachable)))";

/** Statement after each change of the stack pointer. */
const noteLowest = (pointer) =>
  `(if (i32.lt_u (global.get ${pointer}) (global.get $stack_low))` +
  ` (then (global.set $stack_low (global.get ${pointer}))))`;

const bulk = (name, instruction, second) => `
 (func $${name} (param $d i32) (param $s i32) (param $n i32)
  (global.set $gas (i64.sub (global.get $gas) (i64.extend_i32_u (i32.shr_u (local.get $n) (i32.const 6)))))
  (if (i64.lt_s (global.get $gas) (i64.const 0)) (then (unreachable)))
  (${instruction} (local.get $d) (local.get ${second}) (local.get $n)))`;

const ADDED = `
 (global $gas (export "gas") (mut i64) (i64.const 9223372036854775807))
 (global $pages (export "pages") (mut i32) (i32.const 18))
 (global $max_pages (export "max_pages") (mut i32) (i32.const 65535))
 (global $stack_low (export "stack_low") (mut i32) (i32.const -1))
 (func $virtual_grow (param $delta i32) (result i32)
  (local $old i32) (local $new i32) (local $real i32)
  (local.set $old (global.get $pages))
  (if (i32.gt_u (local.get $delta) (i32.sub (global.get $max_pages) (local.get $old)))
   (then (return (i32.const -1))))
  (local.set $new (i32.add (local.get $old) (local.get $delta)))
  (local.set $real (memory.size))
  (if (i32.gt_u (local.get $new) (local.get $real))
   (then (if (i32.eq (memory.grow (i32.sub (local.get $new) (local.get $real))) (i32.const -1))
    (then (return (i32.const -1))))))
  (global.set $pages (local.get $new))
  (local.get $old))
${bulk("metered_copy", "memory.copy", "$s")}
${bulk("metered_fill", "memory.fill", "$s")}
)`;

/**
 * @param {Uint8Array} original the shipped quickjs.wasm
 * @param {readonly string[]} keep names of the exports that the binding uses; the rest is removed (faster instantiation)
 * @param {number} expectedLoops loop headers that must be found: another number means another engine or another
 *   binaryen, and then the gas table has to be looked at before the number is changed
 * @returns {Uint8Array} the metered module
 */
export function rewriteWasm(original, keep, expectedLoops) {
  const source = binaryen.readBinary(original);
  source.setFeatures(FEATURES);
  const kept = new Set(keep);
  for (const entry of exportNames(source)) if (!kept.has(entry)) source.removeExport(entry);
  source.runPasses(["remove-unused-module-elements"]);
  const text = source.emitText();
  source.dispose();

  let loops = 0;
  const metered = text
    .replace(/^(\s*)\(memory\.size\)/gm, "$1(global.get $pages)")
    .replaceAll("(memory.grow", "(call $virtual_grow")
    .replaceAll("(memory.copy", "(call $metered_copy")
    .replaceAll("(memory.fill", "(call $metered_fill")
    .replace(/^\s*\(loop[^\n]*$/gm, (line) => {
      loops += 1;
      return `${line}\n${TAKE_ONE}`;
    });
  if (metered.includes("(memory.size")) throw new Error("a memory.size was not rewritten");
  if (loops !== expectedLoops) throw new Error(`${loops} loops found where ${expectedLoops} are expected`);
  const watched = withStackWatch(metered);
  const closing = watched.lastIndexOf(")");
  const result = binaryen.parseText(watched.slice(0, closing) + ADDED);
  result.setFeatures(FEATURES);
  if (!result.validate()) throw new Error("the metered module does not validate");
  const binary = result.emitBinary();
  result.dispose();
  return binary;
}

/** A frame given back: the pointer goes up by a positive number, so its lowest value stays. */
const GIVEN_BACK = /^\(global\.set \S+\s+\(i32\.add\s+\(local\.get \S+\)\s+\(i32\.const \d+\)\s*\)\s*\)$/;

/** Adds `noteLowest` after each statement that lowers the exported `__stack_pointer`. */
function withStackWatch(text) {
  const pointer = /\(export "__stack_pointer" \(global (\S+?)\)\)/.exec(text)?.[1];
  if (pointer === undefined) throw new Error("the engine exports no __stack_pointer");
  const set = `(global.set ${pointer}`;
  const note = noteLowest(pointer);
  let watched = "";
  let done = 0;
  for (let at = text.indexOf(set); at >= 0; at = text.indexOf(set, done)) {
    const end = endOfExpression(text, at);
    watched += text.slice(done, end);
    if (!GIVEN_BACK.test(text.slice(at, end))) watched += `\n${note}`;
    done = end;
  }
  return watched + text.slice(done);
}

/** Index after the parenthesis that closes the one at `start`. Expressions inside functions have no strings. */
function endOfExpression(text, start) {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    if (text[at] === "(") depth += 1;
    else if (text[at] === ")" && (depth -= 1) === 0) return at + 1;
  }
  throw new Error("an expression is not closed");
}

function exportNames(module) {
  const names = [];
  for (let index = 0; index < module.getNumExports(); index += 1) {
    names.push(binaryen.getExportInfo(module.getExportByIndex(index)).name);
  }
  return names;
}
