// Facts about the real Jstz runtime (v2): its globals, limits and messages. The single source for `functez check`, for the
// strict mode (guest globals, answers of the node) and for docs/runtime-differences.md.

/** The revisions of the sources of these facts. */
export const UPSTREAM = {
  repository: "jstz-dev/jstz",
  commit: "d163364",
  date: "2026-01-05",
  version: "0.1.1-alpha.5",
  /** Its lock file names deno_core 0.336.0, which embeds this V8 and turns on two flags of it. */
  engine: {
    name: "V8 13.0.245.12",
    by: "deno_core 0.336.0",
    flags: ["--harmony-temporal", "--js-float16array"],
  },
} as const;

/** Globals of the real runtime other than those of the language. */
const WEB_GLOBALS = [
  "AbortController AbortSignal Blob ByteLengthQueuingStrategy CloseEvent CompileModuleError CompressionStream",
  "CountQueuingStrategy CustomEvent DOMException DecompressionStream DedicatedWorkerGlobalScope Deno ErrorEvent Event",
  "EventTarget File FileReader FormData Headers ImageData Kv Ledger MessageChannel MessageEvent MessagePort NotSupported",
  "Performance PerformanceEntry PerformanceMark PerformanceMeasure ProgressEvent PromiseRejectionEvent",
  "ReadableByteStreamController ReadableStream ReadableStreamBYOBReader ReadableStreamBYOBRequest",
  "ReadableStreamDefaultController ReadableStreamDefaultReader Request Response RuntimeError TextDecoder",
  "TextDecoderStream TextEncoder TextEncoderStream TransformStream TransformStreamDefaultController URL URLPattern",
  "WorkerGlobalScope WorkerLocation WritableStream WritableStreamDefaultController WritableStreamDefaultWriter",
  "addEventListener atob btoa console dispatchEvent fetch performance queueMicrotask removeEventListener reportError",
  "self structuredClone",
];

/** Globals of the language (V8 13.0 with the flags above). */
const LANGUAGE_GLOBALS = [
  "AggregateError Array ArrayBuffer Atomics BigInt BigInt64Array BigUint64Array Boolean DataView Date Error EvalError",
  "FinalizationRegistry Float16Array Float32Array Float64Array Function Infinity Int16Array Int32Array Int8Array Intl Iterator JSON",
  "Map Math NaN Number Object Promise Proxy RangeError ReferenceError Reflect RegExp Set SharedArrayBuffer String Symbol",
  "SyntaxError Temporal TypeError URIError Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakRef WeakSet",
  "WebAssembly decodeURI decodeURIComponent encodeURI encodeURIComponent escape eval globalThis isFinite isNaN",
  "parseFloat parseInt undefined unescape",
];

const names = (lines: readonly string[]): string[] => lines.flatMap((line) => line.split(" "));

/** All usable globals of the real runtime. */
export const realGlobals = (): ReadonlySet<string> => new Set(names([...WEB_GLOBALS, ...LANGUAGE_GLOBALS]));

/** Globals that this sandbox adds; the strict mode removes them. Some are newer than V8 13.0. */
export const EXTRA_GLOBALS = [
  "AsyncDisposableStack",
  "Crypto",
  "DisposableStack",
  "InternalError",
  "PerformanceObserver",
  "PerformanceObserverEntryList",
  "SmartFunction",
  "SubtleCrypto",
  "SuppressedError",
  "URLSearchParams",
  "crypto",
] as const;

/** Members of the language's objects that are newer than V8 13.0, by object. */
export const EXTRA_MEMBERS: Readonly<
  Record<string, { readonly own?: readonly string[]; readonly prototype?: readonly string[] }>
> = {
  ArrayBuffer: { prototype: ["immutable", "sliceToImmutable", "transferToImmutable"] },
  Error: { own: ["isError"] },
  Iterator: {
    own: ["concat", "zip", "zipKeyed"],
    prototype: ["chunks", "includes", "join", "windows"],
  },
  Map: { prototype: ["getOrInsert", "getOrInsertComputed"] },
  Math: { own: ["sumPrecise"] },
  RegExp: { own: ["escape"] },
  Symbol: { own: ["asyncDispose", "dispose"] },
  Uint8Array: {
    own: ["fromBase64", "fromHex"],
    prototype: ["setFromBase64", "setFromHex", "toBase64", "toHex"],
  },
  WeakMap: { prototype: ["getOrInsert", "getOrInsertComputed"] },
};

/** Whether `object.member`, or `object.prototype.member`, is such a member. */
export const isExtraMember = (object: string, member: string, of: "own" | "prototype" = "own"): boolean =>
  Object.hasOwn(EXTRA_MEMBERS, object) && (EXTRA_MEMBERS[object]?.[of]?.includes(member) ?? false);

/** All such members: `Error.isError`, `Map.prototype.getOrInsert`. */
export const extraMembers = (): string[] =>
  Object.entries(EXTRA_MEMBERS).flatMap(([name, { own = [], prototype = [] }]) => [
    ...own.map((member) => `${name}.${member}`),
    ...prototype.map((member) => `${name}.prototype.${member}`),
  ]);

/** Members of `Kv` that this sandbox adds. */
export const EXTRA_KV_MEMBERS = ["has"] as const;

/** Globals that programs look for and neither runtime has. */
export const ABSENT_GLOBALS = [
  "BroadcastChannel",
  "Buffer",
  "EventSource",
  "Worker",
  "WebSocket",
  "XMLHttpRequest",
  "__dirname",
  "__filename",
  "caches",
  "document",
  "exports",
  "global",
  "importScripts",
  "indexedDB",
  "localStorage",
  "module",
  "navigator",
  "process",
  "require",
  "sessionStorage",
  "setImmediate",
  "window",
] as const;

/** Functions that exist but throw when called. */
export const THROWING_FUNCTIONS = ["clearInterval", "clearTimeout", "setInterval", "setTimeout"] as const;

/** A global that throws on any access, even in `typeof`. */
export const THROWING_GETTER = "location";

/** Alternatives, by the name of a global. */
export const INSTEAD: Readonly<Record<string, string>> = {
  Buffer: "Use Uint8Array with TextEncoder, TextDecoder, atob and btoa.",
  SmartFunction: "Call functions with fetch(); deploy them from outside.",
  URLSearchParams: "Use the searchParams of a URL.",
  XMLHttpRequest: "Use fetch().",
  crypto: "Take randomness from the request, or from a web service.",
  process: "There is no environment: put settings into Kv.",
  require: "Use import; functez bundles it.",
  setTimeout: "Only fetch() and promises can be awaited.",
};

export const LIMITS = {
  /** Largest signed operation other than a deploy, in bytes of its binary form. */
  operationBytes: 3_915,
  /** Largest signed deploy in bytes; the node turns one above `operationBytes` into a reveal. */
  deployBytes: 10_485_760,
  /** Most smart function instances alive at once in an operation, including the first. */
  liveCalls: 5,
  /** The fixed time of `Date`, in ms since 1970. */
  now: 1_530_380_397_121,
  /** The fixed result of `Math.random()`. */
  random: 0.42,
} as const;

/** Verbatim messages of the node and the runtime. */
export const TEXTS = {
  largeRun: "Large payload operation not supported: RevealNotSupported",
  withdrawal: "Withdrawals are not supported yet",
  location: 'Assertion: "globalThis.location" must be defined in a worker.',
} as const;
