// Sends an operation to layer 1: simulated for its cost, forged, signed, injected, found in a block. One operation may
// hold several contents; either all are applied or none.
import { randomInt } from "node:crypto";
import { isError, SandboxError } from "../protocol/errors.ts";
import { formatTez } from "../protocol/tez-text.ts";
import { pause } from "../protocol/wait.ts";
import type { Address } from "../tezos/address.ts";
import { encodeBase58 } from "../tezos/base58.ts";
import type { Content, Manager } from "../tezos/content.ts";
import { toHex } from "../tezos/hex.ts";
import { fieldsOf, levelField } from "../tezos/json-fields.ts";
import { type SecretKey, signBytes } from "../tezos/keys.ts";
import type { Micheline } from "../tezos/micheline.ts";
import { forgeOperation, signedBytes, withWatermark } from "../tezos/operation-codec.ts";
import { MAX_GAS_PER_OPERATION, MAX_STORAGE_PER_OPERATION, ORIGINATION_SIZE } from "../tezos/parameters.ts";
import { decodeAnswer } from "./decode-answer.ts";
import { linesOf, openHttp } from "./http-json.ts";
import {
  blockHashOf,
  type ContentResults,
  contentResultsOf,
  counterOf,
  nullableTextOf,
  operationHashesOf,
  textOf,
} from "./layer1-answers.ts";
import { rejectionOf } from "./layer1-errors.ts";

/** A call of an account or contract, or a new contract; values are Micheline. */
export type OperationDraft =
  | {
      readonly kind: "transaction";
      readonly destination: Address;
      /** mutez */
      readonly amount: bigint;
      readonly parameters?: { readonly entrypoint: string; readonly value: Micheline };
    }
  | {
      readonly kind: "origination";
      readonly script: { readonly code: Micheline; readonly storage: Micheline };
    };

/** An operation included in a block, with all its contents applied. */
export interface IncludedOperation {
  readonly hash: string;
  readonly level: number;
  /** Fee in mutez. */
  readonly fee: bigint;
  /** Addresses of the new contracts, in order. */
  readonly contracts: readonly string[];
}

export interface SendOptions {
  /** Runs simulation and injection; a server limits how many run at a time. */
  readonly whenItsTurn?: <T>(work: () => Promise<T>) => Promise<T>;
  readonly signal?: AbortSignal;
  /** Progress steps, for display. */
  readonly onStep?: (step: "simulated" | "injected" | "included", detail: string) => void;
  /** Time limit for inclusion, in ms. */
  readonly timeoutMs?: number;
}

/** The part of the RPC that sending needs. */
interface Rpc {
  readonly endpoint: string;
  balance(address: string): Promise<bigint>;
  level(): Promise<number>;
  get<T>(path: string, read: (json: unknown) => T): Promise<T>;
  post<T>(path: string, body: unknown, read: (json: unknown) => T): Promise<T>;
}

interface Cost {
  readonly gas: number;
  readonly storage: number;
}

const HEAD = "/chains/main/blocks/head";
// A made-up signature of the right length: simulation does not check signatures.
const STUB_SIGNATURE = encodeBase58("sig", new Uint8Array(64));
const GAS_LIMIT = Number(MAX_GAS_PER_OPERATION);
const STORAGE_LIMIT = Number(MAX_STORAGE_PER_OPERATION);
const REVEAL_GAS = 1_000;
const INCLUSION_MS = 120_000;
const ALLOCATION_BYTES = Number(ORIGINATION_SIZE);

/** Rejections because another operation of the account came first; nothing was applied. */
const OVERTAKEN = /counter_in_the_past|operation_conflict|manager_operation_conflict/;
const ATTEMPTS = 5;
const HEAD_POLL_MS = 50;

/** Sends an operation of the key's account and resolves when a block contains it and all its contents are applied. */
export async function sendOperation(
  rpc: Rpc,
  key: SecretKey,
  drafts: readonly OperationDraft[],
  options: SendOptions,
): Promise<IncludedOperation> {
  const { hash, before, fee } = await injectInTurn(rpc, key, drafts, options);
  const { level, pass, index } = await awaitInclusion(rpc, hash, before, options);
  const results = await rpc.get(`/chains/main/blocks/${level}/operations/${pass}/${index}`, contentResultsOf);
  requireApplied(results);
  options.onStep?.("included", `level ${level}`);
  const contracts = results.flatMap(([own]) => own.originated_contracts);
  return { hash, level, fee, contracts };
}

/** Retries in the next block when another operation of the account comes first. */
async function injectInTurn(
  rpc: Rpc,
  key: SecretKey,
  drafts: readonly OperationDraft[],
  options: SendOptions,
): Promise<Injected> {
  for (let attempt = 1; ; attempt++) {
    const level = await rpc.level();
    try {
      const work = () => inject(rpc, key, drafts, options);
      return await (options.whenItsTurn ? options.whenItsTurn(work) : work());
    } catch (error) {
      const isOvertaken = isError(error, "LAYER1_REJECTED") && OVERTAKEN.test(error.data.id);
      if (!isOvertaken || attempt === ATTEMPTS || !(await nextHead(rpc, level, options))) throw error;
    }
  }
}

/** Waits for a block above a level; false at the deadline. @throws SandboxError CANCELLED */
async function nextHead(rpc: Rpc, level: number, { signal, timeoutMs }: SendOptions): Promise<boolean> {
  const end = performance.now() + (timeoutMs ?? INCLUSION_MS);
  while ((await rpc.level()) <= level) {
    if (signal?.aborted) throw new SandboxError("CANCELLED", { what: "Waiting for the next block" });
    if (performance.now() > end) return false;
    await pause(HEAD_POLL_MS, signal);
  }
  return true;
}

interface Injected {
  readonly hash: string;
  /** Level of the head before the injection. */
  readonly before: number;
  readonly fee: bigint;
}

async function inject(
  rpc: Rpc,
  key: SecretKey,
  drafts: readonly OperationDraft[],
  options: SendOptions,
): Promise<Injected> {
  const source = key.publicKey.address;
  const amount = drafts.reduce((sum, one) => sum + (one.kind === "transaction" ? one.amount : 0n), 0n);
  const [lastCounter, managerKey, branch, chainId, balance] = await Promise.all([
    rpc.get(`${HEAD}/context/contracts/${source}`, counterOf),
    rpc.get(`${HEAD}/context/contracts/${source}/manager_key`, nullableTextOf),
    rpc.get("/chains/main/blocks/head~2/header", blockHashOf),
    rpc.get("/chains/main/chain_id", textOf),
    rpc.balance(source),
  ]);
  if (amount > balance) throw insufficient(source, balance, formatTez(amount));

  /** The operation with the given costs of its drafts; the last content carries the whole fee. */
  const operation = (fee: bigint, costs: readonly Cost[]) => {
    let counter = lastCounter;
    const manager = ({ gas, storage }: Cost, isLast: boolean): Manager => ({
      source,
      fee: isLast ? String(fee) : "0",
      counter: String(++counter),
      gas_limit: String(gas),
      storage_limit: String(storage),
    });
    const contents: Content[] = [];
    if (managerKey === null) {
      const fields = manager({ gas: REVEAL_GAS, storage: 0 }, false);
      contents.push({ kind: "reveal", ...fields, public_key: key.publicKey.text });
    }
    drafts.forEach((draft, i) =>
      contents.push(contentOf(draft, manager(costs[i]!, i === drafts.length - 1))),
    );
    return { branch, contents };
  };

  const most = { gas: Math.floor(GAS_LIMIT / drafts.length), storage: STORAGE_LIMIT };
  const simulated = await rpc.post(
    `${HEAD}/helpers/scripts/simulate_operation`,
    {
      operation: {
        ...operation(
          0n,
          drafts.map(() => most),
        ),
        signature: STUB_SIGNATURE,
      },
      chain_id: chainId,
    },
    contentResultsOf,
  );
  // The amount alone fits, but not the storage burn on top of it.
  if (amount > 0n && isTooPoor(simulated, source))
    throw insufficient(source, balance, `more than ${formatTez(amount)}`);
  requireApplied(simulated);
  const costs = simulated.slice(-drafts.length).map(costOf);
  // Two programs that send the same at once would send identical operations, which layer 1 accepts once. So each gets a
  // different value in the one limit that costs nothing.
  costs[0] = { ...costs[0]!, storage: Math.min(costs[0]!.storage + spareStorage(), STORAGE_LIMIT) };
  const gas = costs.reduce((sum, cost) => sum + cost.gas, 0);
  options.onStep?.("simulated", `${gas} gas`);

  const forge = (fee: bigint): Uint8Array => {
    const { contents } = operation(fee, costs);
    return forgeOperation(branch, contents);
  };
  // The size depends on the fee by at most a byte or two; 64 signature bytes come on top.
  const size = BigInt(forge(100_000n).length + 64);
  const fee = 120n + BigInt(gas) / 10n + size;
  if (amount + fee > balance) throw insufficient(source, balance, formatTez(amount + fee));
  const unsigned = forge(fee);
  const signature = signBytes(key, withWatermark(unsigned));
  const before = await rpc.level();
  const hash = await postOperation(rpc, toHex(signedBytes(unsigned, signature)), options);
  options.onStep?.("injected", hash);
  return { hash, before, fee };
}

/** Injects a signed operation and returns its hash. @throws SandboxError LAYER1_REJECTED, CANCELLED */
async function postOperation(rpc: Rpc, signed: string, { signal }: SendOptions): Promise<string> {
  try {
    return await rpc.post("/injection/operation", signed, textOf);
  } catch (error) {
    if (!signal?.aborted) throw error;
    throw new SandboxError("CANCELLED", {
      what: "Sending the operation",
      next: "Layer 1 may have accepted it; check the balance before sending it again.",
    });
  }
}

/** From 128 to 16,127: always two bytes when encoded, so that the fee does not vary. */
const spareStorage = (): number => 128 + randomInt(16_000);

function contentOf(draft: OperationDraft, manager: Manager): Content {
  if (draft.kind === "origination")
    return { kind: "origination", ...manager, balance: "0", script: draft.script };
  const { kind, destination, amount, parameters } = draft;
  return {
    kind,
    ...manager,
    amount: String(amount),
    destination,
    ...(parameters && { parameters }),
  };
}

const isTooPoor = (contents: readonly ContentResults[], source: string): boolean =>
  contents
    .flat()
    .flatMap(({ errors }) => errors)
    .some(
      ({ id, contract, implicit }) =>
        (id.endsWith("contract.balance_too_low") && contract === source) ||
        // The account was emptied by its last mutez, sent to the receiver or paid as a fee.
        (id.endsWith("implicit.empty_implicit_contract") && implicit === source),
    );

/** @throws SandboxError LAYER1_REJECTED with the first failure */
function requireApplied(contents: readonly ContentResults[]): void {
  const results = contents.flat();
  // A content that could not be paid for after running is backtracked, and has errors.
  const failed =
    results.find(({ errors }) => errors.length > 0) ?? results.find(({ status }) => status !== "applied");
  if (failed) throw rejectionOf(failed.errors);
}

function costOf(results: ContentResults): Cost {
  let milligas = 0;
  let bytes = 0;
  for (const result of results) {
    milligas += Number(result.consumed_milligas);
    bytes += Number(result.paid_storage_size_diff);
    if (result.allocated_destination_contract) bytes += ALLOCATION_BYTES;
    bytes += ALLOCATION_BYTES * result.originated_contracts.length;
  }
  return { gas: Math.ceil(milligas / 1000) + 200, storage: bytes === 0 ? 0 : bytes + 20 };
}

interface Place {
  readonly level: number;
  /** Validation pass, and place in it. */
  readonly pass: number;
  readonly index: number;
}

const levelOfLine = (json: unknown): number => levelField(fieldsOf(json, "line")["level"], "level");

/** Levels of new heads: from the node's stream, or by polling when the stream is refused or ends. */
async function* levelsOfHeads(rpc: Rpc, signal: AbortSignal): AsyncGenerator<number> {
  const source = { what: "The layer 1 node", url: `${rpc.endpoint}/monitor/heads/main` };
  const heads = await openHttp(source.url, { what: source.what, signal });
  try {
    if (heads.statusCode === 200)
      for await (const line of linesOf(heads))
        if (line.trim() !== "") yield decodeAnswer(source, line, levelOfLine);
  } catch (error) {
    if (signal.aborted) throw error;
  } finally {
    heads.destroy();
  }
  for (; !signal.aborted; await pause(HEAD_POLL_MS, signal)) yield await rpc.level();
  throw signal.reason;
}

/** Follows the heads until a block contains the operation. */
async function awaitInclusion(
  rpc: Rpc,
  hash: string,
  knownLevel: number,
  options: SendOptions,
): Promise<Place> {
  const limit = AbortSignal.timeout(options.timeoutMs ?? INCLUSION_MS);
  const signal = options.signal ? AbortSignal.any([options.signal, limit]) : limit;
  let checked = knownLevel;
  try {
    for await (const head of levelsOfHeads(rpc, signal)) {
      for (let level = checked + 1; level <= head; level++) {
        const passes = await rpc.get(`/chains/main/blocks/${level}/operation_hashes`, operationHashesOf);
        const pass = passes.findIndex((hashes) => hashes.includes(hash));
        if (pass >= 0) return { level, pass, index: passes[pass]!.indexOf(hash) };
      }
      checked = Math.max(checked, head);
    }
  } catch (error) {
    if (options.signal?.aborted)
      throw new SandboxError("CANCELLED", {
        what: `Waiting for operation ${hash}`,
        next: "The operation is on its way and may still be included; check the balance before sending it again.",
      });
    if (!limit.aborted) throw error;
  }
  throw new SandboxError("OPERATION_FAILED", {
    what: `Operation ${hash}`,
    reason: "it was injected, but no block contains it yet",
    next: "It may still be included; check the balance before sending it again.",
  });
}

/** @param needed tez */
function insufficient(account: string, balance: bigint, needed: string): SandboxError {
  return new SandboxError("INSUFFICIENT_BALANCE", {
    account,
    balance: formatTez(balance),
    needed,
  });
}
