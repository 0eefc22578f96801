// Rewrites the pinned QuickJS wasm for metering. Called by build-engine.mjs at build time only, so that the
// large binaryen package never ships.
//
// Five changes, all in binaryen's text form:
//  1. every loop header takes 1 from the exported global `gas` and traps when it goes below zero. The interpreter's
//     dispatch is a loop, so this counts each bytecode and also the native loops (sort, regexp, bigint);
//  2. bulk copies and fills, the only native work without a loop, pay 1 for each 64 bytes;
//  3. memory.size and memory.grow work on a virtual size (`pages`, at most `max_pages`), so that a restored
//     instance allocates exactly as a fresh one does although real wasm memory cannot shrink;
//  4. every write marks its block of 1 KB in a table of bytes at address 0, so that a restore copies only written
//     blocks. The table has marks for its own blocks too, and a mark is set after its write: a write into the table
//     leaves a mark there that no later write can remove, so a restore detects it;
//  5. every change of the stack pointer traps when it leaves the stack's own range. QuickJS checks its depth only in
//     some functions; this covers all of them. A function that does not move the pointer uses at most 128 bytes.
import binaryen from "binaryen";

/** All that Node 20's V8 accepts; "all features" would write import kinds that it rejects. */
export const FEATURES =
  binaryen.Features.BulkMemory |
  binaryen.Features.BulkMemoryOpt |
  binaryen.Features.SignExt |
  binaryen.Features.MutableGlobals |
  binaryen.Features.NontrappingFPToInt |
  binaryen.Features.Multivalue |
  binaryen.Features.ReferenceTypes;

const take = (units) => `(global.set $gas (i64.sub (global.get $gas) (i64.const ${units})))`;
const takeOrTrap = (units) =>
  `${take(units)}(if (i64.lt_s (global.get $gas) (i64.const 0)) (then (unreachable)))`;

/** Log2 of the block size in bytes. */
const BLOCK_BITS = 10;

/** The table has 98,304 marks, for the blocks of this many pages of 64 KB; an instance may not have more. */
const MARKED_PAGES = 1_536;

/**
 * Lowest address of the stack. Code that checks QuickJS's own limit (448 KB) stops 192 KB above it.
 * Between here and the table of marks nothing is ever written.
 */
const STACK_BOTTOM = 384 * 1024;

/** Gas for a new page: the system must find and clear it, and a restore must clear it again. */
const PAGE_PRICE = 4_000;
/** The same when the call's instance grows so large that it is discarded afterwards (`RETIRE_BYTES`). */
const PAGE_PRICE_ABOVE = 16_000;
const CHEAP_PAGES = 512;

/** Marks the block of an address (an expression) as written. */
const markBlock = (address) => `(i32.store8 (i32.shr_u ${address} (i32.const ${BLOCK_BITS})) (i32.const 1))`;

const bulk = (name, instruction, second) => `
 (func $${name} (param $d i32) (param $s i32) (param $n i32)
  (global.set $gas (i64.sub (global.get $gas) (i64.extend_i32_u (i32.shr_u (local.get $n) (i32.const 6)))))
  (if (i64.lt_s (global.get $gas) (i64.const 0)) (then (unreachable)))
  (${instruction} (local.get $d) (local.get ${second}) (local.get $n))
  (call $mark_range (local.get $d) (local.get $n)))`;

const ADDED = `
 (global $gas (export "gas") (mut i64) (i64.const 9223372036854775807))
 (global $pages (export "pages") (mut i32) (i32.const 18))
 (global $stack_bottom (export "stack_bottom") i32 (i32.const ${STACK_BOTTOM}))
 (global $max_pages (export "max_pages") (mut i32) (i32.const ${MARKED_PAGES}))
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
  (global.set $gas (i64.sub (global.get $gas)
   (i64.mul (i64.extend_i32_u (local.get $delta))
    (select (i64.const ${PAGE_PRICE_ABOVE}) (i64.const ${PAGE_PRICE})
     (i32.gt_u (local.get $new) (i32.const ${CHEAP_PAGES}))))))
  (local.get $old))
 (func $mark_range (param $d i32) (param $n i32)
  (local $first i32) (local $blocks i32)
  (if (i32.eqz (local.get $n)) (then (return)))
  (local.set $first (i32.shr_u (local.get $d) (i32.const ${BLOCK_BITS})))
  (local.set $blocks (i32.sub
   (i32.shr_u (i32.add (local.get $d) (i32.sub (local.get $n) (i32.const 1))) (i32.const ${BLOCK_BITS}))
   (local.get $first)))
  (i32.store8 (local.get $first) (i32.const 1))
  (if (local.get $blocks)
   (then (memory.fill (i32.add (local.get $first) (i32.const 1)) (i32.const 1) (local.get $blocks)))))
${bulk("metered_copy", "memory.copy", "$s")}
${bulk("metered_fill", "memory.fill", "$s")}
)`;

/**
 * @param {Uint8Array} original the shipped quickjs.wasm
 * @param {readonly string[]} keep names of the exports that the binding uses; the rest is removed (faster instantiation)
 * @param {{ loops: number, stackChanges: number }} expected expected numbers of loop headers and of changes of the
 *   stack pointer: other numbers mean another engine or another binaryen; then review the gas table and the rules
 *   above before changing them here
 * @returns {Uint8Array} the metered module
 */
export function rewriteWasm(original, keep, expected) {
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
    .replace(/^\s*\(loop[^\n]*$/gm, (line, at, whole) => {
      loops += 1;
      return `${line}\n${takeOrTrap(turnPrice(whole.slice(at, endOfExpression(whole, at))))}`;
    });
  if (metered.includes("(memory.size")) throw new Error("a memory.size was not rewritten");
  if (loops !== expected.loops) throw new Error(`${loops} loops found where ${expected.loops} are expected`);
  refuseUnknown(metered);
  const { checked, changes } = withStackChecks(metered);
  if (changes !== expected.stackChanges)
    throw new Error(`${changes} stack changes found where ${expected.stackChanges} are expected`);
  const marking = withMarks(withEntryPrices(checked));
  const closing = marking.lastIndexOf(")");
  const result = binaryen.parseText(marking.slice(0, closing) + ADDED);
  result.setFeatures(FEATURES);
  if (!result.validate()) throw new Error("the metered module does not validate");
  const binary = result.emitBinary();
  result.dispose();
  return binary;
}

/** State and writes that a restore does not cover. */
const UNKNOWN =
  /\((?:memory\.init|data\.drop|elem\.drop|table\.(?:set|grow|fill|copy|init)|v128\.store\w*|\S+\.atomic\.\S+)/;
const STACK_POINTER = /\(export "__stack_pointer" \(global (\S+)\)\)/;

/** A restore covers the memory and the stack pointer: the engine must not keep state elsewhere. */
function refuseUnknown(text) {
  const unknown = UNKNOWN.exec(text)?.[0];
  if (unknown !== undefined) throw new Error(`${unknown.slice(1)} is not covered by a restore`);
  const pointer = STACK_POINTER.exec(text)?.[1];
  for (const [, name] of text.matchAll(/^ \(global (\S+) .*\(mut /gm))
    if (name !== pointer) throw new Error(`the global ${name} is not covered by a restore`);
}

/** The end of a function, which releases its frame: that moves the pointer up, where it can do no harm. */
const RELEASE = /^\s*\(i32\.add\s+\(local\.get \S+\)\s+\(i32\.const \d+\)\s*\)\s*\)$/;

/** Adds a check after each change of the stack pointer; the range of the stack ends where the pointer starts. */
function withStackChecks(text) {
  const pointer = STACK_POINTER.exec(text)?.[1];
  if (pointer === undefined) return { checked: text, changes: 0 };
  const declared = text.split("\n").find((line) => line.startsWith(` (global ${pointer} `));
  const top = Number(/\(i32\.const (\d+)\)/.exec(declared)[1]);
  const check =
    `(if (i32.gt_u (i32.sub (global.get ${pointer}) (i32.const ${STACK_BOTTOM})) (i32.const ${top - STACK_BOTTOM}))` +
    ` (then (unreachable)))`;
  const head = `(global.set ${pointer}`;
  let checked = "";
  let done = 0;
  let changes = 0;
  for (let at = text.indexOf(head); at >= 0; at = text.indexOf(head, at + 1)) {
    const end = endOfExpression(text, at);
    changes += 1;
    if (RELEASE.test(text.slice(at + head.length, end))) continue;
    checked += `${text.slice(done, end)}\n${check}`;
    done = end;
  }
  return { checked: checked + text.slice(done), changes };
}

/**
 * Price of a turn of a loop: more when it calls other functions, which may be too short to have their own price.
 * Interpreter loops, whose turns do one of many small steps, cost 1.
 */
function turnPrice(loop) {
  if (loop.split("\n", 2_000).length === 2_000) return 1;
  return 1 + Math.min(3, [...loop.matchAll(/\(call(?:_indirect)? /g)].length);
}

/** Price of calling a function of the engine, by its length in lines of text; short ones are free. */
const entryPrice = (lines) => (lines < 80 ? 0 : Math.min(4, Math.ceil(lines / 160)));

/** Charges the price of each function at its start. The next loop header traps if the gas is used up. */
function withEntryPrices(text) {
  return text
    .split(/^(?= \(func )/m)
    .map((part) => {
      if (!part.startsWith(" (func ")) return part;
      const price = entryPrice(part.split("\n").length);
      if (price === 0) return part;
      return part.replace(/^.*\n(?:  \(local .*\n)*/, (head) => `${head}  ${take(price)}\n`);
    })
    .join("");
}

const STORE = /\((?:i32|i64|f32|f64)\.store(?:8|16|32)?(?: offset=(\d+))?(?: align=(\d+))?/;
const WIDTHS = { i32: 4, i64: 8, f32: 4, f64: 8 };

/** Adds a mark after each store of each function. */
function withMarks(text) {
  return text
    .split(/^(?= \(func )/m)
    .map((part) => {
      if (!part.startsWith(" (func ")) return part;
      const { marked, depth } = markStores(part, 0);
      const locals = Array.from({ length: depth }, (_, level) => ` (local ${markLocal(level)} i32)`).join("");
      // The first line is the function's head; its other locals follow.
      return marked.replace("\n", `${locals}\n`);
    })
    .join("");
}

/** Holds the address of a store while its value is computed; stores inside that value use the next local. */
const markLocal = (level) => `$store_address_${level}`;

/** @returns the text with marks, and how many locals it uses; those below `level` are in use */
function markStores(text, level) {
  const stores = new RegExp(STORE, "g");
  const local = `(local.get ${markLocal(level)})`;
  let marked = "";
  let done = 0;
  let depth = 0;
  for (let found = stores.exec(text); found !== null; found = stores.exec(text)) {
    const [head, offset = "0", align] = found;
    const end = endOfExpression(text, found.index);
    const addressAt = text.indexOf("(", found.index + 1);
    const addressEnd = endOfExpression(text, addressAt);
    const address = markStores(text.slice(addressAt, addressEnd), level + 1);
    const value = markStores(text.slice(addressEnd, end - 1), level + 1);
    depth = Math.max(depth, level + 1, address.depth, value.depth);
    const markAt = (place) =>
      `\n${markBlock(place === 0 ? local : `(i32.add ${local} (i32.const ${place}))`)}`;
    marked += `${text.slice(done, found.index)}${head} (local.tee ${markLocal(level)} ${address.marked})`;
    marked += `${value.marked})${markAt(Number(offset))}`;
    // A store that may be unaligned may cross the boundary of two blocks.
    const width = widthOf(head);
    if (align !== undefined && Number(align) < width) marked += markAt(Number(offset) + width - 1);
    done = end;
    stores.lastIndex = end;
  }
  return { marked: marked + text.slice(done), depth };
}

function widthOf(head) {
  const [, type, bits] = /\((\w+)\.store(\d*)/.exec(head);
  return bits === "" ? WIDTHS[type] : Number(bits) / 8;
}

/** Index after the parenthesis that closes the one at `start`. Expressions inside functions have no strings. */
export function endOfExpression(text, start) {
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
