// A program with every kind of value, and what the debugger reads of it. The build compares this with
// `tools/engine/probe.json`, so that another QuickJS, or another way to compile it, is noticed.
import { loadEngine } from "../engine/engine.ts";
import type { Vm } from "../engine/vm.ts";
import { type Frame, HeapReader, type Variable } from "./heap-reader.ts";
import { positionAt } from "./positions.ts";
import { viewOf } from "./value-view.ts";

const FILE = "jstz://probe";
const MAX_SHOWN = 80;
/** Its calls of `stop` are where the frames are read. */
const PROBE = `const shared = "kept";
function stop() {
  return 0;
}
function* counting(from) {
  const next = from + 1;
  stop();
  yield next;
}
async function* reading(from) {
  const inner = from * 2;
  stop();
  yield inner;
}
class Box {
  #hidden = 7;
  constructor(size) { this.size = size; }
  look(extra) {
    const sum = this.size + extra;
    stop();
    return sum + this.#hidden;
  }
}
async function later(text) {
  const before = text + "!";
  await 0;
  stop();
  return before;
}
export default async (request) => {
  const int = -5, float = 1.5, negativeZero = -0, nan = NaN, large = 1e300, infinite = Infinity;
  const yes = true, no = false, nothing = null, missing = undefined;
  const ascii = "plain", latin = "caf\u00e9", wide = "tez \ua729 \ud83d\ude42", sliced = "0123456789abcdefghijklmnopqrstuvwxyz".slice(5, 30);
  const small = 12n, huge = 2n ** 80n, symbol = Symbol("tag"), list = [1], plain = { a: 1 };
  const map = new Map([[1, { a: 1 }]]), set = new Set(["one"]), date = new Date(0), pattern = /a+/gi, bytes = new Uint8Array([1, 2]);
  const buffer = bytes.buffer, proxy = new Proxy({ b: 2 }, {}), promise = Promise.resolve(3), error = new TypeError("no"), boxed = Object(4);
  const keyed = { [Symbol("key")]: 1, get late() { return 2; } }, sparse = [, 5];
  let joined = "";
  for (let i = 0; i < 400; i++) joined += "abcdefghij";
  { let depth = 1; { let depth = 2; stop(); void depth; } void depth; }
  new Box(2).look(3);
  [...counting(1)];
  for await (const each of reading(4)) void each;
  const inside = (added) => { stop(); return added + int + shared.length; };
  inside(9);
  await later("wait");
  try { null.field; } catch (error) { stop(); }
  return new Response(String(joined.length + [float, negativeZero, nan, large, infinite, yes, no, nothing, missing, ascii, latin, wide, sliced, small, huge, String(symbol), list, plain, map, set, date, pattern, bytes, buffer, proxy, promise, error, boxed, keyed, sparse].length));
};`;

/** A line for each frame and each variable at each stop, and one for each throw. */
export async function readProbe(directory: string): Promise<string[]> {
  const lines: string[] = [];
  const readers = new Map<Vm, HeapReader>();
  let isCalled = false;
  const readerOf = (vm: Vm): HeapReader => {
    const reader = readers.get(vm) ?? new HeapReader(vm);
    readers.set(vm, reader);
    reader.refresh();
    return reader;
  };
  const engine = await loadEngine({
    directory,
    watcher: {
      bytecode(vm, pc) {
        if (!isCalled) return;
        const heap = readerOf(vm);
        const running = heap.frame(heap.word(heap.runningFrameAt));
        if (running?.fn.name === "stop" && running.fn.file === FILE && pc === running.fn.code)
          lines.push(...stackLines(heap, running.address));
      },
      thrown(vm, value) {
        if (isCalled) lines.push(`thrown ${readerOf(vm).value(value).kind}`);
      },
      evaluating: () => undefined,
      evaluated: () => undefined,
    },
  });
  const call = engine.open(PROBE, FILE, { gas: 100_000_000, now: 0, seed: "" });
  isCalled = true;
  const step = call.invoke(
    { op: () => undefined, fetch: () => undefined },
    { url: `${FILE}/`, method: "GET", headers: [], body: null },
  );
  isCalled = false;
  lines.push(`ended ${step.kind === "response" ? step.response.status : JSON.stringify(step)}`);
  call.close();
  return lines;
}

/** The frames of the program, `stop` left out. */
function stackLines(heap: HeapReader, running: number): string[] {
  const lines: string[] = [];
  for (let at = heap.callerOf(running); at !== 0; at = heap.callerOf(at)) {
    const frame = heap.frame(at);
    if (frame?.fn.file !== FILE) continue;
    const place = positionAt(frame.fn.positions, heap.pcOf(at) - frame.fn.code);
    const { name, line, column } = frame.fn;
    const kind = frame.isResumed ? "resumed" : "plain";
    lines.push(`frame ${name} ${line}:${column} at ${place?.line}:${place?.column} ${kind}`);
    for (const variable of heap.variables(frame)) lines.push(variableLine(heap, variable, frame));
  }
  return lines;
}

function variableLine(heap: HeapReader, { name, scope, level, bits }: Variable, { fn }: Frame): string {
  const value = heap.value(bits);
  const isPlain = value.kind === "null" || value.kind === "undefined" || value.kind === "uninitialized";
  const shown = isPlain ? "" : viewOf(heap, { kind: "value", bits }).text.slice(0, MAX_SHOWN);
  return `  ${fn.name} ${scope} ${level} ${name}: ${value.kind} ${shown}`.trimEnd();
}
