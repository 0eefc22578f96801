// Client of a Tezos RPC: reads balances, and signs, injects and awaits operations. Works against layer1_node and real
// nodes. Signing code is loaded on first use.
import type { Address } from "../tezos/address.ts";
import { fieldsOf, levelField } from "../tezos/json-fields.ts";
import type { SecretKey } from "../tezos/keys.ts";
import type { Micheline } from "../tezos/micheline.ts";
import { decodeAnswer } from "./decode-answer.ts";
import { httpRequestText } from "./http-json.ts";
import { layer1Balance } from "./layer1-balance.ts";
import { rpcFailure } from "./layer1-errors.ts";
import type { IncludedOperation, OperationDraft, SendOptions } from "./layer1-operation.ts";

/** A transaction to send, from the key's account. */
export interface Transaction {
  readonly key: SecretKey;
  readonly destination: Address;
  /** mutez */
  readonly amount: bigint;
  readonly parameters?: { readonly entrypoint: string; readonly value: Micheline };
}

export interface Layer1Client {
  readonly endpoint: string;
  /** Balance in mutez; 0 for an account that does not exist. */
  balance(address: string): Promise<bigint>;
  level(): Promise<number>;
  /** @throws SandboxError INSUFFICIENT_BALANCE, LAYER1_REJECTED, OPERATION_FAILED, CANCELLED */
  send(transaction: Transaction, options?: SendOptions): Promise<IncludedOperation>;
  /** Sends several contents as one operation, applied all or none. @throws as above */
  sendAll(
    key: SecretKey,
    drafts: readonly OperationDraft[],
    options?: SendOptions,
  ): Promise<IncludedOperation>;
  /** Reads a path; `read` decodes the answer. @throws SandboxError LAYER1_REJECTED, ANSWER_MALFORMED */
  get<T>(path: string, read: (json: unknown) => T): Promise<T>;
  post<T>(path: string, body: unknown, read: (json: unknown) => T): Promise<T>;
}

/** Far above the receipt of an operation and the storage of a contract, and parsed within 200 ms. */
const MAX_BYTES = 8 * 1024 * 1024;

const HEAD = "/chains/main/blocks/head";

/** @param signal aborts requests in flight */
export function createLayer1Client(endpoint: string, signal?: AbortSignal): Layer1Client {
  const base = endpoint.replace(/\/$/, "");
  const common = { what: "The layer 1 node", maxBytes: MAX_BYTES, ...(signal ? { signal } : {}) };

  async function answer<T>(path: string, read: (json: unknown) => T, body?: unknown): Promise<T> {
    const url = `${base}${path}`;
    const { status, body: text } = await httpRequestText(url, {
      ...common,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (status === 200) return decodeAnswer({ what: common.what, url }, text, read);
    throw rpcFailure(path, status, text);
  }

  const client: Layer1Client = {
    endpoint: base,
    balance: (address) => layer1Balance(base, address, common),
    level: () => answer(`${HEAD}/header`, (json) => levelField(fieldsOf(json, "body")["level"], "level")),
    send: ({ key, ...transaction }, options) =>
      client.sendAll(key, [{ kind: "transaction", ...transaction }], options),
    async sendAll(key, drafts, options = {}) {
      const { sendOperation } = await import("./layer1-operation.ts");
      return sendOperation(client, key, drafts, options);
    },
    get: answer,
    post: (path, body, read) => answer(path, read, body),
  };
  return client;
}
