// docs/runtime-differences.md: every known difference between `runtime_node` and a Jstz node. What `functez check` and the
// strict mode know (daemon/protocol/real-runtime.ts) is taken from there.
import {
  ABSENT_GLOBALS,
  EXTRA_GLOBALS,
  extraMembers,
  INSTEAD,
  LIMITS,
  realGlobals,
  TEXTS,
  THROWING_FUNCTIONS,
  THROWING_GETTER,
  UPSTREAM,
} from "../protocol/real-runtime.ts";
import { FINDINGS } from "../protocol/runtime-findings.ts";
import { code, generatedNotice, table } from "./markdown.ts";

interface Difference {
  readonly what: string;
  readonly there: string;
  readonly here: string;
  readonly reason: string;
  /** Key of the configuration that changes it. */
  readonly setting?: string;
  /** In strict mode it is as there. */
  readonly strict?: true;
}

const count = (number: number): string => number.toLocaleString("en");

const PROGRAMS: readonly Difference[] = [
  {
    what: "Endless loop",
    there: "hangs the node",
    here: "ends with 500 `GasLimitExceeded`, rolled back",
    reason: "a sandbox must survive its user's bugs",
    setting: "`runtime_node.gas_ceiling`",
  },
  {
    what: "`gasLimit`",
    there: "accepted and ignored",
    here: "one unit buys 40,000 units of the engine's gas, up to the ceiling (modules have twice that beside it); the usual 550000 reaches both",
    reason: "existing programs use limits from 10 up, and must keep working",
    setting: "`runtime_node.gas_ceiling`",
  },
  {
    what: "Memory of a call",
    there: "limited by the machine",
    here: "64 MB, then 500 `MemoryLimitExceeded`",
    reason: "one function must not take the sandbox down",
  },
  {
    what: "Live calls",
    there: `at most ${LIMITS.liveCalls} at once in an operation`,
    here: "the same; calls that one function starts simultaneously run one after another, so they do not add up",
    reason: "effects of concurrent calls have a defined order",
    setting: "`runtime_node.max_live_calls`",
    strict: true,
  },
  {
    what: "Concurrent `fetch` of functions",
    there: "all share one stack of transactions; undefined when mixed",
    here: "each call has its own nested transaction, in the order of the calls",
    reason: "no undefined behaviour",
  },
  {
    what: "`Kv.has`, `Kv.contains`",
    there: "only `contains`, while types and documentation say `has`",
    here: "both",
    reason: "programs of both kinds exist",
    strict: true,
  },
  {
    what: "`URLSearchParams`",
    there: "missing as a global",
    here: "available",
    reason: "the types declare it",
    strict: true,
  },
  {
    what: "`SmartFunction.create`, `.call`",
    there: "missing (v1 had them)",
    here: "available; the creator's nonce counts",
    reason: "examples use them",
    strict: true,
  },
  {
    what: "`crypto.getRandomValues`, `crypto.subtle.digest`",
    there: "missing",
    here: "available; random bytes derive from the operation hash, so they are the same on every run",
    reason: "harmless and often needed",
    strict: true,
  },
  {
    what: "`Date`",
    there: `fixed: ${new Date(LIMITS.now).toISOString()}`,
    here: "the same, or the time of day",
    reason: "tests with time need it",
    setting: "`runtime_node.real_time`",
    strict: true,
  },
  {
    what: "`jstz://jstz/withdraw`, `/fa-withdraw`",
    there: "respond that they are not supported",
    here: "work for users and functions: debited at once, paid on layer 1 when the commitment is cemented",
    reason: "a bridge has two directions",
    strict: true,
  },
  {
    what: "A deposit of 2^64 and more of a ticket",
    there: "ignored; what it stands for stays with the rollup",
    here: "credited, up to 2^256 - 1, with a warning in the log; withdrawals take up to 2^64 - 1 at once",
    reason: "nothing should be lost in a test without a word",
  },
  {
    what: "A transfer to the rollup that is no deposit: another ticket than the bridge's, a receiver that the runtime does not have",
    there: "ignored",
    here: "ignored, and the log says why",
    reason: "as above",
  },
  {
    what: "A withdrawal that layer 1 cannot pay: to a contract that does not exist, or that takes no plain tez such as the bridge itself",
    there: "stays executable until it expires; the tez stay with the exchanger",
    here: "the same: the operator tries once, the operation's receipt on layer 1 has the error, the log names the operation and its errors",
    reason: "the runtime cannot know the state of layer 1",
  },
  {
    what: "A withdrawal that cannot be paid",
    there: "-",
    here: "a `Failed` receipt with `InsufficientFunds`",
    reason: "nothing was executed",
    strict: true,
  },
  {
    what: "JavaScript engine",
    there: UPSTREAM.engine.name,
    here: "QuickJS in WebAssembly: texts of syntax errors and stack frames differ; `Intl` supports only `en` and UTC; no `WebAssembly`, `SharedArrayBuffer`, `Atomics` and `Temporal`, and no `RegExp.$1` and the like; tight loops are slower",
    reason: "isolation, exact gas, no native code",
  },
  {
    what: "`location`",
    there: "reading it throws, `typeof` too",
    here: "not defined",
    reason: "libraries that check with `typeof` work; it is unusable in both",
    strict: true,
  },
  {
    what: "`AbortSignal.timeout()`",
    there: "uses the machine's clock",
    here: "aborts when the program waits for nothing else ([why](web-platform.md#time))",
    reason: "time stands still within a call",
  },
  {
    what: "`PerformanceObserver`",
    there: "missing",
    here: "available, for marks and measures",
    reason: "harmless",
    strict: true,
  },
  {
    what: "`Kv.set` of a value that is not JSON",
    there: "impossible",
    here: "`TypeError: Kv stores JSON only`, for functions that replace `JSON.stringify`; also beyond 1,000 levels of nesting",
    reason: "readers must be able to parse stored values",
  },
  {
    what: "A response in a receipt, with its headers",
    there: "no limit",
    here: "10 MiB, then a `Failed` receipt with `ResponseTooLarge`, rolled back",
    reason: "memory",
  },
  {
    what: "Withdrawals of one operation",
    there: "-",
    here: "100, then `TooManyWithdrawals`; as many as a block of layer 1 accepts",
    reason: "memory",
  },
  {
    what: "Requests that a call starts at once",
    there: "no limit",
    here: "4,096 and 32 MiB, then `fetch` rejects",
    reason: "memory",
  },
  {
    what: "Data stored by one operation",
    there: "no limit",
    here: "32 MiB, created code included, then `Kv.set` throws",
    reason: "a function in a loop must not fill the memory",
  },
  {
    what: "Data of all functions together: code, keys, values",
    there: "no limit",
    here: "64 Mi characters, each account, code, value and ticket counted as 200 more; then operations that add to it fail with `StorageLimitExceeded`, and operations of new accounts are rejected. Deposits are always accepted",
    reason: "the state is in memory; a loop must not end the sandbox",
  },
  {
    what: "Order of operations",
    there: "order of arrival",
    here: "the same, but a sender or a function that has delayed others for more than 100 ms takes turns with them for a while; operations of one sender stay in order",
    reason: "no sender may block the others",
  },
  {
    what: "Withdrawals that layer 1 has not accepted",
    there: "-",
    here: "65,535, then operations with further ones fail with `OutboxFull`",
    reason: "they are kept while layer 1 is down",
  },
  {
    what: "Log text",
    there: "no limit",
    here: "1 MiB for one operation, the rest is dropped with a note",
    reason: "a function in a loop must not fill the memory",
  },
  {
    what: "Response without a status",
    there: "0 to a caller, 400 in a receipt",
    here: "the same",
    reason: "-",
  },
  {
    what: "Reading a balance",
    there:
      "creates the account with zeros, unless the operation or the call is rolled back; then it is listed by the node, and a call of such an address is no longer answered with 404",
    here: "changes nothing",
    reason: "reading should not write",
    strict: true,
  },
];

const OUTSIDE: readonly Difference[] = [
  {
    what: "Performed by",
    there: "a separate oracle process",
    here: "the runtime itself; there is no `OracleResponse` operation, and the injector's nonce does not change",
    reason: "the injector's key is a public bootstrap account here",
  },
  {
    what: "`OracleResponse` operations",
    there: "accepted from the oracle key",
    here: "`InvalidInjector` for all: the known oracle key is that of `bootstrap1`, which is public. With `external_key` the holder of that key answers, and the built-in oracle makes no request",
    reason: "answers must not be forged; tests can act as the oracle",
    setting: "`runtime_node.oracle.external_key`",
  },
  {
    what: "A request that is open when its operation touches state",
    there: "answered, on a state that may be stale",
    here: "answered with 400 at once, like one made afterwards",
    reason:
      "an operation that has read or written state runs to its end before any other, so none overwrites concurrent changes",
  },
  {
    what: '"Touches state"',
    there: "reads and writes of values, tez",
    here: "also a response that a function does not exist",
    reason: "that may change while the operation waits",
  },
  {
    what: "A request that is not awaited",
    there: "is made",
    here: "is aborted, or never made, when its operation ends",
    reason: "a function in a loop must not fill the memory",
  },
  {
    what: "Requests of one operation",
    there: "no limit",
    here: "64, of them 16 at once (then 429), 1 MiB of requests in all (then 413)",
    reason: "the same",
  },
  {
    what: "Waiting functions",
    there: "no limit",
    here: "as many as leave room for others to run (then 503)",
    reason: "one function must not block all others",
  },
  {
    what: "Loopback, private and link-local addresses",
    there: "reachable",
    here: "403, also after a redirect or by a name that resolves to one",
    reason: "any web page can send an operation to a local node, which must not open the user's network",
    setting: "`runtime_node.oracle.allow_private`, `runtime_node.oracle.allowed_hosts`",
  },
  {
    what: "`http://localhost:8933`",
    there: "the machine of the oracle",
    here: "always the runtime itself: its public interface without the event streams, 403 for everything else; `authorization` and `cookie` are dropped",
    reason: "functions fetch their own node, in containers too",
  },
  {
    what: "Headers and methods",
    there: "as set by the function",
    here: "`origin`, `host`, `forwarded`, `via`, `sec-…`, `proxy-…`, `x-forwarded-…`, `x-functez-…` are dropped, `CONNECT` and `TRACE` are answered with 403, `x-functez-function` is added",
    reason: "servers must be able to distinguish a function from its user",
  },
  {
    what: "Time to live",
    there: "20 levels",
    here: "20 seconds",
    reason: "levels advance with the operations here",
    setting: "`runtime_node.oracle.timeout_levels` (seconds)",
  },
  {
    what: "Size of a response",
    there: "no limit",
    here: "10 MiB, then 502; 20 MiB for all in flight, then 503",
    reason: "memory",
  },
  {
    what: "User agent",
    there: "`jstz-oracle-data-provider/0.1`",
    here: "`functez-oracle/0.1`",
    reason: "it is a different program",
  },
  {
    what: "Enabled",
    there: "yes",
    here: "yes, or 403 for every request",
    reason: "offline work",
    setting: "`runtime_node.oracle.enabled`",
  },
];

const CLIENTS: readonly Difference[] = [
  {
    what: "Receipt of a pending operation",
    there: "404",
    here: "the request is held until the receipt exists, at most 55 s",
    reason: "the SDK gives up at the first 404",
    strict: true,
  },
  {
    what: "Receipt after a replay with a broken signature",
    there: "the failure replaces the success",
    here: "the success stays",
    reason: "the operation was executed",
  },
  {
    what: `Deploys above ${count(LIMITS.operationBytes)} bytes`,
    there: "become a reveal operation of the injector",
    here: "are accepted directly, up to 10 MiB; the receipt has the same hash",
    reason: "there is no rollup to reveal to",
  },
  {
    what: `Runs above ${count(LIMITS.operationBytes)} bytes`,
    there: "rejected with 400",
    here: "accepted",
    reason: "a superset",
    strict: true,
  },
  {
    what: "`RevealLargePayload` sent by a client",
    there:
      "accepted from the injector only, whose node has stored the payload in the rollup's preimage folder",
    here: "`InvalidInjector`, or `RevealNotSupported` from the injector",
    reason:
      "clients never send one: they send the large deploy itself, which works; neither side has a route for preimages",
  },
  {
    what: "Signature of a large deploy",
    there: "checked at injection: 500 `Invalid operation`",
    here: "checked at execution, like every other: `InvalidSignature` in the receipt",
    reason: "one rule for all sizes",
  },
  {
    what: "Operation hash",
    there:
      "plain concatenation without separators: nonce 1 with code `2x` has the hash of nonce 12 with code `x`",
    here: "the same, since wallets sign the hash; so a signature is valid for both readings, and an observer of one can send the other when the account reaches its nonce",
    reason: "Jstz's rule",
  },
  {
    what: "Queued operations",
    there: "limited in number",
    here: "the same, and to 32 MiB; then 503 `queue is full`. Of an operation with a wrong signature only its receipt is kept",
    reason: "memory",
  },
  {
    what: "Connections, event streams, bodies and large responses in flight",
    there: "no limit",
    here: "1,024 connections per server (an idle one is closed for a new one), 256 streams (the oldest is closed for a new one), 8, 16 and 60 MiB of bodies by size class, 32 MiB of responses; beyond that 503 with `TOO_MANY_STREAMS` or `SERVER_BUSY`",
    reason: "memory and file descriptors",
  },
  {
    what: "Header values that are numbers",
    there: "422",
    here: "accepted as their decimal text, which the hash covers",
    reason: "the SDK's types allow them",
    strict: true,
  },
  {
    what: "Persistent logs",
    there: "400, disabled in every shipped build",
    here: "served, newest first, within the history kept",
    reason: "no reason to reject",
  },
  {
    what: "`GET /deposits`, `/traces`, `/operations/{hash}/trace`, `/operations/held`, `/operations/stream`, `/openapi.json`",
    there: "missing",
    here: "available",
    reason: "tools need them",
  },
  {
    what: "Requests for another host name",
    there: "served",
    here: "403",
    reason: "DNS rebinding",
  },
  {
    what: "History",
    there: "in a database",
    here: "in memory, the newest `runtime_node.history` operations",
    reason: "the sandbox starts fresh",
  },
];

const differences = (rows: readonly Difference[]): string =>
  table(
    ["what", "Jstz (v2)", "here", "reason", "setting", "strict mode"],
    rows.map(({ what, there, here, reason, setting, strict }) => [
      what,
      there,
      here,
      reason,
      setting ?? "-",
      strict === true ? "as Jstz" : "as here",
    ]),
  );

/** What programmers ask about because it is younger than other engines, and exists in both. */
const NOT_NEWER = [
  ...[
    "Array.fromAsync",
    "Array.prototype.toSorted",
    "Array.prototype.with",
    "Iterator.from",
    "Object.groupBy",
  ],
  ...["Promise.try", "Promise.withResolvers", "Set.prototype.union", "String.prototype.isWellFormed"],
  ...["ArrayBuffer.prototype.transfer", "Float16Array", "Math.f16round"],
];

/** The whole document. */
export function runtimeDifferences(): string {
  const { repository, commit, date, version, engine } = UPSTREAM;
  const list = (names: Iterable<string>): string => [...names].sort().map(code).join(", ");
  return `${[
    generatedNotice("daemon/protocol/real-runtime.ts and daemon/control/runtime-differences.ts"),
    "# How the runtime differs from a Jstz node",
    "`runtime_node` speaks the interface of a Jstz node with the current (v2) runtime: existing smart functions, the TypeScript SDK and wallets work with it unmodified. This page lists every known difference, its reason, and how to disable it where that makes sense. Settings are keys of the sandbox configuration (`docs/configuration.md`).",
    `The runtime that is followed is ${repository} at ${code(commit)} (${date}, version ${version}). What is said of it here was read from its sources.`,
    "Two tools find out whether a smart function works there:",
    "- `functez check` reads the code and reports places; `functez deploy` runs it for every network but the sandbox.\n- The strict mode runs the code without what only this sandbox has: `functez exec --strict -- npm test`, `startSandbox({ strict: true })`, `runtime_node.strict`. The column *strict mode* says what it changes.",
    "## What `functez check` reports",
    'Errors make it fail. In libraries, whose code may never run, they are warnings unless they run with the module, and globals that a module looks for with `typeof` are left out. Code that cannot run on the real runtime, such as after `typeof crypto !== "undefined" &&`, is left out.',
    table(
      ["code", "severity", "what", "on the real runtime", "here"],
      Object.entries(FINDINGS).map(([name, { severity, title, there, here }]) => [
        code(name),
        severity,
        title,
        there,
        here,
      ]),
    ),
    "## Visible to programs",
    differences(PROGRAMS),
    "## Globals",
    `On the real runtime: ${list(realGlobals())}.`,
    `Here only, and missing in strict mode: ${list(EXTRA_GLOBALS)}.`,
    `So are members of a newer JavaScript than ${engine.name} has: ${list(extraMembers())}.`,
    `Everything else of the language that exists here exists there too. Its engine is ${engine.name}, embedded by ${engine.by}, which turns on ${list(engine.flags)}. The list above is the difference between the objects of both engines, member by member; a test compares them again when this engine changes. So ${list(NOT_NEWER)} and the flag ${code("v")} of regular expressions exist in both.`,
    `There they throw when called: ${list(THROWING_FUNCTIONS)}; ${code(THROWING_GETTER)} throws when read (${code(TEXTS.location)}).`,
    `Missing in both, and reported if used: ${list(ABSENT_GLOBALS)}, and every other name that nothing declares.`,
    table(
      ["instead of", "do"],
      Object.entries(INSTEAD).map(([name, advice]) => [code(name), advice]),
    ),
    '## Outgoing HTTP (`fetch("https://…")`)',
    differences(OUTSIDE),
    "## Visible to clients",
    differences(CLIENTS),
  ].join("\n\n")}\n`;
}
