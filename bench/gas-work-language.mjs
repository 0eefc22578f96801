// The language itself, for bench/gas-prices.mjs: operators and statements, JSON and source text.
import { inGroup, ofSizes, attempt, work } from "./gas-work.mjs";

/** @returns constructs of programs, and texts of all shapes to parse */
export function languageWork() {
  return [
    ...inGroup("operators and statements", [
      work("float arithmetic", "let f = 1.1", "f = f * 1.0000001 + 0.1; f = f / 1.1 - 0.2"),
      work("power of floats", "let f = 1.1", "f = (f ** 1.37) % 7.7; f = f ** 0.7"),
      work("remainder of floats", "let f = 1e308", "f % 3e-308; f % 1.7"),
      work("sine of a large number", "let f = 1e300", "f += 1e290; Math.sin(f); Math.cos(f); Math.tan(f)"),
      work(
        "logarithms and roots",
        "let f = 2.2",
        "Math.log(f); Math.cbrt(f); Math.expm1(f); Math.atan2(f, 2); Math.sinh(f)",
      ),
      work("comparison of kinds", "const a = '12', b = 12", "a == b; a < b; a >= 13; null == a; a === '12'"),
      work("texts to numbers", "const a = '12.5e3'", "+a; a * 2; a | 0"),
      work("small BigInts", "let a = 3n", "a = (a * 7n + 1n) & 0xffffn; a << 3n; a % 7n"),
      work(
        "destructuring",
        "const a = [1, 2, 3], o = { x: 1, y: 2 }",
        "const [p, ...q] = a; const { x, ...r } = o",
      ),
      work("spread of arguments", "const f = (...x) => x.length, a = [1, 2, 3, 4]", "f(...a, ...a)"),
      work("arguments", "function f() { return arguments.length }", "f(1, 2, 3)"),
      work(
        "instances with private fields",
        "class A { #p = 1; get p() { return this.#p } set p(v) { this.#p = v } }",
        "const a = new A(); a.p; a.p = 2",
      ),
      work(
        "inheritance",
        "class A { m() { return 1 } } class B extends A { constructor() { super() } m() { return super.m() } }",
        "new B().m()",
      ),
      work("classes", "", "class A { a() { } static b() { } #c() { } }"),
      work(
        "instanceof, in, typeof",
        "const o = { a: 1 }",
        "o instanceof Object; 'a' in o; typeof o; delete o.b",
      ),
      work("property names that are made", "const o = {}; let i = 0", "o['k' + (i++ % 50)] = i"),
      work(
        "Object.defineProperty",
        "",
        "Object.defineProperty({}, 'a', { get() { return 1 }, configurable: true })",
      ),
      work(
        "Reflect",
        "const o = { a: 1 }",
        "Reflect.ownKeys(o); Reflect.get(o, 'a'); Reflect.has(o, 'a'); Reflect.apply(Math.abs, null, [1])",
      ),
      work(
        "iteration by for of",
        "const m = new Map([[1, 2], [3, 4]])",
        "for (const [k, v] of m); for (const x of [1, 2]);",
      ),
      work("tagged templates", "const t = (s, ...v) => s.raw[0]", "t`a${1}b${2}`; String.raw`a${1}`"),
      work("try and finally", "", "try { try { throw 1 } finally { } } catch { }"),
      work("async functions", "const f = async () => 1", "await f()"),
      work("async generators", "async function* g() { yield 1; yield 2 }", "for await (const x of g());"),
      work("Promise.all", "", "await Promise.all([1, Promise.resolve(2), (async () => 3)()])"),
      work(
        "Dates",
        "const d = new Date(1e12)",
        "d.setMonth(5); d.getTimezoneOffset(); new Date(2020, 1, 2, 3); d.valueOf()",
      ),
      work("Symbols", "", "Symbol('a').description; Symbol.for('b')"),
      work("weak references", "const o = {}", "new WeakRef(o).deref(); new WeakSet([o]).has(o)"),
      work(
        "getters of bytes",
        "const a = new Uint8Array(8)",
        "a.length; a.byteOffset; a.buffer; a.subarray(1)",
      ),
      work(
        "small functions of the library",
        "const a = [3, 1, 2]",
        "Math.max(1, 2); parseInt('7'); isNaN(1); Number.isInteger(2); a.at(-1); a.indexOf(2)",
      ),
      work(
        "small texts",
        "const t = 'abc'",
        "t.charAt(1); t.charCodeAt(1); t.slice(1); t + 'd'; t.startsWith('a'); t.toUpperCase()",
      ),
      work(
        "AbortController, EventTarget",
        "",
        "const c = new AbortController(); c.signal.addEventListener('abort', () => { }); c.abort()",
      ),
      work("with and eval", "", "eval('1')"),
    ]),
    ...inGroup("JSON, eval, Function", [
      ...ofSizes(
        "JSON.parse",
        "const t = JSON.stringify(Array.from({ length: N }, (_, i) => ({ i })))",
        "JSON.parse(t)",
      ),
      ...ofSizes("JSON.parse of a text", "const t = JSON.stringify('aé'.repeat(N))", "JSON.parse(t)"),
      ...ofSizes(
        "JSON.parse of numbers",
        "const t = JSON.stringify(Array(N).fill(1.2345e-7))",
        "JSON.parse(t)",
      ),
      ...ofSizes("JSON.parse of spaces", "const t = ' '.repeat(N) + '1'", "JSON.parse(t)"),
      ...ofSizes(
        "JSON.parse nested",
        "const t = '['.repeat(N) + ']'.repeat(N)",
        attempt("JSON.parse(t)"),
        [10, 1000],
      ),
      ...ofSizes(
        "JSON.parse of one name",
        "const t = '{' + '\"a\":1,'.repeat(N) + '\"b\":1}'",
        "JSON.parse(t)",
      ),
      ...ofSizes(
        "JSON.stringify",
        "const t = Array.from({ length: N }, (_, i) => ({ i }))",
        "JSON.stringify(t)",
      ),
      ...ofSizes("JSON.stringify of a text", "const t = '\\n'.repeat(N)", "JSON.stringify(t)"),
      ...ofSizes(
        "JSON.stringify nested",
        "let t = []; for (let i = 0; i < N; i++) t = [t]",
        attempt("JSON.stringify(t)"),
        [10, 300, 1000],
      ),
      ...ofSizes("JSON.stringify with spaces", "const t = Array(N).fill(1)", "JSON.stringify(t, null, 10)"),
      ...ofSizes("eval of statements", "const t = 'x=1;'.repeat(N)", "let x; eval(t)", [10, 1000, 20000]),
      ...ofSizes(
        "eval of variables",
        "const t = Array.from({ length: N }, (_, i) => `let v${i}=1;`).join('')",
        "eval(t)",
        [10, 1000, 3000],
      ),
      ...ofSizes(
        "eval of functions",
        "const t = 'function f(){return 1}'.repeat(N)",
        "eval(t)",
        [10, 1000, 10000],
      ),
      ...ofSizes(
        "eval of literals",
        "const t = '[' + '1.5,\"a\",'.repeat(N) + ']'",
        "eval(t)",
        [10, 1000, 20000],
      ),
      ...ofSizes("eval of spaces", "const t = ' '.repeat(N) + '1'", "eval(t)"),
      ...ofSizes("eval of a comment", "const t = '/*' + 'x'.repeat(N) + '*/1'", "eval(t)"),
      ...ofSizes(
        "eval of nested functions",
        "const t = '(()=>'.repeat(N) + '1' + ')'.repeat(N)",
        attempt("eval(t)"),
        [10, 100],
      ),
      ...ofSizes(
        "eval of nested scopes",
        "const t = '{let a=1;'.repeat(N) + '}'.repeat(N)",
        attempt("eval(t)"),
        [10, 300],
      ),
      ...ofSizes(
        "eval of captured variables",
        "const t = Array.from({ length: N }, (_, i) => `let v${i}=1;`).join('') + '(() => {' + Array.from({ length: N }, (_, i) => `v${i};`).join('') + '})()'",
        "eval(t)",
        [10, 1000, 3000],
      ),
      ...ofSizes(
        "eval of labels",
        "const t = Array.from({ length: N }, (_, i) => `l${i}:`).join('') + ';'",
        attempt("eval(t)"),
        [10, 300],
      ),
      ...ofSizes(
        "eval of cases",
        "const t = 'switch(1){' + Array.from({ length: N }, (_, i) => `case ${i + 5}:`).join('') + '}'",
        "eval(t)",
        [10, 1000, 10000],
      ),
      ...ofSizes(
        "eval of a class",
        "const t = '(class{' + Array.from({ length: N }, (_, i) => `#p${i}=1;m${i}(){}`).join('') + '})'",
        "eval(t)",
        [10, 1000],
      ),
      ...ofSizes("Function", "const t = 'return 1;'.repeat(N)", "new Function(t)", [10, 1000, 20000]),
      ...ofSizes(
        "stack of an error",
        "const f = (n) => n ? f(n - 1) : new Error('x').stack",
        "f(N)",
        [10, 500],
      ),
    ]),
  ];
}
