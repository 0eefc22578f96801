// Work of the host for bench/gas-prices.mjs.
import { inGroup, ofSizes, attempt, work } from "./gas-work.mjs";

/** @returns the operations of the host, called through the classes that use them */
export function hostWork({ bomb, flat }) {
  const url = (name, before, body) => ofSizes(`URL ${name}`, before, attempt(body), [10, 490, 50_000]);
  return [
    ...inGroup("URLs", [
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
    ]),
    ...inGroup("digests", [
      ...ofSizes(
        "digest SHA-1",
        `const b = new Uint8Array(N * 20)`,
        `await crypto.subtle.digest("SHA-1", b)`,
      ),
      ...ofSizes(
        "digest SHA-256",
        `const b = new Uint8Array(N * 20)`,
        `await crypto.subtle.digest("SHA-256", b)`,
      ),
      ...ofSizes(
        "digest SHA-512",
        `const b = new Uint8Array(N * 20)`,
        `await crypto.subtle.digest("SHA-512", b)`,
      ),
    ]),
    ...inGroup("text encodings", [
      ...ofSizes("TextEncoder", `const e = new TextEncoder(), s = "aé€".repeat(N)`, `e.encode(s)`),
      ...ofSizes(
        "TextDecoder",
        `const d = new TextDecoder(), b = new TextEncoder().encode("aé€".repeat(N))`,
        `d.decode(b)`,
      ),
      ...ofSizes(
        "TextDecoder of invalid bytes",
        `const d = new TextDecoder(), b = new Uint8Array(N * 10).fill(255)`,
        `d.decode(b)`,
      ),
      ...ofSizes(
        "TextDecoder fatal",
        `const d = new TextDecoder("utf-8", { fatal: true }), b = new Uint8Array(N * 10); b[b.length - 1] = 255`,
        attempt(`d.decode(b)`),
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
        ...ofSizes(
          `TextDecoder ${encoding}`,
          `const b = new Uint8Array(N).map((_, i) => i * 7)`,
          `new TextDecoder("${encoding}").decode(b)`,
        ),
        ...ofSizes(
          `TextDecoder ${encoding} of 0xff`,
          `const b = new Uint8Array(N).fill(255)`,
          `new TextDecoder("${encoding}").decode(b)`,
        ),
      ]),
      work("TextDecoder labels", "", attempt(`new TextDecoder("no-such-encoding")`)),
    ]),
    ...inGroup("compression", [
      ...["gzip", "deflate", "deflate-raw"].flatMap((format) =>
        ofSizes(
          `compress ${format}`,
          `const b = new Uint8Array(N * 4).map((_, i) => (i * i * 31) >> 3)`,
          `await new Response(new Blob([b]).stream().pipeThrough(new CompressionStream("${format}"))).bytes()`,
        ),
      ),
      ...ofSizes(
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
        attempt(
          `await new Response(new Blob([b]).stream().pipeThrough(new DecompressionStream("gzip"))).bytes()`,
        ),
      ),
      work(
        "decompress in single bytes",
        `const b = Uint8Array.fromBase64("${flat}")`,
        attempt(
          `const d = new DecompressionStream("gzip"), w = d.writable.getWriter(); const r = new Response(d.readable).bytes(); for (let i = 0; i < 300; i++) await w.write(b.subarray(i, i + 1))`,
        ),
      ),
      work(
        "decompress cut input",
        `const b = Uint8Array.fromBase64("${bomb}").subarray(0, 30000)`,
        attempt(
          `await new Response(new Blob([b]).stream().pipeThrough(new DecompressionStream("gzip"))).bytes()`,
        ),
      ),
      ...ofSizes(
        "decompress garbage",
        `const b = new Uint8Array(N * 4).fill(7)`,
        attempt(
          `await new Response(new Blob([b]).stream().pipeThrough(new DecompressionStream("deflate-raw"))).bytes()`,
        ),
      ),
    ]),
    ...inGroup("random bytes", [
      ...ofSizes("random bytes", `const b = new Uint8Array(Math.min(N, 65536))`, `crypto.getRandomValues(b)`),
      work("randomUUID", "", `crypto.randomUUID()`),
    ]),
    ...inGroup("Kv, Ledger, console", [
      ...ofSizes("Kv.set", `const s = "x".repeat(N)`, `Kv.set("k", s)`),
      ...ofSizes("Kv.get", `Kv.set("k", "x".repeat(N))`, `Kv.get("k")`),
      work("Kv.has, Kv.delete", "", `Kv.has("k"); Kv.delete("k")`),
      work("Ledger.balance", "", `Ledger.balance(Ledger.selfAddress)`),
      ...ofSizes("console.log text", `const s = "x".repeat(N)`, `console.log(s)`),
      ...ofSizes(
        "console.log array",
        `const s = Array.from({ length: N }, (_, i) => ({ i }))`,
        `console.log(s)`,
      ),
    ]),
    ...inGroup("fetch, Headers, bodies, clones", [
      work("fetch", "", `await fetch("jstz://KT1Other/")`),
      ...ofSizes(
        "fetch with headers",
        `const h = Array.from({ length: N }, (_, i) => ["a" + i, "b"])`,
        `await fetch("jstz://KT1Other/", { headers: h })`,
        [10, 1000],
      ),
      ...ofSizes(
        "Headers",
        `const h = Array.from({ length: N }, (_, i) => ["a" + i, "b"])`,
        `new Headers(h).get("a1")`,
        [10, 1000],
      ),
      ...ofSizes("Blob text", `const b = new Blob(["é".repeat(N)])`, `await b.text()`),
      ...ofSizes(
        "FormData",
        `const f = new FormData(); for (let i = 0; i < N; i++) f.append("a", "b")`,
        `await new Response(f).formData()`,
        [10, 1000],
      ),
      ...ofSizes(
        "structuredClone",
        `const s = Array.from({ length: N }, (_, i) => ({ i }))`,
        `structuredClone(s)`,
      ),
      ...ofSizes("structuredClone of bytes", `const s = new Uint8Array(N * 20)`, `structuredClone(s)`),
      ...ofSizes("atob, btoa", `const s = "x".repeat(N)`, `atob(btoa(s))`),
      work("URLPattern", `const p = new URLPattern({ pathname: "/a/:b/*" })`, `p.exec("http://a/a/b/c")`),
    ]),
  ];
}
