// What is known of the real runtime of Jstz (v2): its global scope, its limits and its texts. The one source of `functez
// check`, of the strict mode (the guests' globals, the node's answers) and of docs/runtime-differences.md.

/** The state of the sources that these facts were read from. */
export const UPSTREAM = {
  repository: "jstz-dev/jstz",
  commit: "d163364",
  date: "2026-01-05",
  version: "0.1.1-alpha.5",
} as const;

/** Globals of the real runtime besides those of the language. */
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

/** Globals of the language (V8 13.0). */
const LANGUAGE_GLOBALS = [
  "AggregateError Array ArrayBuffer Atomics BigInt BigInt64Array BigUint64Array Boolean DataView Date Error EvalError",
  "FinalizationRegistry Float32Array Float64Array Function Infinity Int16Array Int32Array Int8Array Intl Iterator JSON",
  "Map Math NaN Number Object Promise Proxy RangeError ReferenceError Reflect RegExp Set SharedArrayBuffer String Symbol",
  "SyntaxError TypeError URIError Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakRef WeakSet",
  "WebAssembly decodeURI decodeURIComponent encodeURI encodeURIComponent escape eval globalThis isFinite isNaN",
  "parseFloat parseInt undefined unescape",
];

const names = (lines: readonly string[]): string[] => lines.flatMap((line) => line.split(" "));

/** All globals of the real runtime that can be used. */
export const realGlobals = (): ReadonlySet<string> => new Set(names([...WEB_GLOBALS, ...LANGUAGE_GLOBALS]));

/** Globals that this sandbox adds to those of the real runtime; the strict mode takes them away. */
export const EXTRA_GLOBALS = [
  "Crypto",
  "PerformanceObserver",
  "PerformanceObserverEntryList",
  "SmartFunction",
  "SubtleCrypto",
  "URLSearchParams",
  "crypto",
] as const;

/** Members of `Kv` that this sandbox adds. */
export const EXTRA_KV_MEMBERS = ["has"] as const;

/** Globals that neither runtime has and that programs look for. */
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

/** Functions that exist and throw when they are called. */
export const THROWING_FUNCTIONS = ["clearInterval", "clearTimeout", "setInterval", "setTimeout"] as const;

/** A global whose mere mention throws, in `typeof` too. */
export const THROWING_GETTER = "location";

/** What to use instead, by the name of a global. */
export const INSTEAD: Readonly<Record<string, string>> = {
  Buffer: "Use Uint8Array with TextEncoder, TextDecoder, atob and btoa.",
  SmartFunction: "Call functions with fetch(); deploy them from outside.",
  URLSearchParams: "Use the searchParams of a URL.",
  XMLHttpRequest: "Use fetch().",
  crypto: "Take randomness from the request, or from a web service.",
  process: "There is no environment: put settings into Kv.",
  require: "Use import; functez bundles it.",
  setTimeout: "Nothing can be awaited but fetch() and promises.",
};

export const LIMITS = {
  /** Bytes of a signed operation that is not a deploy, in its binary form. */
  operationBytes: 3_915,
  /** Bytes of a signed deploy; the node turns one above `operationBytes` into a reveal. */
  deployBytes: 10_485_760,
  /** Instances of smart functions that are alive at once in an operation, the first included. */
  liveCalls: 5,
  /** What `Date` shows, in ms since 1970. */
  now: 1_530_380_397_121,
  /** What `Math.random()` returns. */
  random: 0.42,
} as const;

/** Texts of the node and the runtime, as they are sent. */
export const TEXTS = {
  largeRun: "Large payload operation not supported: RevealNotSupported",
  withdrawal: "Withdrawals are not supported yet",
  location: 'Assertion: "globalThis.location" must be defined in a worker.',
} as const;

export type Severity = "error" | "warning" | "note";

/** A kind of finding of `functez check`. Its code never changes its meaning. */
interface FindingKind {
  readonly severity: Severity;
  readonly title: string;
  /** What the real runtime does. */
  readonly there: string;
  readonly here: string;
}

/** What `functez check` looks for. */
export const FINDINGS = {
  MISSING_GLOBAL: {
    severity: "error",
    title: "a global that does not exist",
    there: "using it throws a ReferenceError",
    here: `${EXTRA_GLOBALS.join(", ")} exist; the others are missing too`,
  },
  THROWING_GLOBAL: {
    severity: "error",
    title: "a function or getter that throws",
    there: `${THROWING_FUNCTIONS.join(", ")} throw NotSupported when called; ${THROWING_GETTER} throws when read`,
    here: `the functions throw too; ${THROWING_GETTER} is not defined`,
  },
  KV_HAS: {
    severity: "error",
    title: "Kv.has",
    there: "missing: calling it throws a TypeError; the same question is Kv.contains",
    here: "both exist",
  },
  WITHDRAWAL: {
    severity: "error",
    title: "a withdrawal to layer 1",
    there: `404 Not Found from a function; 400 "${TEXTS.withdrawal}" from a user`,
    here: "works",
  },
  LATE_IMPORT: {
    severity: "error",
    title: "an import that is left in the code",
    there: "the deploy fails: Import specifiers are not supported",
    here: "the same",
  },
  TOP_LEVEL_ACCESS: {
    severity: "error",
    title: "Kv, Ledger or console at the top level of the module",
    there: "the deploy fails: modules are evaluated without access to the protocol",
    here: "the same",
  },
  NO_HANDLER: {
    severity: "error",
    title: "no default export",
    there: "the deploy fails: No default handler",
    here: "the same",
  },
  SYNTAX: {
    severity: "error",
    title: "code that is no JavaScript module",
    there: "the deploy fails with a SyntaxError",
    here: "the same, with another text",
  },
  CODE_SIZE: {
    severity: "error",
    title: `an operation above ${LIMITS.deployBytes} bytes`,
    there: "the node rejects it with 413 or 500",
    here: "the same",
  },
  LIVE_CALLS: {
    severity: "warning",
    title: `more than ${LIMITS.liveCalls} live calls`,
    there: `the calls beyond ${LIMITS.liveCalls}, the caller included, are answered with 500`,
    here: "calls that one function starts at once run one after another",
  },
  OUTSIDE_AFTER_STATE: {
    severity: "error",
    title: "a request to the outside after an access to Kv or Ledger",
    there: "answered with 400: the transaction has pending changes",
    here: "the same",
  },
  FIXED_VALUE: {
    severity: "note",
    title: "the time of day, or a random number",
    there: `always ${new Date(LIMITS.now).toISOString()} and ${LIMITS.random}`,
    here: "the same, unless runtime_node.real_time is set",
  },
} as const satisfies Readonly<Record<string, FindingKind>>;

export type FindingCode = keyof typeof FINDINGS;
