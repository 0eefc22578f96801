// What bench/gas-prices.mjs measures: bodies of loops, each with what is made once before it.

const work = (name, before, body) => ({ name, before, body });
const tried = (code) => `try { ${code} } catch { }`;

/** Sizes of small, large and very large arguments. */
const SIZES = [10, 1_000, 50_000];

/** A body for each size; `N` stands for it. */
const sized = (name, before, body, sizes = SIZES) =>
  sizes.map((size) => {
    const fill = (code) => code.replace(/\bN\b(?!\})/g, size);
    return work(`${name} ${size}`, fill(before), fill(body));
  });

/** Work of which each call can do one only: what it costs is done before and after the call, too. */
const once = (name, body) => ({ ...work(name, "", body), once: true });

/** A source map of many short mappings, as the end of a program. */
function sourceMap() {
  const map = { version: 3, sources: ["a.ts"], names: [], mappings: "AAAA,".repeat(8e5) };
  return `\n//# sourceMappingURL=data:application/json;base64,${Buffer.from(JSON.stringify(map)).toString("base64")}`;
}

/** What the host does with the end of a call. */
const endings = () => [
  once("an error with a long message", "throw new Error('x'.repeat(8e6))"),
  once(
    "an error with a long stack",
    "throw Object.defineProperty(new Error('x'), 'stack', { value: '\\n    at f (native) '.repeat(4e5) })",
  ),
  once("a thrown long text", "throw 'é'.repeat(4e6)"),
  { ...once("an error in code with a source map", "null.x"), after: sourceMap() },
  once("a long response", "return new Response('x'.repeat(8e6))"),
  once("a long response of two-byte characters", "return new Response('é'.repeat(4e6))"),
  once("a response of bytes", "return new Response(new Uint8Array(8e6))"),
  once(
    "a response with many headers",
    "const h = new Headers(); for (let i = 0; i < 3000; i++) h.append('a' + i, 'b'); return new Response('', { headers: h })",
  ),
];

/** @returns the operations of the host, reached through the classes that use them */
export function hostWork({ bomb, flat }) {
  const url = (name, before, body) => sized(`URL ${name}`, before, tried(body), [10, 490, 50_000]);
  return [
    ...url("path", `const s = "http://a/" + "b".repeat(N)`, `new URL(s)`),
    ...url("that does not parse", `const s = "a".repeat(N)`, `new URL(s)`),
    ...url("dots", `const s = "http://a" + "/..".repeat(N)`, `new URL(s)`),
    ...url("path with ..", `const s = "http://a/" + "b/".repeat(N) + "../".repeat(N)`, `new URL(s)`),
    ...url("percent", `const s = "http://a/" + "é".repeat(N)`, `new URL(s)`),
    ...url("@", `const s = "http://" + "@".repeat(N) + "a/"`, `new URL(s)`),
    ...url("user", `const s = "http://" + ":b".repeat(N) + "@a/"`, `new URL(s)`),
    ...url("query", `const s = "http://a/?" + "'é".repeat(N)`, `new URL(s)`),
    ...url("spaces", `const s = " ".repeat(N) + "http://a/" + "\\t".repeat(N)`, `new URL(s)`),
    ...url("relative", `const s = "/a".repeat(N)`, `new URL("x", "http://a" + s)`),
    ...url("ASCII host", `const s = "http://" + "a".repeat(N) + "/"`, `new URL(s)`),
    ...url("ASCII labels", `const s = "http://" + "a.".repeat(N) + "/"`, `new URL(s)`),
    ...url("escaped host", `const s = "http://" + "%41".repeat(N) + "/"`, `new URL(s)`),
    ...url(
      "CJK host",
      `let s = "http://"; for (let i = 0; i < N; i++) s += String.fromCodePoint(0x4e00 + i % 20000)`,
      `new URL(s)`,
    ),
    ...url("accented labels", `const s = "http://" + "é.".repeat(N) + "/"`, `new URL(s)`),
    ...url("combining marks", `const s = "http://a" + "\\u0301\\u0327".repeat(N) + "/"`, `new URL(s)`),
    ...url("right to left", `const s = "http://" + "\\u05d0".repeat(N) + "/"`, `new URL(s)`),
    ...url("joiners", `const s = "http://" + "\\u0628\\u200c".repeat(N) + "/"`, `new URL(s)`),
    ...url("xn--", `const s = "http://xn--" + "a".repeat(N) + "/"`, `new URL(s)`),
    ...url("xn-- labels", `const s = "http://" + "xn--4ca.".repeat(N) + "/"`, `new URL(s)`),
    ...url("numeric host", `const s = "http://" + "1".repeat(N) + "/"`, `new URL(s)`),
    ...url("hex host", `const s = "http://0x" + "f".repeat(N) + "/"`, `new URL(s)`),
    ...url("IPv6 host", `const s = "http://[" + "1:".repeat(N) + "]/"`, `new URL(s)`),
    ...url("port", `const s = "http://a:" + "0".repeat(N) + "80/"`, `new URL(s)`),
    ...url("opaque path", `const s = "jstz:" + "a ".repeat(N)`, `new URL(s)`),
    ...url("set hash", `const u = new URL("http://a/" + "b".repeat(N))`, `u.hash = "x"`),
    ...url("set host", `const u = new URL("http://a/"); const s = "é".repeat(N)`, `u.host = s`),
    ...url("set pathname", `const u = new URL("http://a/"); const s = "é/../".repeat(N)`, `u.pathname = s`),
    ...url("parameters", `const s = "?" + "a=b&".repeat(N)`, `new URLSearchParams(s).get("z")`),
    ...sized("digest SHA-1", `const b = new Uint8Array(N * 20)`, `await crypto.subtle.digest("SHA-1", b)`),
    ...sized(
      "digest SHA-256",
      `const b = new Uint8Array(N * 20)`,
      `await crypto.subtle.digest("SHA-256", b)`,
    ),
    ...sized(
      "digest SHA-512",
      `const b = new Uint8Array(N * 20)`,
      `await crypto.subtle.digest("SHA-512", b)`,
    ),
    ...sized("TextEncoder", `const e = new TextEncoder(), s = "aé€".repeat(N)`, `e.encode(s)`),
    ...sized(
      "TextDecoder",
      `const d = new TextDecoder(), b = new TextEncoder().encode("aé€".repeat(N))`,
      `d.decode(b)`,
    ),
    ...sized(
      "TextDecoder of invalid bytes",
      `const d = new TextDecoder(), b = new Uint8Array(N * 10).fill(255)`,
      `d.decode(b)`,
    ),
    ...sized(
      "TextDecoder fatal",
      `const d = new TextDecoder("utf-8", { fatal: true }), b = new Uint8Array(N * 10); b[b.length - 1] = 255`,
      tried(`d.decode(b)`),
    ),
    ...[
      "utf-16le",
      "windows-1252",
      "shift_jis",
      "gb18030",
      "big5",
      "euc-jp",
      "iso-2022-jp",
      "euc-kr",
    ].flatMap((encoding) => [
      ...sized(
        `TextDecoder ${encoding}`,
        `const b = new Uint8Array(N).map((_, i) => i * 7)`,
        `new TextDecoder("${encoding}").decode(b)`,
      ),
      ...sized(
        `TextDecoder ${encoding} of 0xff`,
        `const b = new Uint8Array(N).fill(255)`,
        `new TextDecoder("${encoding}").decode(b)`,
      ),
    ]),
    work("TextDecoder labels", "", tried(`new TextDecoder("no-such-encoding")`)),
    ...["gzip", "deflate", "deflate-raw"].flatMap((format) =>
      sized(
        `compress ${format}`,
        `const b = new Uint8Array(N * 4).map((_, i) => (i * i * 31) >> 3)`,
        `await new Response(new Blob([b]).stream().pipeThrough(new CompressionStream("${format}"))).bytes()`,
      ),
    ),
    ...sized(
      "compress zeros",
      `const b = new Uint8Array(N * 20)`,
      `await new Response(new Blob([b]).stream().pipeThrough(new CompressionStream("gzip"))).bytes()`,
    ),
    work(
      "decompress 3 MB of zeros",
      `const b = Uint8Array.fromBase64("${flat}")`,
      `await new Response(new Blob([b]).stream().pipeThrough(new DecompressionStream("gzip"))).bytes()`,
    ),
    work(
      "decompress a bomb",
      `const b = Uint8Array.fromBase64("${bomb}")`,
      tried(
        `await new Response(new Blob([b]).stream().pipeThrough(new DecompressionStream("gzip"))).bytes()`,
      ),
    ),
    work(
      "decompress in single bytes",
      `const b = Uint8Array.fromBase64("${flat}")`,
      tried(
        `const d = new DecompressionStream("gzip"), w = d.writable.getWriter(); const r = new Response(d.readable).bytes(); for (let i = 0; i < 300; i++) await w.write(b.subarray(i, i + 1))`,
      ),
    ),
    work(
      "decompress cut input",
      `const b = Uint8Array.fromBase64("${bomb}").subarray(0, 30000)`,
      tried(
        `await new Response(new Blob([b]).stream().pipeThrough(new DecompressionStream("gzip"))).bytes()`,
      ),
    ),
    ...sized(
      "decompress garbage",
      `const b = new Uint8Array(N * 4).fill(7)`,
      tried(
        `await new Response(new Blob([b]).stream().pipeThrough(new DecompressionStream("deflate-raw"))).bytes()`,
      ),
    ),
    ...sized("random bytes", `const b = new Uint8Array(Math.min(N, 65536))`, `crypto.getRandomValues(b)`),
    work("randomUUID", "", `crypto.randomUUID()`),
    ...sized("Kv.set", `const s = "x".repeat(N)`, `Kv.set("k", s)`),
    ...sized("Kv.get", `Kv.set("k", "x".repeat(N))`, `Kv.get("k")`),
    work("Kv.has, Kv.delete", "", `Kv.has("k"); Kv.delete("k")`),
    work("Ledger.balance", "", `Ledger.balance(Ledger.selfAddress)`),
    ...sized("console.log text", `const s = "x".repeat(N)`, `console.log(s)`),
    ...sized("console.log array", `const s = Array.from({ length: N }, (_, i) => ({ i }))`, `console.log(s)`),
    work("fetch", "", `await fetch("jstz://KT1Other/")`),
    ...sized(
      "fetch with headers",
      `const h = Array.from({ length: N }, (_, i) => ["a" + i, "b"])`,
      `await fetch("jstz://KT1Other/", { headers: h })`,
      [10, 1000],
    ),
    ...sized(
      "Headers",
      `const h = Array.from({ length: N }, (_, i) => ["a" + i, "b"])`,
      `new Headers(h).get("a1")`,
      [10, 1000],
    ),
    ...sized("Blob text", `const b = new Blob(["é".repeat(N)])`, `await b.text()`),
    ...sized(
      "FormData",
      `const f = new FormData(); for (let i = 0; i < N; i++) f.append("a", "b")`,
      `await new Response(f).formData()`,
      [10, 1000],
    ),
    ...sized(
      "structuredClone",
      `const s = Array.from({ length: N }, (_, i) => ({ i }))`,
      `structuredClone(s)`,
    ),
    ...sized("structuredClone of bytes", `const s = new Uint8Array(N * 20)`, `structuredClone(s)`),
    ...sized("atob, btoa", `const s = "x".repeat(N)`, `atob(btoa(s))`),
    work("URLPattern", `const p = new URLPattern({ pathname: "/a/:b/*" })`, `p.exec("http://a/a/b/c")`),
  ];
}

/** @returns built-ins of the engine: strings, patterns, numbers, collections, parsing, allocation */
export function nativeWork() {
  const s = `const s = "ab".repeat(N)`;
  return [
    ...endings(),
    once("filling 25 MB", "const a = new Uint8Array(25e6); for (let i = 0; i < 20; i++) a.fill(i)"),
    once("copying 25 MB", "const a = new Uint8Array(15e6); for (let i = 0; i < 20; i++) a.copyWithin(1, 0)"),
    once(
      "comparing texts of 12 MB",
      "const a = 'a'.repeat(12e6), b = 'a'.repeat(12e6); for (let i = 0; i < 20; i++) a === b",
    ),
    once("a call with 4 MB", "new ArrayBuffer(4e6)"),
    once("a call with 25 MB", "new ArrayBuffer(25e6)"),
    once("a call with 40 MB", "new ArrayBuffer(40e6)"),
    once("a call with 60 MB", "new ArrayBuffer(60e6)"),
    once("a call with 500,000 objects", "const a = []; for (let i = 0; i < 5e5; i++) a.push({ i })"),
    once(
      "a call that uses its stack up",
      "let it = [1].values(); for (let i = 0; i < 2e4; i++) it = it.map(x => x); it.next()",
    ),
    work("empty loop", "", ""),
    work("function calls", "const f = (a) => a", "f(1); f(2); f(3); f(4)"),
    work("property reads", "const o = { a: 1 }", "o.a; o.a; o.a; o.a"),
    work("object literals", "", "({ a: 1, b: 2 }); ({ a: 1, b: 2 })"),
    work("array literals", "", "[1, 2, 3]; [1, 2, 3]"),
    work("closures", "", "(() => 1); (() => 2)"),
    work("regular expression literals", "", "/a/; /b/"),
    work("template literals", "const a = 1.5", "`${a}-${a}`"),
    work("floating point to text", "let f = 0.1", "f += 0.3; '' + f"),
    work("exceptions", "", tried("throw new Error('x')")),
    work(
      "exceptions deep in the stack",
      "const f = (n) => { if (n) f(n - 1); else throw new Error('x') }",
      tried("f(100)"),
    ),
    work("promises", "", "await 1"),
    work("generators", "function* g() { yield 1 }", "[...g()]"),
    work("Proxy get", "const p = new Proxy({ a: 1 }, { get: (t, k) => t[k] })", "p.a"),
    ...sized(
      "Proxy chain",
      "let p = {}; for (let i = 0; i < N; i++) p = new Proxy(p, {})",
      tried("p.x"),
      [10, 1000],
    ),
    ...sized(
      "iterator chain",
      "",
      tried(
        "let it = [1, 2, 3].values(); for (let i = 0; i < N; i++) it = it.map(x => x); it.next(); it.next()",
      ),
      [10, 1000],
    ),
    ...sized("prototype chain", "let o = {}; for (let i = 0; i < N; i++) o = Object.create(o)", "o.x"),
    ...sized(
      "bound chain",
      "let f = () => 1; for (let i = 0; i < N; i++) f = f.bind(null)",
      tried("f()"),
      [10, 1000],
    ),
    ...sized("release of a list", "", "let l; for (let i = 0; i < N; i++) l = { l }; l = null"),
    // Strings
    ...sized("repeat", "", "'ab'.repeat(N)"),
    ...sized("padStart", "", "'a'.padStart(N, 'xyz')"),
    ...sized("concatenation", "let t = ''", "t = ''; for (let i = 0; i < N; i++) t += 'abc'"),
    ...sized("flattening of ropes", "const a = 'ab'.repeat(N)", "const t = a + 'x'; t.charCodeAt(1)"),
    ...sized("split", s, "s.split('')"),
    ...sized("split by b", s, "s.split('b')"),
    ...sized("join", "const a = Array(N).fill('ab')", "a.join(',')"),
    ...sized(
      "indexOf of an adversarial needle",
      "const s = 'a'.repeat(N * 4), t = 'a'.repeat(N) + 'b'",
      "s.indexOf(t)",
      [10, 1000, 8000],
    ),
    ...sized(
      "lastIndexOf",
      "const s = 'a'.repeat(N * 4), t = 'b' + 'a'.repeat(N)",
      "s.lastIndexOf(t)",
      [10, 1000, 8000],
    ),
    ...sized("indexOf of a character", s, "s.indexOf('c')"),
    ...sized("includes", s, "s.includes('bb')"),
    ...sized("replaceAll", s, "s.replaceAll('a', 'ccc')"),
    ...sized("replace by pattern", s, "s.replace(/a/g, 'c')"),
    ...sized("normalize NFC", "const s = 'e\\u0301'.repeat(N)", "s.normalize('NFC')"),
    ...sized("normalize NFKD", "const s = '\\ufdfa'.repeat(N)", "s.normalize('NFKD')"),
    ...sized(
      "normalize of many marks",
      "const s = 'a' + '\\u0301\\u0327'.repeat(N)",
      "s.normalize('NFC')",
      [10, 1000, 8000],
    ),
    ...sized("localeCompare", "const s = 'é'.repeat(N), t = 'é'.repeat(N) + 'a'", "s.localeCompare(t)"),
    ...sized("toUpperCase", "const s = 'aß'.repeat(N)", "s.toUpperCase()"),
    ...sized("toLocaleLowerCase", "const s = 'AΣ'.repeat(N)", "s.toLocaleLowerCase()"),
    ...sized("trim", "const s = ' '.repeat(N)", "s.trim()"),
    ...sized("slice", s, "s.slice(1)"),
    ...sized("comparison", "const s = 'a'.repeat(N), t = 'a'.repeat(N) + 'b'", "s < t; s === t"),
    ...sized("at, codePointAt", s, "s.at(-1); s.codePointAt(3)"),
    ...sized("spread", s, "[...s]"),
    ...sized("fromCharCode", "const a = Array(N).fill(8364)", "String.fromCharCode(...a)", [10, 1000, 30000]),
    ...sized("encodeURIComponent", "const s = 'é '.repeat(N)", "encodeURIComponent(s)"),
    ...sized("decodeURIComponent", "const s = '%C3%A9'.repeat(N)", "decodeURIComponent(s)"),
    ...sized("escape, unescape", "const s = 'é '.repeat(N)", "unescape(escape(s))"),
    ...sized("isWellFormed", s, "s.isWellFormed(); s.toWellFormed()"),
    ...sized("names of properties", s, "({})[s + 'x']"),
    ...sized("Symbol.for", s, "Symbol.for(s)"),
    // Patterns
    work("pattern, exponential", "const s = 'a'.repeat(22) + 'b'", "/^(a+)+$/.test(s)"),
    ...sized("pattern, quadratic", "const s = 'a'.repeat(N)", "/a*a*b/.test(s)", [10, 300, 1000]),
    ...sized("pattern, greedy", s, "/^(?:.|\\n)*$/.test(s)", [10, 1000, 20000]),
    ...sized("pattern, classes", "const s = 'é'.repeat(N)", "/^[\\p{L}\\p{N}]*$/u.test(s)"),
    ...sized("pattern, without case", "const s = 'É'.repeat(N)", "/x|é*$/iu.test(s)"),
    ...sized("pattern, backwards", s, "/(?<=a.*)c/.test(s)", [10, 300]),
    ...sized("pattern, compiled", "", "new RegExp('(a|b)'.repeat(N))", [10, 250]),
    ...sized(
      "pattern, class compiled",
      "",
      "new RegExp('[' + '\\\\p{L}\\\\P{N}'.repeat(N) + ']', 'u')",
      [1, 10, 100],
    ),
    ...sized("pattern, repeated", "", "new RegExp('(?:a{1,' + N + '}){2}').test('aaaa')", [10, 1000]),
    ...sized("match all", s, "[...s.matchAll(/a/g)]", [10, 1000, 20000]),
    ...sized("split by pattern", s, "s.split(/b/)", [10, 1000, 20000]),
    // Numbers
    ...sized("BigInt product", "const a = 3n ** BigInt(N)", "a * a"),
    ...sized("BigInt quotient", "const a = 3n ** BigInt(N * 2), b = 7n ** BigInt(N >> 1)", "a / b; a % b"),
    ...sized("BigInt power", "", "7n ** BigInt(N)"),
    ...sized("BigInt to text", "const a = 3n ** BigInt(N)", "a.toString()", [10, 1000, 20000]),
    ...sized("BigInt to hexadecimal", "const a = 3n ** BigInt(N)", "a.toString(16)"),
    ...sized("BigInt from text", "const s = '7'.repeat(N)", "BigInt(s)", [10, 1000, 20000]),
    ...sized("BigInt sum", "const a = 3n ** BigInt(N)", "a + a"),
    ...sized("BigInt shift", "const a = 1n << BigInt(N)", "a << 7n; a >> 3n"),
    ...sized("BigInt.asUintN", "const a = 3n ** BigInt(N)", "BigInt.asUintN(64, a)"),
    ...sized("parseFloat", "const s = '1'.repeat(N)", "parseFloat(s)"),
    ...sized("Number of text", "const s = '1'.repeat(N) + '.5e-' + (N % 300)", "Number(s)"),
    work(
      "toFixed, toPrecision",
      "let f = 1.1e-300",
      "f.toPrecision(100); (1e20).toFixed(100); f.toString(2)",
    ),
    work(
      "Math",
      "let f = 0.3",
      "Math.sin(f) + Math.pow(f, 1.7) + Math.exp(f) + Math.hypot(f, 2) + Math.tan(1e300)",
    ),
    ...sized("Math.max", "const a = Array(N).fill(1)", "Math.max(...a)", [10, 1000, 30000]),
    ...sized("Math.sumPrecise", "const a = Array(N).fill(0.1)", "Math.sumPrecise(a)"),
    work("Date parsing", "", "Date.parse('Tue, 05 Nov 2024 12:34:56 GMT')"),
    ...sized("Date parsing of long text", "const s = '1 '.repeat(N)", "Date.parse(s)"),
    work("Date to text", "const d = new Date(1e12)", "d.toString(); d.toISOString(); d.toLocaleString()"),
    work(
      "Intl",
      "const n = new Intl.NumberFormat('en'), d = new Intl.DateTimeFormat('en')",
      "n.format(12345.678); d.format(1e12)",
    ),
    // Collections
    ...sized("new Array, fill", "", "new Array(N).fill(1)"),
    ...sized("sparse Array", "const a = []; a[N] = 1", "a.indexOf(7); a.includes(7)"),
    ...sized(
      "sort",
      "const a = Array.from({ length: N }, (_, i) => (i * 7919) % 1009)",
      "a.slice().sort()",
      [10, 1000, 20000],
    ),
    ...sized(
      "sort by comparator",
      "const a = Array.from({ length: N }, (_, i) => (i * 7919) % 1009)",
      "a.slice().sort((x, y) => x - y)",
      [10, 1000, 20000],
    ),
    ...sized(
      "sort of texts",
      "const a = Array.from({ length: N }, (_, i) => 'x'.repeat(500) + i)",
      "a.slice().sort()",
      [10, 1000],
    ),
    ...sized("splice", "const a = Array(N).fill(1)", "a.splice(0, 1); a.push(1)"),
    ...sized("shift, unshift", "const a = Array(N).fill(1)", "a.unshift(1); a.shift()"),
    ...sized("concat", "const a = Array(N).fill(1)", "a.concat(a)"),
    ...sized("copyWithin", "const a = Array(N).fill(1)", "a.copyWithin(0, 1)"),
    ...sized("includes of Array", "const a = Array(N).fill(1)", "a.includes(2)"),
    ...sized(
      "includes of texts",
      "const t = 'x'.repeat(500), a = Array(N).fill(t + 'a')",
      "a.includes(t + 'b')",
      [10, 1000],
    ),
    ...sized("reverse", "const a = Array(N).fill(1)", "a.reverse()"),
    ...sized("slice of Array", "const a = Array(N).fill(1)", "a.slice()"),
    ...sized("flat", "const a = Array(N).fill([1])", "a.flat()"),
    ...sized("map", "const a = Array(N).fill(1)", "a.map(x => x)"),
    ...sized("Array.from", "const a = { length: N }", "Array.from(a)"),
    ...sized("ArrayBuffer", "", "new ArrayBuffer(N * 20)"),
    ...sized("ArrayBuffer slice", "const b = new ArrayBuffer(N * 20)", "b.slice(1)"),
    ...sized(
      "ArrayBuffer resize",
      "const b = new ArrayBuffer(0, { maxByteLength: N * 20 })",
      "b.resize(N * 20); b.resize(0)",
    ),
    ...sized("Uint8Array fill", "const a = new Uint8Array(N * 20)", "a.fill(1)"),
    ...sized("Float64Array fill", "const a = new Float64Array(N * 3)", "a.fill(1.5)"),
    ...sized(
      "Uint8Array sort",
      "const a = new Uint8Array(N).map((_, i) => i * 77)",
      "a.slice().sort()",
      [10, 1000, 20000],
    ),
    ...sized("Uint8Array set", "const a = new Uint8Array(N * 20), b = new Uint8Array(N * 20)", "a.set(b)"),
    ...sized(
      "Uint8Array set from Float64Array",
      "const a = new Uint8Array(N), b = new Float64Array(N)",
      "a.set(b)",
    ),
    ...sized("Uint8Array copyWithin", "const a = new Uint8Array(N * 20)", "a.copyWithin(0, 1)"),
    ...sized("Uint8Array subarray", "const a = new Uint8Array(N * 20)", "a.subarray(1)"),
    ...sized(
      "Uint8Array indexOf",
      "const a = new Uint8Array(N * 20)",
      "a.indexOf(1); a.includes(1); a.lastIndexOf(1)",
    ),
    ...sized("Uint8Array reverse", "const a = new Uint8Array(N * 20)", "a.reverse()"),
    ...sized("Uint8Array join", "const a = new Uint8Array(N)", "a.join()"),
    ...sized("Uint8Array base64", "const a = new Uint8Array(N)", "Uint8Array.fromBase64(a.toBase64())"),
    ...sized("Uint8Array hexadecimal", "const a = new Uint8Array(N)", "Uint8Array.fromHex(a.toHex())"),
    ...sized("Float16Array", "const a = new Float32Array(N).fill(1.1)", "new Float16Array(a)"),
    ...sized(
      "DataView",
      "const v = new DataView(new ArrayBuffer(16))",
      "v.setFloat64(0, 1.5); v.getBigInt64(0)",
      [10],
    ),
    ...sized("Map", "", "const m = new Map(); for (let i = 0; i < N; i++) m.set(i, i)"),
    ...sized(
      "Map of texts",
      "const k = Array.from({ length: N }, (_, i) => 'key' + i)",
      "const m = new Map(); for (const x of k) m.set(x, 1); for (const x of k) m.get(x)",
    ),
    ...sized(
      "Map of long texts",
      "const t = 'x'.repeat(5000), m = new Map()",
      "m.set(t + 'a', 1); m.get(t + 'b')",
      [10],
    ),
    ...sized("Set union", "const a = new Set(Array(N).keys()), b = new Set(Array(N).keys())", "a.union(b)"),
    ...sized("Set from Array", "const a = Array.from({ length: N }, (_, i) => i)", "new Set(a)"),
    ...sized("WeakMap", "const w = new WeakMap()", "w.set({}, 1)", [10]),
    ...sized(
      "Object.keys",
      "const o = Object.fromEntries(Array.from({ length: N }, (_, i) => ['k' + i, i]))",
      "Object.keys(o)",
    ),
    ...sized(
      "object spread",
      "const o = Object.fromEntries(Array.from({ length: N }, (_, i) => ['k' + i, i]))",
      "({ ...o })",
    ),
    ...sized("properties added", "", "const o = {}; for (let i = 0; i < N; i++) o['k' + i] = i"),
    ...sized(
      "properties deleted",
      "",
      "const o = {}; for (let i = 0; i < N; i++) o['k' + i] = i; for (let i = 0; i < N; i++) delete o['k' + i]",
      [10, 1000, 5000],
    ),
    ...sized(
      "for in",
      "const o = Object.fromEntries(Array.from({ length: N }, (_, i) => ['k' + i, i]))",
      "for (const k in o);",
    ),
    ...sized(
      "for in of a chain",
      "let o = { a: 1 }; for (let i = 0; i < N; i++) { o = Object.create(o); o['k' + i] = 1 }",
      "for (const k in o);",
      [10, 300],
    ),
    ...sized("Object.freeze", "", "Object.freeze(Array.from({ length: N }, () => 1))"),
    // Parsing and compiling
    ...sized(
      "JSON.parse",
      "const t = JSON.stringify(Array.from({ length: N }, (_, i) => ({ i })))",
      "JSON.parse(t)",
    ),
    ...sized("JSON.parse of a text", "const t = JSON.stringify('aé'.repeat(N))", "JSON.parse(t)"),
    ...sized("JSON.parse of numbers", "const t = JSON.stringify(Array(N).fill(1.2345e-7))", "JSON.parse(t)"),
    ...sized("JSON.parse of spaces", "const t = ' '.repeat(N) + '1'", "JSON.parse(t)"),
    ...sized(
      "JSON.parse nested",
      "const t = '['.repeat(N) + ']'.repeat(N)",
      tried("JSON.parse(t)"),
      [10, 1000],
    ),
    ...sized("JSON.parse of one name", "const t = '{' + '\"a\":1,'.repeat(N) + '\"b\":1}'", "JSON.parse(t)"),
    ...sized("JSON.stringify", "const t = Array.from({ length: N }, (_, i) => ({ i }))", "JSON.stringify(t)"),
    ...sized("JSON.stringify of a text", "const t = '\\n'.repeat(N)", "JSON.stringify(t)"),
    ...sized(
      "JSON.stringify nested",
      "let t = []; for (let i = 0; i < N; i++) t = [t]",
      tried("JSON.stringify(t)"),
      [10, 300, 1000],
    ),
    ...sized("JSON.stringify with spaces", "const t = Array(N).fill(1)", "JSON.stringify(t, null, 10)"),
    ...sized("eval of statements", "const t = 'x=1;'.repeat(N)", "let x; eval(t)", [10, 1000, 20000]),
    ...sized(
      "eval of variables",
      "const t = Array.from({ length: N }, (_, i) => `let v${i}=1;`).join('')",
      "eval(t)",
      [10, 1000, 3000],
    ),
    ...sized(
      "eval of functions",
      "const t = 'function f(){return 1}'.repeat(N)",
      "eval(t)",
      [10, 1000, 10000],
    ),
    ...sized(
      "eval of literals",
      "const t = '[' + '1.5,\"a\",'.repeat(N) + ']'",
      "eval(t)",
      [10, 1000, 20000],
    ),
    ...sized("eval of spaces", "const t = ' '.repeat(N) + '1'", "eval(t)"),
    ...sized("eval of a comment", "const t = '/*' + 'x'.repeat(N) + '*/1'", "eval(t)"),
    ...sized(
      "eval of nested functions",
      "const t = '(()=>'.repeat(N) + '1' + ')'.repeat(N)",
      tried("eval(t)"),
      [10, 100],
    ),
    ...sized(
      "eval of nested scopes",
      "const t = '{let a=1;'.repeat(N) + '}'.repeat(N)",
      tried("eval(t)"),
      [10, 300],
    ),
    ...sized(
      "eval of captured variables",
      "const t = Array.from({ length: N }, (_, i) => `let v${i}=1;`).join('') + '(() => {' + Array.from({ length: N }, (_, i) => `v${i};`).join('') + '})()'",
      "eval(t)",
      [10, 1000, 3000],
    ),
    ...sized(
      "eval of labels",
      "const t = Array.from({ length: N }, (_, i) => `l${i}:`).join('') + ';'",
      tried("eval(t)"),
      [10, 300],
    ),
    ...sized(
      "eval of cases",
      "const t = 'switch(1){' + Array.from({ length: N }, (_, i) => `case ${i + 5}:`).join('') + '}'",
      "eval(t)",
      [10, 1000, 10000],
    ),
    ...sized(
      "eval of a class",
      "const t = '(class{' + Array.from({ length: N }, (_, i) => `#p${i}=1;m${i}(){}`).join('') + '})'",
      "eval(t)",
      [10, 1000],
    ),
    ...sized("Function", "const t = 'return 1;'.repeat(N)", "new Function(t)", [10, 1000, 20000]),
    ...sized("stack of an error", "const f = (n) => n ? f(n - 1) : new Error('x').stack", "f(N)", [10, 500]),
  ];
}
