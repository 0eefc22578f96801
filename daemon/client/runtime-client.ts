// Client of the runtime's HTTP API (runtime_node, or a real Jstz node): used by the CLI, the extension,
// sandboxd and the test kit. Amounts and nonces are exact.
import type { FinishedOperation, OperationTrace } from "../protocol/call-trace.ts";
import { RECEIPT_HOLD_MS } from "../protocol/constants.ts";
import { errorInBody, isError, SandboxError } from "../protocol/errors.ts";
import { parseExact, stringifyExact } from "../protocol/exact-json.ts";
import type { HeldOperation } from "../protocol/held-operation.ts";
import type { FunctionLogLevel } from "../protocol/log-level.ts";
import type { SignedOperation } from "../protocol/runtime-operation.ts";
import type { Receipt } from "../protocol/runtime-receipt.ts";
import { pause } from "../protocol/wait.ts";
import { tryDecode, fieldsOf, isObject, textField } from "../tezos/json-fields.ts";
import { decodeAnswer } from "./decode-answer.ts";
import { type HttpRequest, httpRequestText, LARGE_ANSWER_BYTES } from "./http-json.ts";
import { ReceiptPatience } from "./receipt-patience.ts";
import {
  accountOf,
  amountsOf,
  codeOf,
  depositsOf,
  heldOf,
  logRecordOf,
  operationsOf,
  receiptOf,
  subkeysOf,
  traceOf,
  unsignedOf,
} from "./runtime-answers.ts";
import { readEvents } from "./server-sent-events.ts";

/** A line logged by a smart function. */
export interface FunctionLogRecord {
  readonly address: string;
  readonly requestId: string;
  readonly level: FunctionLogLevel;
  readonly text: string;
}

/** A credit by the bridge, as listed by `GET /deposits` of runtime_node. */
export interface DepositRecord {
  /** Hash of the deposit's receipt, hex. */
  readonly hash: string;
  readonly level: number;
  readonly index: number;
  readonly receiver: string;
  /** mutez, decimal */
  readonly amount: string;
  /** Base58 address of the layer 1 signer. */
  readonly source: string;
  /** ISO time. */
  readonly at: string;
  readonly receipt: Receipt;
}

export type AccountReport =
  | { readonly kind: "user"; readonly balance: bigint; readonly nonce: bigint }
  | {
      readonly kind: "smart-function";
      readonly balance: bigint;
      readonly nonce: bigint;
      readonly code: string;
    };

export interface WaitOptions {
  readonly signal?: AbortSignal;
  /** Time without a receipt; that in which a debugger holds operations does not count. */
  readonly timeoutMs?: number;
  /** Called once when a debugger holds the operation, or one before it. */
  readonly onHeld?: ((held: HeldOperation) => void) | undefined;
}

export interface RuntimeClient {
  readonly endpoint: string;
  inject(operation: SignedOperation): Promise<void>;
  /** The receipt, or undefined if there is none yet. */
  receipt(hash: string): Promise<Receipt | undefined>;
  /** @throws SandboxError OPERATION_FAILED when there is none by the deadline */
  waitForReceipt(hash: string, options?: WaitOptions): Promise<Receipt>;
  /** The operation that a debugger holds, if any; undefined for a node without the route as well. */
  held(): Promise<HeldOperation | undefined>;
  account(address: string): Promise<AccountReport | undefined>;
  /** 0 for an account that does not exist. */
  nonce(address: string): Promise<bigint>;
  /** mutez; 0 for an account that does not exist. */
  balance(address: string): Promise<bigint>;
  /**
   * mutez of those accounts that exist, in a few requests however many they are; a node without lists of accounts (a
   * real Jstz node) is asked for each.
   */
  balances(addresses: readonly string[]): Promise<ReadonlyMap<string, bigint>>;
  code(address: string): Promise<string | undefined>;
  /** The stored JSON value, or undefined for a missing key. */
  kv(address: string, key: string): Promise<unknown>;
  subkeys(address: string, key: string | undefined): Promise<string[] | undefined>;
  logs(address: string, signal?: AbortSignal): AsyncGenerator<FunctionLogRecord>;
  /** Recent deposits, newest first; undefined for a node without the route (a real Jstz node). */
  deposits(): Promise<DepositRecord[] | undefined>;
  /** The latest operations and deposits, newest first; undefined for a node without the route. */
  operations(limit: number): Promise<FinishedOperation[] | undefined>;
  /** Call tree of an operation; undefined when unknown or not kept by the node. */
  trace(hash: string): Promise<OperationTrace | undefined>;
}

/** A request's head has at most 16 kB, and an address takes 45 bytes of it. */
const LISTED_AT_ONCE = 200;
const RECEIPT_POLL_MS = 100;
const RECEIPT_TIMEOUT_MS = 60_000;
/** Timeout of a request for a receipt; the node holds it for a shorter time. */
const RECEIPT_SILENCE_MS = RECEIPT_HOLD_MS + 10_000;

/** The reason in a JSON error body; other servers send a plain sentence. @throws MalformedJson */
function reasonIn(json: unknown): string {
  const { error } = fieldsOf(json, "body");
  return isObject(error) ? textField(error["message"], "error.message") : textField(error, "error");
}

/** @param ending aborts requests in flight */
export function createRuntimeClient(endpoint: string, ending?: AbortSignal): RuntimeClient {
  const base = endpoint.replace(/\/$/, "");
  const what = "The runtime node";
  const common = { what, maxBytes: LARGE_ANSWER_BYTES, ...(ending ? { signal: ending } : {}) };

  /** Decoded response, or undefined for 404. */
  async function get<T>(
    path: string,
    read: (json: unknown) => T,
    options: Pick<HttpRequest, "signal" | "timeoutMs"> = {},
  ): Promise<T | undefined> {
    const url = `${base}${path}`;
    const { status, body } = await httpRequestText(url, { ...common, ...options });
    if (status === 200) return decodeAnswer({ what, url }, body, read, parseExact);
    if (status === 404) return undefined;
    throw failureOf(status, body);
  }

  /** The server's error with code and next step; nodes of another kind send a plain sentence or nothing. */
  function failureOf(status: number, body: string): SandboxError {
    const serverError = errorInBody(body);
    if (serverError) return serverError;
    const reason = tryDecode(body, reasonIn) ?? (body === "" ? `status ${status}` : body.slice(0, 300));
    return new SandboxError("OPERATION_FAILED", { what: "The request to the runtime", reason });
  }

  /** A list that only our runtime has; undefined for other nodes. */
  async function getList<T>(path: string, read: (json: unknown) => T): Promise<T | undefined> {
    const url = `${base}${path}`;
    const { status, body } = await httpRequestText(url, common);
    return status === 200 ? decodeAnswer({ what, url }, body, read, parseExact) : undefined;
  }

  async function eachAmount(addresses: readonly string[]): Promise<[address: string, mutez: bigint][]> {
    const amounts = await Promise.all(
      addresses.map((address) => get(`/accounts/${address}/balance`, unsignedOf)),
    );
    return addresses.flatMap((address, i) => {
      const amount = amounts[i];
      return amount === undefined ? [] : [[address, amount]];
    });
  }

  const client: RuntimeClient = {
    endpoint: base,

    async inject(operation) {
      const { status, body } = await httpRequestText(`${base}/operations`, {
        ...common,
        body: stringifyExact(operation),
      });
      if (status !== 200) throw failureOf(status, body);
    },

    receipt: (hash) => get(`/operations/${hash}/receipt`, receiptOf, { timeoutMs: RECEIPT_SILENCE_MS }),

    async held() {
      const { status, body } = await httpRequestText(`${base}/operations/held`, common);
      if (status !== 200) return undefined;
      return decodeAnswer({ what, url: `${base}/operations/held` }, body, heldOf);
    },

    async waitForReceipt(hash, { signal, timeoutMs = RECEIPT_TIMEOUT_MS, onHeld } = {}) {
      const heldNow = (): Promise<HeldOperation | undefined> => client.held().catch(() => undefined);
      const patience = new ReceiptPatience({ timeoutMs, held: heldNow, onHeld });
      const end = patience.signal;
      const signals = [end, signal, ending].filter((each) => each !== undefined);
      const options = { signal: AbortSignal.any(signals), timeoutMs: RECEIPT_SILENCE_MS };
      try {
        for (;;) {
          const asked = performance.now();
          // The sandbox holds the request open until there is a receipt; a real node answers 404 at once.
          const receipt = await get(`/operations/${hash}/receipt`, receiptOf, options).catch(
            async (error: unknown) => {
              if (signal?.aborted || ending?.aborted || isError(error, "ANSWER_MALFORMED")) throw error;
              const wasSilent = performance.now() - asked >= RECEIPT_HOLD_MS;
              if (!(await patience.outlasts(wasSilent))) throw error;
            },
          );
          if (receipt) return receipt;
          if (end.aborted) {
            throw new SandboxError("OPERATION_FAILED", {
              what: `Operation ${hash}`,
              reason: `it was accepted, but has no receipt after ${timeoutMs / 1000} s`,
              next: "It may still be executed; `functez sandbox status` shows whether the runtime is healthy.",
            });
          }
          await pause(RECEIPT_POLL_MS, options.signal);
        }
      } finally {
        patience.end();
      }
    },

    account: (address) => get(`/accounts/${address}`, accountOf),
    nonce: async (address) => (await get(`/accounts/${address}/nonce`, unsignedOf)) ?? 0n,
    balance: async (address) => (await get(`/accounts/${address}/balance`, unsignedOf)) ?? 0n,

    async balances(addresses) {
      const found = new Map<string, bigint>();
      for (let from = 0; from < addresses.length; from += LISTED_AT_ONCE) {
        const wanted = addresses.slice(from, from + LISTED_AT_ONCE);
        const query = wanted.map((address) => `address=${encodeURIComponent(address)}`).join("&");
        const listed = (await getList(`/accounts?${query}`, amountsOf)) ?? (await eachAmount(wanted));
        for (const [address, amount] of listed) found.set(address, amount);
      }
      return found;
    },

    code: (address) => get(`/accounts/${address}/code`, codeOf),
    kv: (address, key) => get(`/accounts/${address}/kv?key=${encodeURIComponent(key)}`, (value) => value),

    subkeys: (address, key) =>
      get(
        `/accounts/${address}/kv/subkeys${key === undefined ? "" : `?key=${encodeURIComponent(key)}`}`,
        subkeysOf,
      ),

    async *logs(address, signal) {
      const url = `${base}/logs/${address}/stream`;
      for await (const { data } of readEvents(url, { what, ...(signal ? { signal } : {}) })) {
        if (data.startsWith("{")) yield decodeAnswer({ what, url }, data, logRecordOf); // skips `connected` and `ping`
      }
    },

    deposits: () => getList("/deposits", depositsOf),

    operations: (limit) => getList(`/traces?limit=${limit}&trees=false`, operationsOf),

    trace: (hash) => get(`/operations/${hash}/trace`, traceOf),
  };
  return client;
}
