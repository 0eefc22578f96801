// Drives an executor in tests: accounts by name, operations in short form, receipts unpacked.
import { DEFAULT_GAS_LIMIT, EXCHANGER_ADDRESS, INJECTOR } from "../../protocol/constants.ts";
import { parseExact } from "../../protocol/exact-json.ts";
import { type OperationContent, operationHashHex } from "../../protocol/runtime-operation.ts";
import { parseSecretKey } from "../../protocol/secret-key.ts";
import { type Address, addressOf } from "../../tezos/address.ts";
import { toHex } from "../../tezos/hex.ts";
import { type SecretKey, secretKeyFromBytes } from "../../tezos/keys.ts";
import { mutez } from "../../tezos/mutez.ts";
import type { GuestEngine } from "../call/guest.ts";
import type { CallRequest, CallResponse } from "../call/http-message.ts";
import type { FaDeposit, TezDeposit } from "../inbox/inbox-message.ts";
import { Ledger } from "../ledger/ledger.ts";
import { Executor } from "./executor.ts";
import type { ExecutorOutput, Outcome } from "./jobs.ts";

const TEST_SETTINGS = {
  strict: false,
  maxLiveCalls: 5,
  exchangerAddress: EXCHANGER_ADDRESS,
  injectorAddress: INJECTOR.address,
  oracleAddress: undefined as Address | undefined,
  gasScale: 10_000n,
  gasCeiling: 1_000_000_000n,
  maxUntaken: 100,
  maxCharacters: 10_000_000,
};

export interface RunOptions {
  readonly method?: string;
  readonly headers?: Record<string, string | string[]>;
  readonly body?: string | null;
  readonly bytes?: Uint8Array;
  readonly gasLimit?: bigint;
}

export interface UnpackedRun {
  readonly statusCode: number;
  readonly body: string | null;
  readonly headers: Record<string, string | string[]>;
}

export class Bench {
  /** Replica that follows the outcomes, like the committed store. */
  readonly ledger = new Ledger();
  readonly outcomes: Outcome[] = [];
  readonly asked: CallRequest[] = [];
  readonly faults: string[] = [];
  readonly executor: Executor;
  readonly #requestIds: number[] = [];
  readonly #open = new Set<number>();
  #seq = 0;
  #round = 0;
  lastHash = "";

  constructor(engine: GuestEngine, settings: Partial<typeof TEST_SETTINGS> = {}) {
    this.executor = new Executor(engine, { ...TEST_SETTINGS, ...settings }, (output) => this.#take(output));
  }

  #take(output: ExecutorOutput): void {
    if (output.kind === "finished") {
      for (const write of output.outcome.writes) this.ledger.apply(write);
      this.outcomes.push(output.outcome);
    } else if (output.kind === "waiting") {
      for (const write of output.writes) this.ledger.apply(write);
    } else if (output.kind === "ask") {
      this.asked.push(output.request);
      this.#requestIds.push(output.requestId);
      this.#open.add(output.requestId);
    } else if (output.kind === "closed") {
      this.#open.delete(output.requestId);
    } else if (output.kind === "fault") {
      this.faults.push(output.reason);
    } else if (output.kind === "slow") {
      this.#round++;
    }
  }

  get last(): Outcome {
    return this.outcomes.at(-1)!;
  }

  /** Address of a made-up user; addresses are returned unchanged. */
  address(name: string): Address {
    return /^(tz|KT)/.test(name) ? addressOf(name) : this.#key(name).publicKey.address;
  }

  /** Uses `secretKey` for a name. */
  know(name: string, secretKey: string): void {
    keys.set(name, parseSecretKey(secretKey));
  }

  #key(name: string) {
    const key = keys.get(name) ?? secretKeyFromBytes("ed25519", new Uint8Array(32).fill(name.charCodeAt(0)));
    keys.set(name, key);
    return key;
  }

  balances(...names: string[]): bigint[] {
    return names.map((name) => this.ledger.account(this.address(name))?.amount ?? 0n);
  }

  deposit(name: string, amount: bigint): void {
    const deposit = {
      kind: "tez",
      receiver: this.address(name),
      amount: mutez(amount),
      source: INJECTOR.address,
    } as const;
    this.#deposit(deposit);
  }

  /** @returns hash of the deposit's receipt */
  depositTicket(deposit: Omit<FaDeposit, "kind">): string {
    return this.#deposit({ kind: "fa", ...deposit });
  }

  #deposit(deposit: (Parameters<Bench["depositTicket"]>[0] & { kind: "fa" }) | TezDeposit): string {
    const seq = ++this.#seq;
    const hash = toHex(Buffer.alloc(32, seq % 256));
    this.executor.accept({
      kind: "jobs",
      round: this.#round,
      jobs: [{ kind: "deposit", seq, hash, deposit }],
    });
    return hash;
  }

  deploy(name: string, code: string, options: { credit?: bigint } = {}): Address {
    const outcome = this.submit(name, { code, credit: options.credit ?? 0n });
    if (outcome.deployed === null) throw new Error(`not deployed: ${outcome.failure}`);
    return addressOf(outcome.deployed);
  }

  /** Submits a deploy with any nonce and refusal. */
  submit(
    name: string,
    options: { nonce?: bigint; refusal?: string; code?: string; credit?: bigint },
  ): Outcome {
    const content = {
      _type: "DeployFunction",
      functionCode: options.code ?? "export default () => new Response()",
      accountCredit: options.credit ?? 0n,
    } as const;
    return this.#operate(name, content, options);
  }

  submitRun(
    name: string,
    uri: string,
    options: RunOptions = {},
    expected: { unfinished?: true } = {},
  ): Outcome {
    const content = {
      _type: "RunFunction",
      uri,
      method: options.method ?? "GET",
      headers: options.headers ?? {},
      body: base64Of(options),
      gasLimit: options.gasLimit ?? BigInt(DEFAULT_GAS_LIMIT),
    } as const;
    return this.#operate(name, content, expected);
  }

  run(name: string, uri: string, options: RunOptions = {}): UnpackedRun {
    this.submitRun(name, uri, options);
    return this.lastRun;
  }

  get lastRun(): UnpackedRun {
    const { result } = parseExact(this.last.receipt) as {
      result: { _type: string; inner: UnpackedRun | string };
    };
    if (typeof result.inner === "string") throw new Error(`the operation failed: ${result.inner}`);
    const { statusCode, body, headers } = result.inner;
    return { statusCode, headers, body: body === null ? null : Buffer.from(body, "base64").toString("utf8") };
  }

  #operate(
    name: string,
    content: OperationContent,
    options: { nonce?: bigint; refusal?: string; unfinished?: true },
  ): Outcome {
    const key = this.#key(name).publicKey;
    const nonce = options.nonce ?? this.ledger.account(key.address)?.nonce ?? 0n;
    const hash = operationHashHex({ publicKey: key.text, nonce, content });
    this.lastHash = hash;
    const before = this.outcomes.length;
    const refusal = options.refusal ?? null;
    const job = {
      kind: "operation",
      seq: ++this.#seq,
      hash,
      sender: key.address,
      nonce,
      refusal,
      content,
    } as const;
    this.executor.accept({ kind: "jobs", round: this.#round, jobs: [job] });
    if (options.unfinished !== true && this.outcomes.length === before)
      throw new Error("the operation did not finish");
    return this.outcomes.at(-1)!;
  }

  /** Pending requests to the outside, by their indexes in {@link asked}. */
  get open(): number[] {
    return [...this.#open].map((id) => this.#requestIds.indexOf(id));
  }

  /** Operations and deposits without an outcome. */
  get waiting(): number {
    return this.#seq - this.outcomes.length;
  }

  /** Answers a request by an operation, as an external oracle does. */
  submitAnswer(name: string, requestId: bigint): Outcome {
    const response = { status: 200, statusText: "OK", headers: [], body: [...Buffer.from("forged")] };
    return this.#operate(name, { _type: "OracleResponse", requestId, response }, {});
  }

  /** Answers the request to the outside at this index in {@link asked}. */
  answer(index: number, response: CallResponse): void {
    this.#open.delete(this.#requestIds[index]!);
    this.executor.accept({ kind: "oracle", requestId: this.#requestIds[index]!, response });
  }
}

const keys = new Map<string, SecretKey>();

function base64Of({ body, bytes }: RunOptions): string | null {
  if (bytes !== undefined) return Buffer.from(bytes).toString("base64");
  return body === undefined || body === null ? null : Buffer.from(body).toString("base64");
}
