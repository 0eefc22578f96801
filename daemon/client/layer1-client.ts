// Client of a Tezos RPC: reads balances, and signs, injects and awaits operations. Works against layer1_node and real
// nodes. Signing code is loaded on first use.
import type { SecretKey } from "../tezos/keys.ts";
import type { Micheline } from "../tezos/micheline.ts";
import { httpRequestText } from "./http-json.ts";
import { rpcFailure } from "./layer1-errors.ts";
import type { IncludedOperation, OperationDraft, SendOptions } from "./layer1-operation.ts";

/** A transaction to send, from the key's account. */
export interface Transaction {
  readonly key: SecretKey;
  readonly destination: string;
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
  get<T>(path: string): Promise<T>;
  post<T>(path: string, body: unknown): Promise<T>;
}

const HEAD = "/chains/main/blocks/head";

/** @param signal aborts requests in flight */
export function createLayer1Client(endpoint: string, signal?: AbortSignal): Layer1Client {
  const base = endpoint.replace(/\/$/, "");
  const common = { what: "The layer 1 node", ...(signal ? { signal } : {}) };

  async function answer<T>(path: string, body?: unknown): Promise<T> {
    const { status, body: text } = await httpRequestText(`${base}${path}`, {
      ...common,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (status === 200) return JSON.parse(text) as T;
    throw rpcFailure(path, status, text);
  }

  const client: Layer1Client = {
    endpoint: base,
    async balance(address) {
      const { status, body } = await httpRequestText(
        `${base}${HEAD}/context/contracts/${address}/balance`,
        common,
      );
      if (status === 404) return 0n;
      if (status !== 200) throw rpcFailure("balance", status, body);
      return BigInt(JSON.parse(body) as string);
    },
    async level() {
      return (await answer<{ level: number }>(`${HEAD}/header`)).level;
    },
    send: ({ key, ...transaction }, options) =>
      client.sendAll(key, [{ kind: "transaction", ...transaction }], options),
    async sendAll(key, drafts, options = {}) {
      const { sendOperation } = await import("./layer1-operation.ts");
      return sendOperation(client, key, drafts, options);
    },
    get: (path) => answer(path),
    post: (path, body) => answer(path, body),
  };
  return client;
}
