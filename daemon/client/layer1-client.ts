// Client of a Tezos RPC: reading balances, and signing, injecting and awaiting one transaction. Works against
// layer1_node and against real nodes. Forging is loaded only when something is sent.
import { encodeBase58 } from "../protocol/base58.ts";
import { reasonOf, SandboxError } from "../protocol/errors.ts";
import { fromHex, toHex } from "../protocol/hex.ts";
import { type SecretKey, signBytes } from "../protocol/keys.ts";
import { formatTez } from "../protocol/tez.ts";
import { httpRequestText, linesOf, openHttp } from "./http-json.ts";

/** A transaction to send, from the key's account. */
export interface Transaction {
  readonly key: SecretKey;
  readonly destination: string;
  /** mutez */
  readonly amount: bigint;
  readonly parameters?: { readonly entrypoint: string; readonly value: unknown };
}

/** A transaction that is included in a block. */
export interface IncludedTransaction {
  readonly hash: string;
  readonly level: number;
  /** Fee in mutez. */
  readonly fee: bigint;
}

/** Steps of a transaction, for progress display. */
export type TransactionStep = "simulated" | "injected" | "included";

export interface SendOptions {
  readonly signal?: AbortSignal;
  readonly onStep?: (step: TransactionStep, detail: string) => void;
  /** Time limit for inclusion, in ms. */
  readonly timeoutMs?: number;
}

export interface Layer1Client {
  readonly endpoint: string;
  /** Balance in mutez; 0 for an account that does not exist. */
  balance(address: string): Promise<bigint>;
  level(): Promise<number>;
  send(transaction: Transaction, options?: SendOptions): Promise<IncludedTransaction>;
  get<T>(path: string): Promise<T>;
  post<T>(path: string, body: unknown): Promise<T>;
}

interface RpcError {
  readonly id: string;
  readonly kind: string;
  readonly msg?: string;
  readonly with?: { readonly string?: string };
  readonly [field: string]: unknown;
}

interface OperationResult {
  readonly status: string;
  readonly consumed_milligas?: string;
  readonly paid_storage_size_diff?: string;
  readonly allocated_destination_contract?: boolean;
  readonly errors?: readonly RpcError[];
}

interface SimulatedContent {
  readonly kind: string;
  readonly metadata: {
    readonly operation_result: OperationResult;
    readonly internal_operation_results?: readonly { readonly result: OperationResult }[];
  };
}

const HEAD = "/chains/main/blocks/head";
// A signature of the right length that nobody made: simulation does not check signatures.
const STUB_SIGNATURE = encodeBase58("sig", new Uint8Array(64));
const GAS_LIMIT = "1040000";
const STORAGE_LIMIT = "60000";
/** Bytes that an allocation of an account is charged for. */
const ALLOCATION_BYTES = 257;

export function createLayer1Client(endpoint: string): Layer1Client {
  const base = endpoint.replace(/\/$/, "");
  const what = "The layer 1 node";

  async function answer<T>(path: string, body?: unknown): Promise<T> {
    const { status, body: text } = await httpRequestText(`${base}${path}`, {
      what,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (status === 200) return JSON.parse(text) as T;
    throw rpcFailure(path, status, text);
  }

  const client: Layer1Client = {
    endpoint: base,
    async balance(address) {
      const { status, body } = await httpRequestText(`${base}${HEAD}/context/contracts/${address}/balance`, {
        what,
      });
      if (status === 404) return 0n;
      if (status !== 200) throw rpcFailure("balance", status, body);
      return BigInt(JSON.parse(body) as string);
    },
    async level() {
      return (await answer<{ level: number }>(`${HEAD}/header`)).level;
    },
    send: (transaction, options = {}) => sendTransaction(client, transaction, options),
    get: (path) => answer(path),
    post: (path, body) => answer(path, body),
  };
  return client;
}

async function sendTransaction(
  rpc: Layer1Client,
  transaction: Transaction,
  options: SendOptions,
): Promise<IncludedTransaction> {
  const { key, amount, destination } = transaction;
  const source = key.publicKey.address;
  const [contract, managerKey, header, chainId, balance] = await Promise.all([
    rpc.get<{ counter: string }>(`${HEAD}/context/contracts/${source}`),
    rpc.get<string | null>(`${HEAD}/context/contracts/${source}/manager_key`),
    rpc.get<{ hash: string; protocol: string }>("/chains/main/blocks/head~2/header"),
    rpc.get<string>("/chains/main/chain_id"),
    rpc.balance(source),
  ]);
  if (amount > balance) throw insufficient(source, balance, amount);

  let counter = BigInt(contract.counter);
  const draft = (fee: bigint, gas: string, storage: string) => {
    const common = (kind: string, limits: object) => ({
      kind,
      source,
      counter: String(++counter),
      ...limits,
    });
    counter = BigInt(contract.counter);
    const contents: Record<string, unknown>[] = [];
    if (managerKey === null) {
      const limits = { fee: "0", gas_limit: "1000", storage_limit: "0", public_key: key.publicKey.text };
      contents.push(common("reveal", limits));
    }
    const limits = { fee: String(fee), gas_limit: gas, storage_limit: storage };
    const call = transaction.parameters ? { parameters: transaction.parameters } : {};
    contents.push({ ...common("transaction", limits), amount: String(amount), destination, ...call });
    return { branch: header.hash, contents };
  };

  const simulated = await rpc.post<{ contents: SimulatedContent[] }>(
    `${HEAD}/helpers/scripts/simulate_operation`,
    {
      operation: { ...draft(0n, GAS_LIMIT, STORAGE_LIMIT), signature: STUB_SIGNATURE },
      chain_id: chainId,
    },
  );
  const cost = costOf(simulated.contents);
  options.onStep?.("simulated", `${cost.gas} gas`);

  const { LocalForger } = await import("@taquito/local-forging");
  const forger = new LocalForger();
  const forge = async (fee: bigint) =>
    forger.forge(
      draft(fee, String(cost.gas), String(cost.storage)) as unknown as Parameters<typeof forger.forge>[0],
    );
  // Size does not depend on the fee by more than a byte or two; 64 signature bytes come on top.
  const size = BigInt((await forge(100_000n)).length / 2 + 64);
  const fee = 120n + BigInt(cost.gas) / 10n + size;
  if (amount + fee > balance) throw insufficient(source, balance, amount + fee);
  const unsigned = await forge(fee);
  const message = fromHex(`03${unsigned}`)!;
  const before = await rpc.level();
  const hash = await rpc.post<string>("/injection/operation", unsigned + toHex(signBytes(key, message)));
  options.onStep?.("injected", hash);
  const level = await awaitInclusion(rpc, hash, before, options);
  options.onStep?.("included", `level ${level}`);
  return { hash, level, fee };
}

function costOf(contents: readonly SimulatedContent[]): { gas: number; storage: number } {
  let milligas = 0;
  let bytes = 0;
  for (const { metadata } of contents) {
    const internal = (metadata.internal_operation_results ?? []).map(({ result }) => result);
    const results = [metadata.operation_result, ...internal];
    const failed =
      results.find(({ status }) => status === "failed") ?? results.find(({ status }) => status !== "applied");
    if (failed) throw rejected(failed.errors ?? []);
    for (const result of results) {
      milligas += Number(result.consumed_milligas ?? 0);
      bytes += Number(result.paid_storage_size_diff ?? 0);
      if (result.allocated_destination_contract) bytes += ALLOCATION_BYTES;
    }
  }
  return { gas: Math.ceil(milligas / 1000) + 200, storage: bytes === 0 ? 0 : bytes + 20 };
}

/** Follows the heads until one contains the operation. */
async function awaitInclusion(
  rpc: Layer1Client,
  hash: string,
  knownLevel: number,
  options: SendOptions,
): Promise<number> {
  const limit = AbortSignal.timeout(options.timeoutMs ?? 120_000);
  const signal = options.signal ? AbortSignal.any([options.signal, limit]) : limit;
  const heads = await openHttp(`${rpc.endpoint}/monitor/heads/main`, { what: "The layer 1 node", signal });
  let checked = knownLevel;
  try {
    for await (const line of linesOf(heads)) {
      if (line.trim() === "") continue;
      const head = JSON.parse(line) as { level: number };
      for (let level = checked + 1; level <= head.level; level++) {
        const passes = await rpc.get<string[][]>(`/chains/main/blocks/${level}/operation_hashes`);
        if (passes.some((pass) => pass.includes(hash))) return level;
      }
      checked = Math.max(checked, head.level);
    }
  } catch (error) {
    if (options.signal?.aborted)
      throw new SandboxError("CANCELLED", { what: `Waiting for operation ${hash}` });
    if (!limit.aborted) throw error;
  } finally {
    heads.destroy();
  }
  throw new SandboxError("OPERATION_FAILED", {
    what: `Operation ${hash}`,
    reason: "it was injected, but no block contains it yet",
    next: "It may still be included; check the balance before sending it again.",
  });
}

function insufficient(account: string, balance: bigint, needed: bigint): SandboxError {
  return new SandboxError("INSUFFICIENT_BALANCE", {
    account,
    balance: formatTez(balance),
    needed: formatTez(needed),
  });
}

/** Our error for the errors of a failed operation result. */
function rejected(errors: readonly RpcError[]): SandboxError {
  const last = errors.at(-1);
  const text = errors.find((error) => error.with?.string !== undefined)?.with?.string;
  const id = last?.id.replace(/^proto\.\d+-\w+\./, "") ?? "unknown";
  return new SandboxError("LAYER1_REJECTED", { id, reason: text ?? id.replace(/[._]/g, " ") });
}

function rpcFailure(path: string, status: number, text: string): SandboxError {
  try {
    const errors = JSON.parse(text) as unknown;
    if (Array.isArray(errors)) return rejected(errors as RpcError[]);
  } catch (error) {
    return new SandboxError("LAYER1_REJECTED", {
      id: `status ${status}`,
      reason: `${path}: ${text || reasonOf(error)}`,
    });
  }
  return new SandboxError("LAYER1_REJECTED", {
    id: `status ${status}`,
    reason: `${path}: ${text.slice(0, 200)}`,
  });
}
