// All operations that guest code can request, in one table: arguments, results, performer and price. The prelude's calls,
// the engine's dispatch, the prices and the effects on accounts take their types from it, so that a missing operation
// does not compile.

type Text = string;
/** Input bytes may be a view of any memory; output bytes are new. */
type View = Uint8Array;
type Bytes = Uint8Array<ArrayBuffer>;

/** Gas of an operation. */
export interface Price {
  /** For the call itself. */
  readonly base: number;
  /** Per byte (UTF-16 unit for text) of input, and of output. */
  readonly perByteIn: number;
  readonly perByteOut: number;
}

/**
 * Performer of an operation: `account` is the running account, in the call semantics ({@link GuestHost}); `run` is the
 * engine's run of the call, with its outcome, requests and randomness; `pure` is the engine, as a pure function of the
 * arguments, so that it may also run while a function's image is made.
 */
type Performer = "account" | "run" | "pure";

interface Operation<By extends Performer, Shape> {
  readonly by: By;
  readonly price: Price;
  /** For the types only: arguments and result as seen by the guest. */
  readonly signature?: Shape;
}

const operation =
  <By extends Performer>(by: By) =>
  <Shape extends (...args: never) => unknown>(
    base: number,
    perByteIn: number,
    perByteOut: number,
  ): Operation<By, Shape> => ({ by, price: { base, perByteIn, perByteOut } });

const account = operation("account");
const run = operation("run");
const pure = operation("pure");

/** Prices belong to `GAS_SCHEDULE_VERSION` and are measured by bench/gas-prices.mjs. Order: base, per byte in, per byte out. */
const HOST_OPERATIONS = {
  /** JSON text of a value, undefined for a missing key. */
  "kv.get": account<(key: Text) => Text | undefined>(400, 1, 0.25),
  "kv.set": account<(key: Text, json: Text) => void>(800, 1, 0),
  "kv.delete": account<(key: Text) => void>(400, 1, 0),
  "kv.has": account<(key: Text) => "1" | "">(300, 1, 0),
  /** Own address. */
  "ledger.self": account<() => Text>(200, 0, 0),
  /** Decimal mutez. */
  "ledger.balance": account<(address: Text) => Text>(1_500, 0, 0),
  /** The amount as passed by the program. */
  "ledger.transfer": account<(address: Text, amount: Text) => void>(1_500, 0, 0),
  /** The credit as passed by the program. Returns the address of the new function. */
  "function.create": account<(code: Text, credit: Text) => Text>(10_000, 1, 0),
  console: account<(level: "debug" | "info" | "warn" | "error", text: Text) => void>(200, 0.5, 0),

  /** The head is JSON: [url, method, headers]. */
  fetch: run<(id: Text, head: Text, body: Text | View | undefined) => void>(3_000, 0.25, 0),
  /** The handler's response; the head is JSON: [status, statusText, headers, type]. */
  done: run<(head: Text, body: Text | View | undefined) => void>(0, 0.25, 0),
  /** JSON: [name, message, stack]. */
  fail: run<(thrown: Text) => void>(300, 0.1, 0),
  /** The handler did not return a response. */
  invalid: run<() => void>(300, 0.1, 0),
  /** Kind of the module's default export. */
  module: run<(kind: Text) => void>(300, 0.1, 0),
  alarm: run<() => void>(300, 0.1, 0),
  random: run<(length: Text) => Bytes>(500, 0, 10),

  digest: pure<(algorithm: Text, bytes: View) => Bytes>(3_000, 1, 0),
  /** Components of a URL, or undefined when it is invalid. */
  "url.parse": pure<(url: Text, base: Text | undefined) => Text | undefined>(3_000, 200, 0),
  "url.set": pure<(url: Text, field: Text, value: Text) => Text>(3_000, 200, 0),
  "utf8.encode": pure<(text: Text) => Bytes>(400, 0.1, 0),
  /** Undefined for invalid UTF-8 when `fatal` is set. */
  "utf8.decode": pure<(bytes: View, fatal?: "1" | "") => Text | undefined>(400, 0.2, 0),
  /** Name of the encoding of a label. */
  "encoding.label": pure<(label: Text) => Text | undefined>(300, 0.1, 0),
  /** Whether the encoding has one byte per character. */
  "encoding.single": pure<(encoding: Text) => "1" | "">(300, 0.1, 0),
  "encoding.decode": pure<(bytes: View, encoding: Text, fatal: "1" | "") => Text | undefined>(500, 4, 0),
  compress: pure<(format: Text, bytes: View) => Bytes>(5_000, 8, 1),
  decompress: pure<(format: Text, bytes: View, end: Text) => Bytes>(5_000, 2, 1),
} as const;

type Operations = typeof HOST_OPERATIONS;

/** Operations by performer. */
type PerformedBy<By extends Performer> = {
  [Name in keyof Operations]: Operations[Name]["by"] extends By ? Name : never;
}[keyof Operations];

export type OperationName = keyof Operations;
export type HostOp = PerformedBy<"account">;
export type RunOp = PerformedBy<"run">;
export type PureOp = PerformedBy<"pure">;

/** Arguments and result of an operation, as seen by the guest. */
export type Signature<Name extends OperationName> = NonNullable<Operations[Name]["signature"]>;

type Row = { readonly [Name in OperationName]: { readonly name: Name } & Operations[Name] }[OperationName];

const ROWS: ReadonlyMap<string, Row> = new Map(
  Object.entries(HOST_OPERATIONS).map(([name, row]) => [name, { name, ...row } as Row]),
);

/** The operation with a name, or undefined. */
export const operationOf = (name: string): Row | undefined => ROWS.get(name);

export interface GuestRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string | Uint8Array | null;
}

export interface GuestResponse {
  readonly status: number;
  readonly statusText: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string | Uint8Array | null;
  /** `Response.error()`: status 0. */
  readonly type?: "error";
}

/**
 * The host of one live call. Both functions are called while the guest is on the stack, in program order; they may open
 * and run other calls of the same engine (nested smart functions), and throw `GuestError(class, message)` to raise an
 * error in the guest.
 */
export interface GuestHost {
  op(name: HostOp, args: readonly string[]): string | undefined;
  /**
   * `fetch(...)` was called. Return the response at once, or return undefined and deliver it later with
   * `GuestCall.deliver(id, ...)`. The program sees no difference: its promise resolves after the current jobs.
   */
  fetch(id: number, request: GuestRequest): GuestResponse | undefined;
}
