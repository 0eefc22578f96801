// The heart of the HTTP side: accepts operations and deposits, queues them, and passes the executor's outcomes to the
// committed store and all subscribers.
import { timeOfDay } from "../local/time-of-day.ts";
import type { Log } from "../parts/log.ts";
import { SandboxError } from "../protocol/errors.ts";
import type { HeldOperation } from "../protocol/held-operation.ts";
import type { RuntimeEvent } from "../protocol/runtime-event.ts";
import { depositReceiptHash } from "../protocol/runtime-operation.ts";
import { toHex } from "../tezos/hex.ts";
import type { CallResponse } from "./call/http-message.ts";
import type { FaDeposit, TezDeposit } from "./inbox/inbox-message.ts";
import { type GateExecutor, JobEntrance, type JobGate } from "./job-entrance.ts";
import type { LedgerDifference, LedgerWrite } from "./ledger/ledger.ts";
import { parseAccountText } from "./ledger/ledger.ts";
import type { JobOutput, Job, OperationJob, Outcome } from "./operations/jobs.ts";
import type { CheckedOperation } from "./operations/read-operation.ts";
import { type AskOutside, OpenRequests } from "./oracle/open-requests.ts";
import type { CommittedStore, StoredTrace, StoreSnapshot } from "./store/committed-store.ts";
import type { RecordedRun } from "./store/journal.ts";
import { callOf, operationName, targetOf, traceOf, withoutContent } from "./store/operation-record.ts";
import { textBytes } from "./store/text-bytes.ts";

/** The executor's interface to the core. */
export interface ExecutorLink {
  readonly queued: number;
  /** Why nothing is executed, or undefined. */
  readonly failure: string | undefined;
  submit(job: Job): void;
  /** Applies a difference of the committed ledger; only while nothing is queued. */
  amend(difference: LedgerDifference): void;
  answerOracle(requestId: number, response: CallResponse): void;
}

export interface CoreOptions {
  readonly store: CommittedStore;
  readonly log: Log;
  readonly queueCapacity: number;
  /** Size limit of the ledger; beyond it operations of new accounts are rejected. */
  readonly maxCharacters: number;
  /** Account that may answer requests of functions; undefined: none. */
  readonly oracleAddress: string | undefined;
  link(onOutput: (output: JobOutput) => void): ExecutorLink;
  /** Performs a request to the outside; never rejects. */
  readonly askOutside: AskOutside;
  /** Queues messages for layer 1; repeated messages have the same `id`. */
  sendToLayer1(messages: readonly { id: string; bytes: Uint8Array }[]): void;
}

/** Characters counted for a trace in addition to its call tree. */
const TRACE_OVERHEAD = 500;
/** Limit of the bytes of all queued operations, as received. */
export const MAX_QUEUED_BYTES = 32 * 1024 * 1024;
/** Deposits without receipt at which reading from layer 1 pauses. */
export const MAX_PENDING_DEPOSITS = 10_000;

interface Place {
  readonly level: number;
  readonly index: number;
}

export class RuntimeCore {
  readonly store: CommittedStore;
  readonly #options: CoreOptions;
  readonly #link: ExecutorLink;
  readonly #outside: OpenRequests;
  readonly #jobs = new Map<number, { job: Job; place: Place | undefined; at: number; bytes: number }>();
  #queuedBytes = 0;
  #pendingDeposits = 0;
  /** Number of unfinished jobs under each hash. */
  readonly #pending = new Map<string, number>();
  readonly #finished = new Set<(hash: string) => void>();
  readonly #listeners = new Set<(event: RuntimeEvent) => void>();
  #seq = 0;
  #closed = false;
  readonly #entrance: JobEntrance;
  readonly #onProgress = new Set<() => void>();
  /** Deposits of layer 1 up to this level were undone by a restore. */
  #undoneUpTo = 0;

  constructor(options: CoreOptions) {
    this.#options = options;
    this.store = options.store;
    this.#outside = new OpenRequests(options.askOutside, (requestId, response) =>
      this.#link.answerOracle(requestId, response),
    );
    this.#link = options.link((output) => this.#take(output));
    this.#entrance = new JobEntrance(this.#link);
  }

  /** Why an operation of this size is rejected, or undefined. @param bytes size of its request */
  refuses(bytes: number): string | undefined {
    if (this.#closed) return "shutting down";
    if (this.#link.failure !== undefined) return this.#link.failure;
    if (this.queued >= this.#options.queueCapacity) return "queue is full";
    return this.#queuedBytes > 0 && this.#queuedBytes + bytes > MAX_QUEUED_BYTES
      ? "queue is full"
      : undefined;
  }

  /**
   * Queues a signed operation; returns its hash (hex), or why it was rejected.
   * @param bytes size of the request
   */
  inject(checked: CheckedOperation, bytes: number): { hash: string } | { refused: string } {
    const refused = this.refuses(bytes);
    if (refused !== undefined) return { refused };
    const { operation, sender, hash, refusal } = checked;
    const { ledger } = this.store;
    if (ledger.characters >= this.#options.maxCharacters && ledger.account(sender) === undefined)
      return { refused: "storage is full" };
    const { nonce, content } = operation;
    // Neither is executed, so its content would only waste memory: a byte of an answer takes eight in a list.
    const isVain =
      refusal !== null || (content._type === "OracleResponse" && sender !== this.#options.oracleAddress);
    const job: OperationJob = {
      kind: "operation",
      seq: this.#nextSeq(),
      hash,
      sender,
      nonce,
      refusal,
      content: isVain ? withoutContent(content) : content,
    };
    this.#submit(job, undefined, isVain ? 0 : bytes);
    return { hash };
  }

  /** Queues a deposit of a layer 1 level. */
  deposit(deposit: TezDeposit | FaDeposit, place: Place): void {
    if (place.level <= this.#undoneUpTo) return;
    const hash = toHex(depositReceiptHash(place.level, place.index));
    this.#submit({ kind: "deposit", seq: this.#nextSeq(), hash, deposit }, place, 0);
  }

  /** True while an operation or deposit with this hash is queued or running. */
  isPending(hash: string): boolean {
    return this.#pending.has(hash);
  }

  /** Jobs without an outcome. */
  get queued(): number {
    return this.#entrance.queued;
  }

  /** Rejects further operations. */
  close(): void {
    this.#closed = true;
    this.#entrance.close();
  }

  /** Until `release`, jobs are queued but not executed. Running jobs continue. */
  hold(): void {
    this.#entrance.hold();
  }

  get isHeld(): boolean {
    return this.#entrance.isHeld;
  }

  release(): void {
    this.#entrance.release();
  }

  /**
   * Puts a gate before the executor: a debugger keeps operations back with it.
   * @returns takes it away, after it has passed everything on
   */
  putGate(make: (executor: GateExecutor) => JobGate): () => void {
    return this.#entrance.putGate(make);
  }

  /** The operation that a debugger keeps back, with everything behind it. */
  get atGate(): HeldOperation | undefined {
    return this.#entrance.atGate;
  }

  /** Whether no job is in flight. */
  get isAtRest(): boolean {
    return this.#entrance.isAtRest;
  }

  /** Resolves when no job is in flight, or on abort. */
  idle(signal: AbortSignal): Promise<void> {
    return this.#until(() => this.isAtRest, signal);
  }

  /** Whether there is room for more deposits: without it, layer 1 is not read. */
  get hasRoom(): boolean {
    return this.#pendingDeposits < MAX_PENDING_DEPOSITS;
  }

  /** Resolves when there is room for deposits, or on abort. Deposits are never rejected: their tez would be lost. */
  roomForDeposits(signal: AbortSignal): Promise<void> {
    return this.#until(() => this.hasRoom, signal);
  }

  /** Checks the condition after each job. */
  #until(condition: () => boolean, signal: AbortSignal): Promise<void> {
    if (condition()) return Promise.resolve();
    return new Promise((resolve) => {
      const look = (): void => {
        if (!condition() && !signal.aborted) return;
        this.#onProgress.delete(look);
        signal.removeEventListener("abort", look);
        resolve();
      };
      this.#onProgress.add(look);
      signal.addEventListener("abort", look);
      look();
    });
  }

  /** Whether deposits of layer 1 are waiting for the end of the hold. */
  get holdsDeposits(): boolean {
    return this.#entrance.holdsDeposits;
  }

  /**
   * Restores a snapshot of the store. Only during a hold and while no job is in flight.
   * @param level layer 1's block that restores it there: deposits up to it are undone
   */
  restore(snapshot: StoreSnapshot, level: number): void {
    // Running jobs belong to the state that they started in.
    if (!this.isAtRest) throw new SandboxError("SANDBOX_BUSY", { reason: "operations are under way" });
    const before = this.#listeners.size > 0 ? this.store.ledger.copy() : undefined;
    const difference = this.store.restore(snapshot);
    this.#undoneUpTo = Math.max(this.#undoneUpTo, level);
    const isUndone = ({ seq }: Job): boolean => (this.#jobs.get(seq)?.place?.level ?? Infinity) <= level;
    for (const job of this.#entrance.takeOut(isUndone)) this.#forget(job);
    this.#link.amend(difference);
    if (before === undefined) return;
    for (const [what, address] of [...difference.writes, ...difference.removed]) {
      if (what !== "account") continue;
      const balance = this.store.ledger.account(address)?.amount ?? 0n;
      if (balance !== (before.account(address)?.amount ?? 0n))
        this.#emit({ type: "balance", address, balance: balance.toString() });
    }
  }

  /** Changes the ledger outside of operations. Only during a hold and while no job is in flight. */
  amend(difference: LedgerDifference): void {
    if (!this.isAtRest) throw new SandboxError("SANDBOX_BUSY", { reason: "operations are under way" });
    this.store.journal.add(this.store.ledger, difference);
    this.store.ledger.amend(difference);
    this.#link.amend(difference);
  }

  /** Calls the listener with each hash whose receipt has been filed. */
  onFinished(listener: (hash: string) => void): void {
    this.#finished.add(listener);
  }

  /** Calls the listener for each event; returns a function that unsubscribes. */
  listen(listener: (event: RuntimeEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #nextSeq(): number {
    // The number is stored in a 32-bit cell shared by the threads; 0 means none.
    this.#seq = (this.#seq % 0x7fffffff) + 1;
    return this.#seq;
  }

  #submit(job: Job, place: Place | undefined, bytes: number): void {
    this.#jobs.set(job.seq, { job, place, at: timeOfDay(), bytes });
    this.#queuedBytes += bytes;
    if (job.kind === "deposit") this.#pendingDeposits++;
    this.#pending.set(job.hash, (this.#pending.get(job.hash) ?? 0) + 1);
    this.#entrance.pass(job);
  }

  #take(output: JobOutput): void {
    switch (output.kind) {
      case "finished":
        return this.#finish(output.outcome);
      case "waiting":
        this.#apply(output.writes, undefined, 0);
        for (const record of output.logs) this.store.logs.add(record);
        return this.#entrance.waits(output.seq);
      case "ask":
        return this.#outside.ask(output.requestId, output.request);
      case "closed":
        return this.#outside.close(output.requestId);
      case "replaced":
        this.#entrance.restarted();
        return this.#outside.closeAll();
      case "fault":
        this.#options.log.error(
          { operation: this.#jobs.get(output.seq)?.job.hash, reason: output.reason },
          "a bug in the runtime interrupted an operation",
        );
    }
  }

  #finish(outcome: Outcome): void {
    const entry = this.#jobs.get(outcome.seq);
    if (entry === undefined) return;
    const { job, place, at, bytes } = entry;
    const { receipt, success, failure, circumstances, isLost = false } = outcome;
    // Otherwise it was executed before, and what is known of it stays.
    const isKept = this.store.fileReceipt(job.hash, { json: receipt, success, failure });
    const run = isKept ? { job, circumstances, isLost } : undefined;
    const balances = this.#apply(outcome.writes, run, bytes);
    for (const record of outcome.logs) this.store.logs.add(record);
    if (outcome.outbox.length > 0) {
      this.#options.sendToLayer1(
        outcome.outbox.map((message, index) => ({ id: `${job.hash}/${index}`, bytes: message })),
      );
    }
    if (job.kind === "deposit" && place !== undefined) {
      const stored = {
        ...place,
        hash: job.hash,
        deposit: job.deposit,
        receipt,
        at: new Date(at).toISOString(),
      };
      this.store.deposits.set(job.hash, stored, textBytes(receipt));
    }
    if (isKept) this.#fileTrace(traceOf(job, outcome, at, bytes));
    this.#forget(job);
    for (const listener of this.#finished) listener(job.hash);
    this.#announce(job, place, outcome, balances);
    for (const listener of this.#onProgress) listener();
    this.#entrance.ended(job.seq);
  }

  /** Forgets a job that has its receipt, or gets none. */
  #forget({ seq, kind, hash }: Job): void {
    this.#queuedBytes -= this.#jobs.get(seq)?.bytes ?? 0;
    this.#jobs.delete(seq);
    if (kind === "deposit") this.#pendingDeposits--;
    const left = (this.#pending.get(hash) ?? 1) - 1;
    if (left > 0) this.#pending.set(hash, left);
    else this.#pending.delete(hash);
  }

  #fileTrace(stored: StoredTrace): void {
    this.store.traces.set(stored.hash, stored, TRACE_OVERHEAD + stored.size + textBytes(stored.trace ?? ""));
  }

  /**
   * Applies committed writes; returns the accounts whose balance changed.
   * @param run the operation that ends with them, if any, and the bytes of its request
   */
  #apply(writes: readonly LedgerWrite[], run: RecordedRun | undefined, bytes: number): Map<string, bigint> {
    this.store.journal.add(this.store.ledger, { writes, removed: [] }, run, bytes);
    const changed = new Map<string, bigint>();
    const watched = this.#listeners.size > 0;
    for (const write of writes) {
      if (watched && write[0] === "account") {
        const before = this.store.ledger.account(write[1])?.amount ?? 0n;
        const after = parseAccountText(write[2]).amount;
        if (before !== after) changed.set(write[1], after);
      }
      this.store.ledger.apply(write);
    }
    return changed;
  }

  #announce(job: Job, place: Place | undefined, outcome: Outcome, balances: Map<string, bigint>): void {
    if (this.#listeners.size === 0) return;
    const { success, statusCode, failure } = outcome;
    if (job.kind === "operation") {
      this.#emit({
        type: "operation",
        hash: job.hash,
        operation: operationName(job),
        sender: job.sender,
        target: targetOf(job, outcome.deployed),
        success,
        statusCode,
        failure,
        call: callOf(job),
      });
    } else if (place !== undefined) {
      const { receiver, amount } = job.deposit;
      this.#emit({ type: "deposit", ...place, hash: job.hash, receiver, amount: amount.toString(), success });
    }
    for (const [address, balance] of balances)
      this.#emit({ type: "balance", address, balance: balance.toString() });
  }

  #emit(event: RuntimeEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}
