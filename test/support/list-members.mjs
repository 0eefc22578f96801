// Lists the members of the language's objects, one a line, for the engine that runs it. Suites run it in the sandbox and
// compare with v8-13.0-members.txt, which the engine of the real runtime made. Deno 2.1.7 has that engine (V8 13.0.245.12):
//
//     deno run test/support/list-members.mjs > test/support/v8-13.0-members.txt
//
// `Intl` and `Temporal` are left out: this sandbox has a part of the first and nothing of the second.

const OBJECTS = [
  "AggregateError Array ArrayBuffer AsyncDisposableStack BigInt BigInt64Array BigUint64Array Boolean DataView Date",
  "DisposableStack Error EvalError FinalizationRegistry Float16Array Float32Array Float64Array Function Int16Array",
  "Int32Array Int8Array Iterator JSON Map Math Number Object Promise Proxy RangeError ReferenceError Reflect RegExp Set",
  "String SuppressedError Symbol SyntaxError TypeError URIError Uint16Array Uint32Array Uint8Array Uint8ClampedArray",
  "WeakMap WeakRef WeakSet",
].flatMap((line) => line.split(" "));

/** Deno adds these to its engine; the real runtime does not. */
const SHIMS = "Deno" in globalThis ? ["Symbol.asyncDispose", "Symbol.dispose", "Symbol.metadata"] : [];
/** Every function and constructor has these. */
const EVERYWHERE = new Set(["arguments", "caller", "constructor", "length", "name"]);

function listMembers() {
  const members = new Set();
  const seen = new Set();
  const add = (path, object, depth) => {
    const isObject = (typeof object === "object" && object !== null) || typeof object === "function";
    if (!isObject || seen.has(object)) return;
    seen.add(object);
    for (const key of Reflect.ownKeys(object)) {
      if (EVERYWHERE.has(key)) continue;
      const member = `${path}.${typeof key === "symbol" ? `[${key.description}]` : key}`;
      members.add(member);
      const { value } = Object.getOwnPropertyDescriptor(object, key);
      if (depth < 3) add(member, value, depth + 1);
    }
  };
  for (const name of OBJECTS)
    if (name in globalThis) {
      members.add(name);
      add(name, globalThis[name], 0);
    }
  const { getPrototypeOf } = Object;
  add("ArrayIterator", getPrototypeOf([].values()), 0);
  add(
    "AsyncFunction",
    getPrototypeOf(async () => {}),
    0,
  );
  add(
    "AsyncGenerator",
    getPrototypeOf(async function* () {}),
    0,
  );
  add("AsyncIterator", getPrototypeOf(getPrototypeOf(getPrototypeOf((async function* () {})()))), 0);
  add(
    "Generator",
    getPrototypeOf(function* () {}),
    0,
  );
  add("IteratorHelper", getPrototypeOf([].values().map(String)), 0);
  add("StringIterator", getPrototypeOf(""[Symbol.iterator]()), 0);
  add("TypedArray", getPrototypeOf(Int8Array), 0);
  return [...members].filter((member) => !SHIMS.includes(member)).sort();
}

if ("Deno" in globalThis) console.log(listMembers().join("\n"));
export default () => new Response(listMembers().join("\n"));
