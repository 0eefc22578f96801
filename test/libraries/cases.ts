// Smart functions around packages: a value that each computes, to be compared with Node. Those of `installed` are in this
// repository's own installation and tried in every run, the others in the long one (tools/libraries).

/** Why a program has another outcome than in Node. */
export interface Difference {
  /** Whether the real runtime differs as well, or only this sandbox. */
  readonly where: "everywhere" | "here";
  readonly why: string;
  /** What the failure, or the other value, has in it. */
  readonly shows: RegExp;
}

export interface LibraryCase {
  readonly package: string;
  /** Import statements. */
  readonly imports: string;
  /** Statements that return a JSON value. */
  readonly run: string;
  readonly differs?: Difference;
  /** A program with the value that `run` has in Node, as one would write it: what is made once is at the top level. */
  readonly prepared?: Prepared;
}

interface Prepared {
  /** Statements at the top level. */
  readonly top: string;
  readonly run: string;
}

/** The handler of a program that returns a JSON value. */
const handlerOf = (run: string): string =>
  `export default async () => Response.json(await (async () => { ${run} })());`;

/** A function around a package. */
export const programOf = ({ imports, run }: LibraryCase): string => `${imports}\n${handlerOf(run)}`;

/** The same where what is made once is at the top level; undefined for cases without such a program. */
export const preparedProgramOf = ({ imports, prepared }: LibraryCase): string | undefined =>
  prepared && `${imports}\n${prepared.top}\n${handlerOf(prepared.run)}`;

const libraryCase = (
  name: string,
  imports: string,
  run: string,
  differs?: LibraryCase["differs"],
): LibraryCase => ({
  package: name,
  imports,
  run,
  ...(differs && { differs }),
});

const withTop = (library: LibraryCase, top: string, run: string): LibraryCase => ({
  ...library,
  prepared: { top, run },
});

/** The default export of a package as `x`. */
const one = (name: string, run: string, differs?: LibraryCase["differs"]) =>
  libraryCase(name, `import x from "${name}";`, run, differs);

/** All exports as `x`. */
const all = (name: string, run: string, differs?: LibraryCase["differs"]) =>
  libraryCase(name, `import * as x from "${name}";`, run, differs);

const hex = "const hex = (b) => [...b].map((n) => n.toString(16).padStart(2, '0')).join('');";

export const INSTALLED: readonly LibraryCase[] = [
  libraryCase(
    "hono",
    'import { Hono } from "hono"; import { cors } from "hono/cors"; import { etag } from "hono/etag";',
    `const app = new Hono(); app.use(cors()); app.use(etag()); app.get("/a/:id", (c) => c.json({ id: c.req.param("id") }));
     const r = await app.request("/a/7"); return [r.status, await r.json(), r.headers.get("etag"), (await app.request("/no")).status];`,
  ),
  libraryCase(
    "itty-router",
    'import { Router } from "itty-router";',
    `const r = Router(); r.get("/a/:id", ({ params, query }) => [params.id, query.q]);
     return await r.fetch({ method: "GET", url: "https://a/a/7?q=1" });`,
  ),
  libraryCase(
    "zod",
    'import { z } from "zod";',
    `const s = z.object({ n: z.number().int().min(1), e: z.email().optional(), d: z.coerce.date() });
     const bad = s.safeParse({ n: 0.5, e: "x", d: "2024-01-02" });
     return [s.parse({ n: 2, d: "2024-01-02" }), bad.error.issues.map((i) => [i.path, i.code, i.message])];`,
  ),
  libraryCase(
    "preact",
    'import { h, toChildArray } from "preact";',
    `return [h("a", { href: "b" }, "c", 1).props, toChildArray([1, null, ["x"]])];`,
  ),
  libraryCase(
    "yaml",
    'import { parse, stringify, parseDocument } from "yaml";',
    `return [parse("a: [1, 0x10, ~]\\nb: &x { c: 1e3 }\\nd: *x"), stringify({ a: ["b: c", 1n] }), parseDocument("a: [").errors.length];`,
  ),
  libraryCase(
    "@noble/hashes",
    'import { sha256 } from "@noble/hashes/sha2"; import { blake2b } from "@noble/hashes/blake2b"; import { keccak_256 } from "@noble/hashes/sha3"; import { hmac } from "@noble/hashes/hmac";',
    `${hex} return [sha256("a"), blake2b("a", { dkLen: 32 }), keccak_256("a"), hmac(sha256, "k", "m")].map(hex);`,
  ),
  libraryCase(
    "@noble/curves",
    'import { ed25519 } from "@noble/curves/ed25519"; import { secp256k1 } from "@noble/curves/secp256k1"; import { p256 } from "@noble/curves/p256";',
    `${hex} const k = new Uint8Array(32).fill(7), m = new Uint8Array(32).fill(9);
     return [hex(ed25519.sign(m, k)), secp256k1.sign(m, k).toCompactHex(), p256.sign(m, k).toCompactHex(), ed25519.verify(ed25519.sign(m, k), m, ed25519.getPublicKey(k))];`,
  ),
  libraryCase(
    "@scure/base",
    'import { base58, bech32, base64urlnopad } from "@scure/base";',
    `const b = new Uint8Array([0, 1, 255]); return [base58.encode(b), bech32.encode("a", bech32.toWords(b)), base64urlnopad.encode(b)];`,
  ),
  libraryCase(
    "@scure/bip39",
    'import { entropyToMnemonic, mnemonicToSeedSync, validateMnemonic } from "@scure/bip39"; import { wordlist } from "@scure/bip39/wordlists/english";',
    `const m = entropyToMnemonic(new Uint8Array(16).fill(3), wordlist); return [m, validateMnemonic(m, wordlist)];`,
  ),
  libraryCase(
    "@taquito/michel-codec",
    'import { Parser, emitMicheline } from "@taquito/michel-codec";',
    `const p = new Parser().parseScript("parameter unit; storage int; code { CDR; NIL operation; PAIR }"); return [p, emitMicheline(p)];`,
  ),
  libraryCase(
    "@taquito/local-forging",
    'import { LocalForger } from "@taquito/local-forging";',
    `return new LocalForger().forge({ branch: "BLzyjjHKEKMULtvkpSHxuZxx6ei6fpntH2BTkYZiLgs8zLVstvX", contents: [{ kind: "reveal", source: "tz1VSUr8wwNhLAzempoch5d6hLRiTh8Cjcjb", fee: "1", counter: "2", gas_limit: "3", storage_limit: "0", public_key: "edpkvGfYw3LyB1UcCahKQk4rF2tvbMUk8GFiTuMjL75uGXrpvKXhjn" }] });`,
  ),
  libraryCase(
    "ajv",
    'import Ajv from "ajv";',
    `const v = new Ajv({ allErrors: true }).compile({ type: "object", required: ["a"], properties: { a: { type: "integer", minimum: 1 }, b: { format: "email" } } });
     return [v({ a: 2 }), v({ a: 0, b: "x" }), v.errors.map((e) => [e.dataPath, e.message])];`,
  ),
  libraryCase(
    "acorn",
    'import { parse } from "acorn";',
    `return JSON.parse(JSON.stringify(parse("a?.b ?? 1", { ecmaVersion: 2022 })));`,
  ),
  libraryCase(
    "fastest-levenshtein",
    'import { distance, closest } from "fastest-levenshtein";',
    `return [distance("abc", "abd"), closest("a", ["b", "aa"])];`,
  ),
  libraryCase(
    "jsonc-parser",
    'import { parse, modify, applyEdits } from "jsonc-parser";',
    `const t = '{ // c\\n "a": [1,], }'; return [parse(t), applyEdits(t, modify(t, ["b"], 2, { formattingOptions: {} }))];`,
  ),
  libraryCase(
    "whatwg-url",
    'import { URL as U, parseURL } from "whatwg-url";',
    `return [new U("../b?x=ü#y", "https://bücher.example/a/c").href, parseURL("https://a:99999") === null];`,
    { where: "here", why: "needs SharedArrayBuffer", shows: /SharedArrayBuffer is not defined/ },
  ),
  libraryCase(
    "web-streams-polyfill",
    'import { ReadableStream as R, TransformStream as T } from "web-streams-polyfill";',
    `const t = new T({ transform: (c, k) => k.enqueue(c * 2) }); const r = new R({ start(c) { c.enqueue(1); c.enqueue(2); c.close(); } }).pipeThrough(t).getReader();
     const out = []; for (;;) { const { done, value } = await r.read(); if (done) return out; out.push(value); }`,
  ),
  libraryCase(
    "fast-check",
    'import fc from "fast-check";',
    `return [fc.sample(fc.integer(), { seed: 7, numRuns: 5 }), fc.check(fc.property(fc.nat(), (n) => n < 50), { seed: 1 }).counterexample];`,
  ),
  libraryCase(
    "bignumber.js",
    'import BigNumber from "bignumber.js";',
    `return [new BigNumber("0.1").plus("0.2").toString(), new BigNumber(2).pow(300).toFixed(), new BigNumber("1234567.891").toFormat(2)];`,
  ),
  libraryCase(
    "eventsource-parser",
    'import { createParser } from "eventsource-parser";',
    `const seen = []; const p = createParser({ onEvent: (e) => seen.push(e) }); p.feed("id: 1\\nevent: a\\ndata: b\\ndata: c\\n\\n"); return seen;`,
  ),
];

export const FURTHER: readonly LibraryCase[] = [
  libraryCase(
    "@msgpack/msgpack",
    'import { encode, decode } from "@msgpack/msgpack";',
    `return decode(encode({ a: [1, -1, 1.5, "ü", null, true] }));`,
  ),
  libraryCase(
    "@reduxjs/toolkit",
    'import { configureStore, createSlice } from "@reduxjs/toolkit";',
    `const s = createSlice({ name: "n", initialState: { v: 0 }, reducers: { add: (s, a) => { s.v += a.payload; } } });
     const store = configureStore({ reducer: s.reducer, middleware: () => [], enhancers: () => [] }); store.dispatch(s.actions.add(3)); return store.getState();`,
  ),
  withTop(
    libraryCase(
      "@taquito/utils",
      'import { validateAddress, encodeExpr } from "@taquito/utils"; import { Buffer as own } from "buffer";',
      `return [validateAddress("tz1VSUr8wwNhLAzempoch5d6hLRiTh8Cjcjb"), own.isBuffer([]), encodeExpr("0505")];`,
      {
        where: "everywhere",
        why: "some functions, such as encodeExpr, need Buffer of Node.js ([put the package buffer there](#globals-of-nodejs)); validateAddress works",
        shows: /Buffer is not defined/,
      },
    ),
    `globalThis.Buffer = own;`,
    `return [validateAddress("tz1VSUr8wwNhLAzempoch5d6hLRiTh8Cjcjb"), own.isBuffer([]), encodeExpr("0505")];`,
  ),
  withTop(
    libraryCase(
      "arktype",
      'import { type } from "arktype";',
      `const t = type({ n: "number > 1", s: "string.email?" }); const bad = t({ n: 0 }); return [t({ n: 2 }), String(bad.summary)];`,
    ),
    `const t = type({ n: "number > 1", s: "string.email?" });`,
    `const bad = t({ n: 0 }); return [t({ n: 2 }), String(bad.summary)];`,
  ),
  one("base64-js", `return [x.fromByteArray(new Uint8Array([1, 2, 250])), [...x.toByteArray("AQL6")]];`),
  libraryCase(
    "bech32",
    'import { bech32 } from "bech32";',
    `return bech32.encode("tez", bech32.toWords([1, 2, 3]));`,
  ),
  one(
    "big-integer",
    `return [x("123456789012345678901234567890").pow(3).toString(), x(7).modInv(11).toString()];`,
  ),
  one("big.js", `return [x("0.1").plus("0.2").toString(), x(2).div(3).toFixed(10)];`),
  one(
    "bn.js",
    `return [new x("123456789abcdef", 16).mul(new x(99)).toString(10), new x(7).toRed(x.red("p25519")).redInvm().toString(16)];`,
  ),
  one("bs58", `return [x.encode(new Uint8Array([0, 9, 255])), [...x.decode("1LUw")]];`),
  libraryCase(
    "cbor-x",
    'import { encode, decode } from "cbor-x";',
    `return decode(encode({ a: [1, 2.5, "x"], b: new Date(0) }));`,
  ),
  libraryCase(
    "cborg",
    'import { encode, decode } from "cborg";',
    `return [...encode({ b: 1, a: [2n, null] })];`,
  ),
  one(
    "chroma-js",
    `return [x("teal").hex(), x.mix("red", "blue", 0.3, "lab").css(), x.scale(["yellow", "navy"]).colors(4)];`,
  ),
  all(
    "cookie",
    `return [x.parseCookie("a=b; c=%20d"), x.stringifySetCookie({ name: "a", value: "b c", path: "/", httpOnly: true })];`,
  ),
  one(
    "crypto-js",
    `return [x.SHA256("a").toString(), x.HmacSHA512("a", "k").toString(), x.PBKDF2("p", "s", { iterations: 2 }).toString()];`,
  ),
  libraryCase(
    "csv-parse",
    'import { parse } from "csv-parse/browser/esm/sync";',
    `return parse('a,b\\n1,"x, y"\\n', { columns: true });`,
  ),
  all(
    "d3-array",
    `return [x.quantile([1, 5, 9, 20], 0.3), x.bin().thresholds(3)([1, 2, 5, 9]).map((b) => b.length), x.rollups(["a", "b", "a"], (v) => v.length, (d) => d)];`,
  ),
  all(
    "d3-scale",
    `const s = x.scaleLinear([0, 10], [3, 90]); return [s(4), s.ticks(4), x.scaleUtc([new Date(0), new Date(1e11)], [0, 1]).ticks(3)];`,
  ),
  libraryCase(
    "date-fns",
    'import { format, addMonths, formatDistance } from "date-fns"; import { de } from "date-fns/locale";',
    `const d = new Date(Date.UTC(2024, 0, 31)); return [format(addMonths(d, 1), "yyyy-MM-dd EEEE", { locale: de }), formatDistance(d, new Date(0))];`,
  ),
  libraryCase(
    "dayjs",
    'import dayjs from "dayjs"; import utc from "dayjs/plugin/utc"; import relative from "dayjs/plugin/relativeTime";',
    `dayjs.extend(utc); dayjs.extend(relative); return [dayjs.utc(0).add(40, "day").format("dddd D MMMM YYYY HH:mm"), dayjs.utc(0).from(dayjs.utc(1e10))];`,
  ),
  one(
    "decimal.js",
    `return [new x(2).sqrt().toString(), x.exp(1).toFixed(15), new x("0x1.8p3").toString()];`,
  ),
  one("deepmerge", `return x({ a: [1], b: { c: 1 } }, { a: [2], b: { d: 2 } });`),
  libraryCase(
    "drizzle-orm",
    'import { drizzle } from "drizzle-orm/sqlite-proxy"; import { sqliteTable, integer, text } from "drizzle-orm/sqlite-core"; import { eq, sql } from "drizzle-orm";',
    `const t = sqliteTable("t", { id: integer("id").primaryKey(), n: text("n") }); const db = drizzle(async () => ({ rows: [[1, "a"]] }));
    return [db.select().from(t).where(eq(t.id, 3)).toSQL(), await db.select().from(t), sql\`\${t.id} + 1\`.queryChunks.length];`,
  ),
  libraryCase(
    "effect",
    'import { Effect, Schema, Option } from "effect";',
    `return [Effect.runSync(Effect.all([Effect.succeed(1), Effect.succeed(2)])), await Effect.runPromise(Effect.map(Effect.succeed(2), (n) => n * 3)), Schema.decodeUnknownSync(Schema.Struct({ a: Schema.NumberFromString }))({ a: "5" }), Option.getOrElse(Option.none(), () => 4)];`,
  ),
  one("ejs", `return x.render("<% for (const a of l) { %><b><%= a %></b><% } %>", { l: ["1", "<"] });`),
  withTop(
    libraryCase(
      "elliptic",
      'import elliptic from "elliptic";',
      `const k = new elliptic.ec("secp256k1").keyFromPrivate("07".repeat(32)); return [k.getPublic("hex"), k.sign("09".repeat(32)).toDER("hex")];`,
    ),
    `const k = new elliptic.ec("secp256k1").keyFromPrivate("07".repeat(32)); k.getPublic();`,
    `return [k.getPublic("hex"), k.sign("09".repeat(32)).toDER("hex")];`,
  ),
  withTop(
    libraryCase(
      "ethers",
      'import { Wallet, parseEther, AbiCoder, keccak256, toUtf8Bytes } from "ethers";',
      `return [new Wallet("0x" + "07".repeat(32)).address, parseEther("1.5").toString(), AbiCoder.defaultAbiCoder().encode(["uint256", "string"], [5, "a"]), keccak256(toUtf8Bytes("a"))];`,
    ),
    `const wallet = new Wallet("0x" + "07".repeat(32));`,
    `return [wallet.address, parseEther("1.5").toString(), AbiCoder.defaultAbiCoder().encode(["uint256", "string"], [5, "a"]), keccak256(toUtf8Bytes("a"))];`,
  ),
  one(
    "eventemitter3",
    `const e = new x(), seen = []; e.once("a", (v) => seen.push(v)); e.emit("a", 1); e.emit("a", 2); return seen;`,
  ),
  one("fast-deep-equal", `return [x({ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }), x(NaN, NaN), x([1], [2])];`),
  all(
    "fast-json-patch",
    `return [x.compare({ a: 1, b: [1] }, { a: 2, b: [] }), x.applyPatch({ a: 1 }, [{ op: "add", path: "/b", value: 2 }]).newDocument];`,
  ),
  libraryCase(
    "fast-xml-parser",
    'import { XMLParser, XMLBuilder } from "fast-xml-parser";',
    `return [new XMLParser({ ignoreAttributes: false }).parse('<a x="1"><b>2</b><b>&lt;</b></a>'), new XMLBuilder({}).build({ a: { b: [1, 2] } })];`,
  ),
  all(
    "fflate",
    `const z = x.zipSync({ "a.txt": [x.strToU8("hello hello hello"), { mtime: "2020-01-01" }] }); return [x.strFromU8(x.unzipSync(z)["a.txt"]), [...x.deflateSync(x.strToU8("aaaaaaaa"))]];`,
  ),
  libraryCase(
    "fp-ts",
    'import * as O from "fp-ts/lib/Option.js"; import * as E from "fp-ts/lib/Either.js"; import { pipe } from "fp-ts/lib/function.js";',
    `return [pipe(O.some(2), O.map((n) => n + 1)), pipe(E.left("no"), E.getOrElse((e) => e))];`,
  ),
  libraryCase(
    "fraction.js",
    'import Fraction from "fraction.js";',
    `return [new Fraction("1.(3)").toFraction(), new Fraction(1, 3).add("1/6").toString()];`,
  ),
  libraryCase(
    "fuse.js",
    'import Fuse from "fuse.js";',
    `return new Fuse(["apple", "orange", "banana"], { includeScore: true }).search("appel");`,
  ),
  libraryCase(
    "graphql",
    'import { buildSchema, graphql } from "graphql";',
    `return graphql({ schema: buildSchema("type Query { a(n: Int!): [String] }"), source: "{ a(n: 2) b: __typename }", rootValue: { a: ({ n }) => ["x", String(n)] } });`,
  ),
  libraryCase(
    "graphql-yoga",
    'import { createYoga, createSchema } from "graphql-yoga";',
    `const y = createYoga({ logging: false, schema: createSchema({ typeDefs: "type Query { a: Int }", resolvers: { Query: { a: () => 5 } } }) }); const ask = () => Promise.resolve(y.fetch("https://a/graphql?query={a}")).then((r) => r.json()); return [await ask(), await ask()];`,
    {
      where: "everywhere",
      why: "a second request in one call needs timers (one works)",
      shows: /"a":5.*INTERNAL_SERVER_ERROR/,
    },
  ),
  libraryCase(
    "handlebars",
    'import Handlebars from "handlebars";',
    `return Handlebars.compile("{{#each l}}<{{this}}>{{else}}none{{/each}}{{{raw}}}")({ l: ["a", "&"], raw: "<b>" });`,
  ),
  one("he", `return [x.encode("<ü>"), x.decode("&eacute;&#x1F600;&amp;")];`),
  libraryCase(
    "immer",
    'import { produce, enableMapSet, freeze } from "immer";',
    `enableMapSet(); return [produce({ a: [1] }, (d) => { d.a.push(2); }), [...produce(new Map([[1, 2]]), (m) => { m.set(3, 4); })]];`,
  ),
  libraryCase(
    "immutable",
    'import { Map, List, fromJS } from "immutable";',
    `return [Map({ a: 1 }).set("b", 2).toJS(), List([3, 1, 2]).sort().toArray(), fromJS({ a: { b: [1] } }).getIn(["a", "b", 0])];`,
  ),
  libraryCase(
    "io-ts",
    'import * as t from "io-ts"; import { PathReporter } from "io-ts/lib/PathReporter.js";',
    `const T = t.type({ a: t.number }); return [T.is({ a: 1 }), PathReporter.report(T.decode({ a: "x" }))];`,
  ),
  libraryCase(
    "joi",
    'import Joi from "joi";',
    `const s = Joi.object({ a: Joi.number().min(1).required(), b: Joi.string().email({ tlds: false }) }); return [s.validate({ a: "2" }).value, s.validate({ a: 0 }).error.message];`,
  ),
  libraryCase(
    "jose",
    'import { decodeJwt, calculateJwkThumbprint, SignJWT } from "jose";',
    `return await new SignJWT({ a: 1 }).setProtectedHeader({ alg: "HS256" }).sign(new Uint8Array(32));`,
    {
      where: "everywhere",
      why: "signing needs crypto.subtle; the real runtime has no crypto at all (decodeJwt and thumbprints work here)",
      shows: /crypto\.subtle/,
    },
  ),
  libraryCase(
    "js-yaml",
    'import * as yaml from "js-yaml";',
    `return [yaml.load("a: [1, 2]\\nb: 2001-12-14"), yaml.dump({ a: ["x: y", 1.5, null] })];`,
  ),
  libraryCase(
    "jsonpath-plus",
    'import { JSONPath } from "jsonpath-plus";',
    `return JSONPath({ path: "$.a[?(@.b>1)].c", json: { a: [{ b: 1, c: 2 }, { b: 2, c: 3 }] } });`,
  ),
  libraryCase(
    "kysely",
    'import { Kysely, DummyDriver, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from "kysely";',
    `const db = new Kysely({ dialect: { createAdapter: () => new SqliteAdapter(), createDriver: () => new DummyDriver(), createIntrospector: (d) => new SqliteIntrospector(d), createQueryCompiler: () => new SqliteQueryCompiler() } }); const q = db.selectFrom("t").select(["a"]).where("b", ">", 3).compile(); return [q.sql, q.parameters];`,
  ),
  libraryCase(
    "linkify-it",
    'import { LinkifyIt } from "linkify-it";',
    `return new LinkifyIt().match("see https://a.example/b and mail@c.example").map((m) => [m.url, m.index]);`,
  ),
  libraryCase(
    "liquidjs",
    'import { Liquid } from "liquidjs";',
    `return new Liquid().parseAndRender("{% for a in l %}{{ a | upcase }}{% endfor %}{{ 5.25 | round: 1 }}", { l: ["x", "y"] });`,
  ),
  one(
    "lodash",
    `return [x.groupBy([1.2, 1.5, 2.1], Math.floor), x.template("<%- a %>")({ a: "<" }), x.merge({ a: { b: 1 } }, { a: { c: 2 } }), x.chunk([1, 2, 3], 2)];`,
  ),
  libraryCase(
    "lodash-es",
    'import { sortBy, debounce, cloneDeep } from "lodash-es";',
    `return [sortBy([3, 1, 2]), typeof debounce(() => 1), cloneDeep({ a: [new Date(0)] })];`,
  ),
  libraryCase(
    "long",
    'import Long from "long";',
    `return [Long.fromString("9223372036854775807").add(1).toString(), Long.fromNumber(-1).toUnsigned().toString()];`,
  ),
  libraryCase(
    "luxon",
    'import { DateTime, Duration } from "luxon";',
    `const d = DateTime.fromMillis(1e12, { zone: "utc", locale: "en" }); return [d.toISO(), d.plus({ months: 1 }).toFormat("yyyy-LL-dd"), Duration.fromISO("PT90M").as("hours"), d.toLocaleString(DateTime.DATE_MED)];`,
  ),
  one(
    "lz-string",
    `const c = x.compressToBase64("aaaaaaaabbbbbbbb"); return [c, x.decompressFromBase64(c)];`,
  ),
  withTop(
    libraryCase(
      "markdown-it",
      'import MarkdownIt from "markdown-it";',
      `return new MarkdownIt({ linkify: true, typographer: true }).render("# A\\n\\n* *b* \`c\`\\n* (c) https://a.example");`,
    ),
    // The patterns for links are made at the first use.
    `const md = new MarkdownIt({ linkify: true, typographer: true }); md.render("https://b.example");`,
    `return md.render("# A\\n\\n* *b* \`c\`\\n* (c) https://a.example");`,
  ),
  libraryCase(
    "marked",
    'import { marked } from "marked";',
    `return marked.parse("# A\\n\\n| a | b |\\n|---|---|\\n| 1 | **2** |");`,
  ),
  libraryCase(
    "mathjs",
    'import { evaluate, matrix, inv, fraction } from "mathjs";',
    `return [evaluate("sqrt(3^2 + 4^2) cm to mm").toString(), inv(matrix([[1, 2], [3, 4]])).toString(), evaluate("det([1,2;3,4])"), fraction(1, 3).toString()];`,
  ),
  one(
    "mitt",
    `const e = x(), seen = []; e.on("*", (t, v) => seen.push([t, v])); e.emit("a", 1); return seen;`,
  ),
  libraryCase(
    "mobx",
    'import { observable, autorun, computed, runInAction } from "mobx";',
    `const s = observable({ a: 1 }), seen = []; const c = computed(() => s.a * 2); autorun(() => seen.push(c.get())); runInAction(() => { s.a = 5; }); return seen;`,
  ),
  one(
    "moment",
    `return [x.utc(0).add(1, "month").format("dddd, MMMM Do YYYY"), x.duration(90, "minutes").humanize(), x.utc("2024-02-30", "YYYY-MM-DD", true).isValid()];`,
  ),
  one("ms", `return [x("2.5 hrs"), x(60000, { long: true })];`),
  libraryCase(
    "msgpackr",
    'import { pack, unpack } from "msgpackr";',
    `return unpack(pack({ a: [1, 2.5, "x", null], b: { c: true } }));`,
  ),
  libraryCase(
    "multiformats",
    'import { CID } from "multiformats/cid"; import * as raw from "multiformats/codecs/raw"; import { identity } from "multiformats/hashes/identity";',
    `return CID.create(1, raw.code, await identity.digest(new Uint8Array([1, 2]))).toString();`,
  ),
  libraryCase(
    "mustache",
    'import Mustache from "mustache";',
    `return Mustache.render("{{#l}}<{{.}}>{{/l}}{{^n}}none{{/n}}", { l: ["a", "&"] });`,
  ),
  libraryCase("nanoid", 'import { customAlphabet } from "nanoid";', `return customAlphabet("a", 5)();`),
  libraryCase(
    "neverthrow",
    'import { ok, err, Result } from "neverthrow";',
    `return [ok(1).map((n) => n + 1)._unsafeUnwrap(), err("x").unwrapOr(5), Result.fromThrowable(JSON.parse)("{").isErr()];`,
  ),
  libraryCase(
    "nunjucks",
    'import nunjucks from "nunjucks";',
    `return new nunjucks.Environment(null, { autoescape: true }).renderString("{% for a in l %}{{ loop.index }}{{ a }}{% endfor %}", { l: ["x", "<"] });`,
  ),
  libraryCase(
    "p-limit",
    'import pLimit from "p-limit";',
    `const l = pLimit(1), seen = []; await Promise.all([1, 2, 3].map((n) => l(async () => { seen.push(n); }))); return seen;`,
  ),
  libraryCase(
    "pako",
    'import { deflate, ungzip, gzip } from "pako";',
    `return [[...deflate("aaaaaaaaaa")], ungzip(gzip("hello"), { to: "string" })];`,
  ),
  libraryCase(
    "papaparse",
    'import Papa from "papaparse";',
    `return [Papa.parse('a,b\\n1,"x, y"', { header: true, dynamicTyping: true }).data, Papa.unparse([{ a: 1, b: "c,d" }])];`,
  ),
  libraryCase(
    "path-to-regexp",
    'import { match, compile } from "path-to-regexp";',
    `return [match("/a/:b")("/a/c"), compile("/x/*rest")({ rest: ["1", "2"] })];`,
  ),
  libraryCase(
    "picomatch",
    'import picomatch from "picomatch";',
    `return [picomatch("*.{ts,js}")("a.ts"), picomatch("a/**/b")("a/c/d/b"), picomatch.makeRe("!x").source];`,
  ),
  libraryCase(
    "protobufjs",
    'import protobuf from "protobufjs";',
    `const { root } = protobuf.parse('syntax = "proto3"; message A { int32 n = 1; repeated string s = 2; }'); const A = root.lookupType("A"); const b = A.encode(A.create({ n: 5, s: ["x"] })).finish(); return [[...b], A.toObject(A.decode(b))];`,
  ),
  one("qs", `return [x.parse("a[b][]=1&a[b][]=2&c=%C3%BC"), x.stringify({ a: { b: [1, 2] } })];`),
  one("query-string", `return [x.parse("?a=1&a=2&b"), x.stringify({ z: 1, a: ["x", null] })];`),
  all(
    "ramda",
    `return [x.pipe(x.map(x.add(1)), x.sum)([1, 2]), x.path(["a", 0], { a: [5] }), x.groupWith(x.equals, [1, 1, 2])];`,
  ),
  libraryCase(
    "react",
    'import { createElement } from "react"; import { renderToStaticMarkup } from "react-dom/server.edge";',
    `return renderToStaticMarkup(createElement("p", { className: "a" }, ["<", createElement("b", { key: 1 }, 2)]));`,
  ),
  libraryCase(
    "redux",
    'import { createStore, combineReducers, applyMiddleware } from "redux";',
    `const s = createStore(combineReducers({ n: (n = 0, a) => (a.type === "add" ? n + a.by : n) })); s.dispatch({ type: "add", by: 4 }); return s.getState();`,
  ),
  libraryCase(
    "remeda",
    'import { pipe, map, unique, groupBy } from "remeda";',
    `return [pipe([1, 2, 2], unique(), map((n) => n * 2)), groupBy(["a", "bb"], (s) => s.length)];`,
  ),
  libraryCase(
    "reselect",
    'import { createSelector } from "reselect";',
    `let n = 0; const s = createSelector([(o) => o.a], (a) => { n++; return a * 2; }); const o = { a: 2 }; return [s(o), s(o), n];`,
  ),
  libraryCase(
    "rxjs",
    'import { of, from, scan, toArray, mergeMap, lastValueFrom } from "rxjs";',
    `return lastValueFrom(from([1, 2, 3]).pipe(mergeMap((n) => of(n, n * 10)), scan((a, b) => a + b), toArray()));`,
  ),
  libraryCase(
    "sanitize-html",
    'import sanitize from "sanitize-html";',
    `return sanitize('<p onclick="x">a<script>b</script><a href="javascript:1">c</a></p>');`,
  ),
  one(
    "semver",
    `return [x.satisfies("1.4.2", "^1.2 || >2"), x.inc("1.2.3", "minor"), x.sort(["1.10.0", "1.9.0"]), x.coerce("v2.x").version];`,
  ),
  all(
    "simple-statistics",
    `return [x.standardDeviation([1, 2, 9]), x.linearRegression([[0, 0], [1, 2]]), x.median([3, 1, 2])];`,
  ),
  one("slugify", `return x("Ünïcode & más", { lower: true, strict: true });`),
  libraryCase(
    "smol-toml",
    'import { parse, stringify } from "smol-toml";',
    `return [parse('a = [1, 2.5]\\n[b]\\nc = "d"'), stringify({ a: { b: [1] } })];`,
  ),
  libraryCase(
    "sqids",
    'import Sqids from "sqids";',
    `const s = new Sqids(); return [s.encode([1, 2, 3]), s.decode("86Rf07")];`,
  ),
  libraryCase(
    "superjson",
    'import superjson from "superjson";',
    `const t = superjson.stringify({ d: new Date(0), s: new Set([1]), n: 5n, u: undefined, e: new RangeError("x") }); const o = superjson.parse(t); return [t, o.d.getTime(), [...o.s], String(o.n), o.e.message, o.e instanceof Error];`,
  ),
  libraryCase(
    "superstruct",
    'import { object, number, string, validate } from "superstruct";',
    `return [validate({ a: 1 }, object({ a: number() }))[1], validate({ a: "x" }, object({ a: number() }))[0].message];`,
  ),
  libraryCase(
    "ts-pattern",
    'import { match, P } from "ts-pattern";',
    `return [1, "a", [2]].map((v) => match(v).with(P.number, () => "n").with(P.string, (s) => s).otherwise(() => "o"));`,
  ),
  libraryCase(
    "turndown",
    'import TurndownService from "turndown";',
    `return new TurndownService().turndown("<h1>A</h1><p>b <em>c</em></p>");`,
    {
      where: "everywhere",
      why: "its build for browsers needs a document",
      shows: /document is not defined/,
    },
  ),
  libraryCase(
    "tweetnacl",
    'import nacl from "tweetnacl";',
    `${hex} const k = nacl.sign.keyPair.fromSeed(new Uint8Array(32).fill(7)); return [hex(k.publicKey), hex(nacl.sign.detached(new Uint8Array([1]), k.secretKey)), hex(nacl.hash(new Uint8Array([2])))];`,
  ),
  libraryCase(
    "uuid",
    'import { v5, v3, validate, parse } from "uuid";',
    `return [v5("a", v5.DNS), v3("a", v3.URL), validate("x"), [...parse("6ba7b810-9dad-11d1-80b4-00c04fd430c8")]];`,
  ),
  all(
    "valibot",
    `const s = x.object({ a: x.pipe(x.string(), x.minLength(2)) }); return [x.safeParse(s, { a: "xy" }).output, x.safeParse(s, { a: "x" }).issues.map((i) => i.message)];`,
  ),
  withTop(
    libraryCase(
      "viem",
      'import { encodeFunctionData, parseEther, keccak256, getAddress, toHex } from "viem"; import { privateKeyToAccount } from "viem/accounts";',
      `const a = privateKeyToAccount("0x" + "07".repeat(32)); return [a.address, await a.signMessage({ message: "x" }), keccak256(toHex("a")), parseEther("2").toString(), encodeFunctionData({ abi: [{ type: "function", name: "f", stateMutability: "view", inputs: [{ type: "uint8", name: "n" }], outputs: [] }], args: [5] })];`,
    ),
    `const a = privateKeyToAccount("0x" + "07".repeat(32));`,
    `return [a.address, await a.signMessage({ message: "x" }), keccak256(toHex("a")), parseEther("2").toString(), encodeFunctionData({ abi: [{ type: "function", name: "f", stateMutability: "view", inputs: [{ type: "uint8", name: "n" }], outputs: [] }], args: [5] })];`,
  ),
  libraryCase(
    "vue",
    'import { createSSRApp, h, ref, computed } from "vue"; import { renderToString } from "vue/server-renderer";',
    `const n = ref(1), d = computed(() => n.value * 2); n.value = 4; return [d.value, await renderToString(createSSRApp({ render: () => h("p", { class: ["a", { b: true }] }, "<") }))];`,
  ),
  libraryCase(
    "xstate",
    'import { createMachine, createActor } from "xstate";',
    `const a = createActor(createMachine({ initial: "off", states: { off: { on: { T: "on" } }, on: {} } })).start(); a.send({ type: "T" }); return a.getSnapshot().value;`,
  ),
  libraryCase(
    "yup",
    'import * as yup from "yup";',
    `const s = yup.object({ a: yup.number().min(2).required() }); return [await s.validate({ a: "3" }), await s.validate({ a: 1 }).catch((e) => e.errors)];`,
  ),
  libraryCase(
    "zustand",
    'import { createStore } from "zustand/vanilla";',
    `const s = createStore((set) => ({ n: 1, add: () => set((o) => ({ n: o.n + 1 })) })); s.getState().add(); return s.getState().n;`,
  ),
];
