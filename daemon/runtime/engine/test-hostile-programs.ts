// Programs for tests that try to leave something behind: every built-in that calls back or nests, deeply nested, alone
// and composed, after changes to the globals. A seed always gives the same programs.

/** Depths of native recursion. The last ones exceed any stack. */
const DEPTHS = [100, 900, 4_000, 15_000, 22_000, 30_000, 100_000] as const;

/** Statements that a later call would notice if their changes stayed. */
const CHANGES = [
  "[globalThis.parseInt, globalThis.eval] = [eval, parseInt];",
  "Object.prototype.evil = 1; Array.prototype[7] = 'evil';",
  "Promise.prototype.then = () => {}; Response = URL = Headers = class { };",
  "JSON.parse = JSON.stringify = () => 'evil';",
  "globalThis.evil = Array.from({ length: 3e4 }, (_, i) => ({ i, ['k' + i]: [i] }));",
  "globalThis.evil = new Uint8Array(3e6).fill(255);",
  "for (const k of Object.getOwnPropertyNames(globalThis)) try { delete globalThis[k] } catch { }",
  "Object.freeze(Object.prototype); Object.defineProperty(Array.prototype, 'length', { get() { return 1 } });",
  "Math.random = () => 4; Date.now = () => 1; String.prototype.split = Array.prototype.sort = () => [];",
  "globalThis.evil = Symbol.for('evil'); globalThis.more = new WeakRef({}); new FinalizationRegistry(() => {}).register({}, 1);",
  "let it0 = [1].values(); const proto = Object.getPrototypeOf(Object.getPrototypeOf(it0)); proto.next = () => { throw 1 };",
] as const;

/** Each nests one construct `D` deep. */
const FRAGMENTS = [
  ...["map(x => x)", "filter(() => true)", "flatMap(x => [x])", "take(9)", "drop(0)"].map(
    (step) => `let it = [1, 2].values(); for (let i = 0; i < D; i++) it = it.${step}; it.next();`,
  ),
  "let it = [1].values(); for (let i = 0; i < D; i++) it = it.map(x => x); const go = n => n ? go(n - 1) : it.next(); go(40);",
  "let it = [1].values(); for (let i = 0; i < D; i++) it = i % 3 ? it.map(x => x) : it.flatMap(x => [x]); it.toArray();",
  "let it = { next() { return { value: 1, done: false } }, __proto__: Iterator.prototype }; for (let i = 0; i < D; i++) it = it.take(3); [...it]; it.return?.();",
  "let it = [1].values(); for (let i = 0; i < D; i++) it = Iterator.from({ next: it.next.bind(it) }); it.next();",
  "let it = [1].values(); for (let i = 0; i < D; i++) it = it.map(x => x); it.return();",
  ...[
    "p.x",
    "p.x = 1",
    "'x' in p",
    "delete p.x",
    "Object.keys(p)",
    "p()",
    "new p()",
    "Object.getPrototypeOf(p)",
  ].map((use) => `let p = function () { }; for (let i = 0; i < D; i++) p = new Proxy(p, {}); ${use};`),
  "let p = {}; for (let i = 0; i < D; i++) { const q = p; p = new Proxy({}, { get: (t, k) => q[k], has: (t, k) => k in q, ownKeys: () => Reflect.ownKeys(q) }); } p.x; 'x' in p; Object.keys(p);",
  "let p = {}; for (let i = 0; i < D; i++) p = new Proxy(p, { getPrototypeOf: t => Object.getPrototypeOf(t), isExtensible: t => Object.isExtensible(t), preventExtensions: t => Reflect.preventExtensions(t) }); p instanceof Array; Object.freeze(p);",
  "let p = {}; for (let i = 0; i < D; i++) p = new Proxy({ x: 1 }, { getOwnPropertyDescriptor: () => p, set: (t, k, v) => (q => q[k] = v)(p), defineProperty: () => true, deleteProperty: () => true }); p.x = 1; Object.getOwnPropertyDescriptor(p, 'x');",
  "let o = {}; for (let i = 0; i < D; i++) o = Object.create(o); o.x; for (const k in o);",
  "let o = { toString() { return 'x' } }; for (let i = 0; i < D; i++) { const q = o; o = { toString: () => '' + q }; } '' + o;",
  "const o = { valueOf() { return -o } }; -o;",
  "const o = { [Symbol.toPrimitive]() { return `${o}` } }; `${o}`;",
  "const o = { toJSON() { return JSON.stringify(o) } }; JSON.stringify(o);",
  "let a = []; for (let i = 0; i < D; i++) a = [a]; JSON.stringify(a);",
  "JSON.parse('['.repeat(D) + ']'.repeat(D), (k, v) => v);",
  `JSON.parse('{"a":'.repeat(D) + '1' + '}'.repeat(D), (k, v) => [v]);`,
  "const f = (k, v) => v > 0 ? JSON.parse('[' + (v - 1) + ']', f) : v; JSON.parse('[' + D + ']', f);",
  "let n = D; const f = (k, v) => n-- > 0 ? { v: [k] } : 1; JSON.stringify({ a: 1 }, f);",
  "let n = D; const f = () => n-- > 0 ? [3, 2, 1].sort(f).length : 0; [3, 2, 1].sort(f); new Uint8Array([3, 2, 1]).sort(f); [2, 1].toSorted(f);",
  "let n = D; const f = () => n-- > 0 ? 'aa'.replace(/a/g, f) : ''; f(); 'a'.replaceAll('a', f);",
  "new RegExp('(a'.repeat(D) + ')'.repeat(D)).exec('a'.repeat(50));",
  "new RegExp('(?=a'.repeat(D) + ')'.repeat(D)).test('a'); ",
  "new RegExp('(?:a|'.repeat(D) + 'b' + ')*'.repeat(D)).test('a'.repeat(30));",
  "new RegExp('[' + 'a-z&&['.repeat(D) + ']'.repeat(D) + ']', 'v').test('a');",
  "/(?:a?){99}(?:(a+)+b|c)*$/.test('a'.repeat(Math.min(D, 3e4)));",
  "/^(?:.|\\n)*$/.test('x'.repeat(D)); 'x'.repeat(D).match(/(x)(x)*?$/);",
  "const r = /a/; r.exec = () => r[Symbol.replace]('a', 'b'); 'a'.replace(r, 'b');",
  "function* g(n) { if (n) yield* g(n - 1); yield 1 } [...g(D)];",
  "async function* g(n) { if (n) yield* g(n - 1); yield 1 } for await (const x of g(Math.min(D, 900)));",
  "let g = (function* () { yield 1 })(); for (let i = 0; i < D; i++) g = (function* (h) { yield* h })(g); g.next(); g.return(); ",
  "let f = () => 1; for (let i = 0; i < D; i++) f = f.bind(null, i); f(); new f();",
  "let f = () => 1; for (let i = 0; i < D; i++) { const g = f; f = () => Reflect.apply(g, null, []); } f();",
  "let C = class { }; for (let i = 0; i < Math.min(D, 3e4); i++) { const B = C; C = class extends B { }; } new C();",
  "let C = function () { }; for (let i = 0; i < D; i++) { const B = C; C = function () { return Reflect.construct(B, [], new.target) }; } new C();",
  "let n = D; const f = () => n-- > 0 ? Array.from([1], f) : 1; f(); Array.from({ length: D }, (_, i) => i).flatMap(x => [x]);",
  "let a = [1]; for (let i = 0; i < D; i++) a = [a]; a.flat(Infinity); String(a);",
  "const a = [1]; a.constructor = { [Symbol.species]: function () { return a.concat(a) } }; a.concat(a);",
  "let n = D; class A extends Array { constructor(...x) { super(...x); if (n-- > 0) this.slice() } } new A(3).map(x => x);",
  "let n = D; const t = () => ({ then(f) { if (n-- > 0) f(t()); else f(1) } }); await t();",
  "let p = Promise.resolve(1); for (let i = 0; i < D; i++) p = p.then(x => x); await p; await Promise.all(Array(Math.min(D, 4e3)).fill(p));",
  "let a = []; for (let i = 0; i < D; i++) a = { a }; structuredClone(a);",
  "const m = new Map(); let k = m; for (let i = 0; i < D; i++) k = new Map([[k, new Set([k])]]); structuredClone(k);",
  "eval('('.repeat(D) + '1' + ')'.repeat(D));",
  "eval('[...' .repeat(D) + '[]' + ']'.repeat(D));",
  "eval('{'.repeat(D) + '}'.repeat(D)); eval('if(1)'.repeat(D) + ';');",
  "new Function('return ' + '!'.repeat(D) + '1')(); new Function('return ' + 'a=>'.repeat(D) + '1');",
  "eval('`${'.repeat(D) + '1' + '}`'.repeat(D));",
  "eval('function f(){'.repeat(D) + '}'.repeat(D)); eval('class A{static{'.repeat(D) + '}}'.repeat(D));",
  "eval('1' + '+1'.repeat(D)); eval('a' + '?.b'.repeat(D)); eval('var [' + '['.repeat(D) + ']'.repeat(D) + ']=[]');",
  "let s = ''; for (let i = 0; i < D; i++) s = i % 2 ? 'ab' + s : s + 'ab'; s.length; s.charCodeAt(9); s < s + 1;",
  "let s = 'a'; for (let i = 0; i < D; i++) s = [s + 'x'.repeat(9)][0] + 'y'; ({})[s]; s.indexOf('zz');",
  "let b = 1n; for (let i = 0; i < 60; i++) b = b * b + BigInt(D); b.toString(); BigInt('9'.repeat(D)); 7n ** BigInt(D);",
  "const a = new Uint8Array(D); a.set(Array.from({ length: D }, () => ({ valueOf() { return 1 } }))); Uint16Array.from(a, x => x); a.fill(1).copyWithin(3, 1).toReversed();",
  "let n = D; const e = { valueOf() { return n-- > 0 ? new Float64Array([e]).length : 1 } }; new Float64Array([e]);",
  "let n = D; Error.prepareStackTrace = () => n-- > 0 ? new Error().stack : ''; Error.stackTraceLimit = 1e6; new Error('x').stack; (function f() { if (n-- > 0) f(); else throw new Error() })();",
  "let e = new Error('x'); for (let i = 0; i < D; i++) e = new Error('x', { cause: e }); console.error(e); new AggregateError([e]);",
  "let n = D; const u = () => ({ toString() { return n-- > 0 ? new URL('x', u()).href : 'http://a/' } }); new URL('x', u());",
  "let n = D; const h = () => ({ get a() { return n-- > 0 ? new Headers(h()).get('a') : 'b' } }); new Headers(h());",
  "let n = D; const q = () => ({ get method() { return n-- > 0 ? new Request('http://a/', q()).method : 'PUT' }, get headers() { return { a: 'b' } } }); new Request('http://a/', q());",
  "let n = D; const k = () => ({ toString() { return n-- > 0 ? String(Kv.get(k())) : 'k' } }); Kv.get(k()); Kv.set('x', { toJSON() { return k() } });",
  "let o = {}; for (let i = 0; i < D; i++) { const q = o; o = { get x() { return q.x } }; } o.x; Object.assign({}, o); ({ ...o });",
  "let n = D; const d = { get value() { return n-- > 0 ? Object.defineProperty({}, 'a', d).a : 1 } }; Object.defineProperty({}, 'a', d);",
  "let n = D; class A { static [Symbol.hasInstance]() { return n-- > 0 ? 1 instanceof A : true } } 1 instanceof A;",
  "let n = D; const s = { [Symbol.iterator]() { return n-- > 0 ? new Set(s)[Symbol.iterator]() : [1][Symbol.iterator]() } }; new Map(new Set(s)); [...s];",
  "let n = D; const f = (a, ...b) => n-- > 0 ? f(...b, a, 1) : b.length; f(1); Math.max(...Array(Math.min(D, 6e4)).fill(1)); String.fromCharCode(...Array(Math.min(D, 6e4)).fill(65));",
  "(function f(a, b, c, d) { let e = [a, b, c, d]; return f(e, e, e, e) + 1 })();",
  "let n = D; const w = () => n-- > 0 ? [1].reduce(w, 0) + [1].findLast(w) + [1].some(w) : 1; [1, 2].reduceRight(w);",
  "const g = Object.groupBy(Array(D).keys(), x => ({ toString() { return 'k' + (x % 9) } })); Map.groupBy(g.k1, x => x);",
  "let l; for (let i = 0; i < D; i++) l = { l, r: l }; globalThis.kept = l; l = undefined;",
  "let l; for (let i = 0; i < D; i++) l = { l }; l = null; let c = () => 1; for (let i = 0; i < D; i++) { const q = c; c = () => q; } c = null;",
  "await new Response(new Blob(Array(Math.min(D, 3e3)).fill('ab'))).text(); const t = new TransformStream(); t.writable.getWriter().write(1); await t.readable.getReader().read();",
  "let e = new EventTarget(), n = D; e.addEventListener('a', () => { if (n-- > 0) e.dispatchEvent(new Event('a')) }); e.dispatchEvent(new Event('a'));",
  "new URLPattern({ pathname: '/' + '{a'.repeat(D) + '}?'.repeat(D) }).test('http://a/a'); ",
  "'e\\u0301'.repeat(D).normalize('NFC').localeCompare('é'.repeat(D)); escape(unescape('%u'.repeat(D))); encodeURIComponent('é'.repeat(D));",
  "new Date(Array(Math.min(D, 9e3)).fill('1 ').join('')); Date.parse('2'.repeat(D)); parseFloat('1'.repeat(D)); Number('0x' + 'f'.repeat(D));",
  "const a = []; for (;;) a.push(new Array(999).fill(a));",
  "for (;;) ;",
] as const;

/** How a program ends. */
const ENDS = [
  "return new Response('done');",
  "return new Response('done');",
  "throw new TypeError('hostile');",
  "null.x;",
  "return 7;",
  "return new Promise(() => { });",
  "for (;;);",
  "return new Response(new ReadableStream({ pull(c) { c.enqueue('x') } }));",
] as const;

/** A linear congruential generator: the same numbers on every machine. */
function numbersFrom(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** @returns `count` modules: first each fragment alone at some depth, then compositions */
export function hostilePrograms(count: number, seed: number): string[] {
  const below = numbersFrom(seed);
  const one = <T>(list: readonly T[]): T => list[below(list.length)] as T;
  const at = (fragment: string): string => fragment.replace(/\bD\b/g, String(one(DEPTHS)));
  return Array.from({ length: count }, (_, index) => {
    const alone = index < 2 * FRAGMENTS.length;
    const parts = alone
      ? [FRAGMENTS[index % FRAGMENTS.length] as string]
      : Array.from({ length: 1 + below(3) }, () => one(FRAGMENTS));
    // If caught, a failure lets the program continue; if not, it ends the program.
    const steps = parts.map((part) => (below(4) === 0 ? `{ ${at(part)} }` : `try { ${at(part)} } catch { }`));
    const change = one(CHANGES);
    const inModule = below(5) === 0 ? change : "";
    return `${inModule} export default async () => { ${inModule === "" ? change : ""} ${steps.join(" ")} ${one(ENDS)} };`;
  });
}
