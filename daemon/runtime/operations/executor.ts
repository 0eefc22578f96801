// Executes operations and deposits in order of arrival on its own ledger, and reports the outcome of each. Synchronous:
// only an operation that waits for the outside lets later ones go first.
import type { RunFunction, OracleResponse } from "../../protocol/runtime-operation.ts";
import type { Address } from "../../tezos/address.ts";
import { mutez } from "../../tezos/mutez.ts";
import { CallTree } from "../call/call-tree.ts";
import { deployFunction } from "../call/deploy.ts";
import { GuestFailure, type GuestEngine } from "../call/guest.ts";
import type { CallRequest, CallResponse } from "../call/http-message.ts";
import { failureResponse, isSuccess, responseLength } from "../call/http-message.ts";
import type { CallWorld, Done } from "../call/live-call.ts";
import { deployGas, operationGas, type OperationGas } from "../call/operation-gas.ts";
import { MAX_LIVE_CALLS } from "../engine/limits.ts";
import type { FaDeposit, TezDeposit } from "../inbox/inbox-message.ts";
import { ProtocolError } from "../ledger/ledger-error.ts";
import { Ledger } from "../ledger/ledger.ts";
import { commitTo, Transaction } from "../ledger/transaction.ts";
import { failedResult, JobProgress } from "./job-progress.ts";
import {
  type DepositJob,
  type ExecutorInput,
  type ExecutorOutput,
  type Job,
  LONG_JOB_MS,
  newCells,
  type OperationJob,
  UNTAKEN,
} from "./jobs.ts";
import { runReceipt } from "./receipt.ts";
import { requestOf } from "./run-request.ts";

export interface ExecutorSettings {
  /** Guests have only what the real runtime has, and calls end as there. */
  readonly strict: boolean;
  readonly maxLiveCalls: number;
  readonly exchangerAddress: Address;
  /** Account that may send reveals; also the caller of deposit callbacks. Its key is public. */
  readonly injectorAddress: Address;
  /** Account whose operations answer requests to the outside; undefined: only the built-in oracle answers. */
  readonly oracleAddress: Address | undefined;
  /** Engine units per unit of an operation's `gasLimit`. */
  readonly gasScale: bigint;
  /** Limit of engine units per operation, whatever its `gasLimit`; evaluations of modules have their own beside it. */
  readonly gasCeiling: bigint;
  /** Limit of messages that layer 1 has not accepted: an operation that would exceed it fails. */
  readonly maxUntaken: number;
  /** Limit of characters of code, keys and values in the ledger. */
  readonly maxCharacters: number;
}

/** Memory limit of all functions that wait for the outside. A running one may use more. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024;

export class Executor {
  readonly #ledger: Ledger;
  readonly #engine: GuestEngine;
  readonly #settings: ExecutorSettings;
  readonly #emit: (output: ExecutorOutput) => void;
  readonly #asked = new Map<number, { readonly seq: number; readonly done: Done }>();
  /** Operations waiting for the outside. */
  readonly #waiting = new Set<CallTree>();
  #nextRequestId: number;
  readonly #cells: Int32Array;
  #round = 0;

  /**
   * @param firstRequestId number of the first request to the outside; executors must not share numbers
   * @param cells shared with the thread that sends the messages to layer 1
   * @param ledger that it works on
   */
  constructor(
    engine: GuestEngine,
    settings: ExecutorSettings,
    emit: (output: ExecutorOutput) => void,
    firstRequestId = 1,
    cells: Int32Array = newCells(),
    ledger: Ledger = new Ledger(),
  ) {
    this.#ledger = ledger;
    this.#cells = cells;
    this.#engine = engine;
    this.#settings = settings;
    this.#emit = emit;
    this.#nextRequestId = firstRequestId;
  }

  /** @param starting called with the `seq` of each job before it runs or resumes */
  accept(input: ExecutorInput, starting: (seq: number) => void = () => {}): void {
    switch (input.kind) {
      case "seed":
        for (const write of input.writes) this.#ledger.apply(write);
        return;
      case "amend":
        // They would resume in a state where their functions may not exist. The core waits for them first.
        if (this.#waiting.size > 0) throw new Error("the ledger may not be replaced while operations wait");
        this.#ledger.amend(input.difference);
        return;
      case "jobs":
        for (const [index, job] of input.jobs.entries()) {
          if (input.round !== this.#round) {
            this.#emit({ kind: "returned", seqs: input.jobs.slice(index).map(({ seq }) => seq) });
            return;
          }
          starting(job.seq);
          this.#measure(job.seq, () => this.#execute(job));
        }
        return;
      case "oracle": {
        const seq = this.#asked.get(input.requestId)?.seq ?? 0;
        starting(seq);
        this.#measure(seq, () => this.#answer(input.requestId, input.response));
      }
    }
  }

  /** Starts a new round after slow work. */
  #measure(seq: number, work: () => void): void {
    const begun = performance.now();
    work();
    const ms = performance.now() - begun;
    if (ms < LONG_JOB_MS) return;
    this.#round++;
    this.#emit({ kind: "slow", seq, ms });
  }

  #answer(requestId: number, response: CallResponse): boolean {
    const asked = this.#asked.get(requestId);
    this.#asked.delete(requestId);
    this.#emit({ kind: "closed", requestId });
    asked?.done(response);
    return asked !== undefined;
  }

  #execute(job: Job): void {
    const progress = new JobProgress(job, this.#emit);
    try {
      if (job.kind === "deposit") this.#deposit(job, progress);
      else this.#operation(job, progress);
    } catch (error) {
      progress.fail(error);
    }
    if (!progress.finished) {
      progress.met.nonceWasTaken();
      progress.reportSoFar();
    }
  }

  #operation(job: OperationJob, progress: JobProgress): void {
    if (job.refusal !== null) return progress.finish(failedResult(job.refusal));
    if (job.nonceTaken === true) progress.met.nonceWasTaken();
    else {
      const nonce = this.#ledger.account(job.sender)?.nonce ?? 0n;
      if (job.nonce < nonce) throw new ProtocolError("NoncePassed");
      if (job.nonce > nonce) throw new ProtocolError("InvalidNonce");
      const taken = new Transaction(this.#ledger);
      taken.bumpNonce(job.sender);
      progress.writes.push(...commitTo(this.#ledger, taken)); // kept even if the operation fails
    }
    const { content } = job;
    switch (content._type) {
      case "DeployFunction": {
        const transaction = new Transaction(this.#ledger);
        const address = deployFunction(this.#engine, transaction, {
          creator: job.sender,
          creatorNonce: job.nonce + 1n,
          code: content.functionCode,
          credit: mutez(content.accountCredit),
          gas: deployGas(this.#settings.gasCeiling),
          spend: () => undefined, // a deploy operation has no gas limit
        });
        this.#commit(progress, transaction);
        return progress.finish({ _type: "Success", inner: { _type: "DeployFunction", address } });
      }
      case "RunFunction":
        return this.#run(job, content, progress);
      case "RevealLargePayload":
        // Large operations are accepted directly, so a reveal never has a payload here.
        if (job.sender !== this.#settings.injectorAddress) throw new ProtocolError("InvalidInjector");
        throw new ProtocolError("RevealNotSupported");
      case "OracleResponse":
        return this.#oracleResponse(job, content, progress);
    }
  }

  #run(job: OperationJob, content: RunFunction, progress: JobProgress): void {
    const request = requestOf(content);
    const wished = content.gasLimit * this.#settings.gasScale;
    const gas = operationGas(this.#settings.gasCeiling, wished);
    this.#call(job.sender, request, gas, progress, (response, transaction) => {
      if (responseLength(response) > MAX_RESPONSE_BYTES) throw new GuestFailure("Error", TOO_LARGE);
      this.#commit(progress, transaction);
      if (response.status >= 500 && isTopLevelWithdrawal(request.url)) {
        // A withdrawal that moved nothing is a failed operation, not a response with an error status.
        return progress.finish(failedResult(failureMessage(response)));
      }
      progress.finish({ _type: "Success", inner: { _type: "RunFunction", ...runReceipt(response) } });
    });
  }

  /** Runs a call tree; `settle` gets the response and the transaction with its changes. */
  #call(
    sender: Address,
    request: CallRequest,
    gas: OperationGas,
    progress: JobProgress,
    settle: (response: CallResponse, transaction: Transaction) => void,
  ): void {
    const transaction = new Transaction(this.#ledger);
    let requests = 0;
    const world: CallWorld = {
      engine: this.#engine,
      strict: this.#settings.strict,
      maxLiveCalls: this.#settings.maxLiveCalls,
      exchangerAddress: this.#settings.exchangerAddress,
      log: (record) => progress.logs.push(record),
      opened: (guest) => progress.met.opened(guest !== undefined, guest?.time),
      askOracle: (outside, done) => {
        const requestId = this.#nextRequestId++;
        const number = requests++;
        const resume = (response: CallResponse): void => {
          progress.met.answered(number, response);
          try {
            done(response);
          } catch (error) {
            end();
            progress.fail(error);
          }
        };
        this.#waiting.add(tree);
        this.#asked.set(requestId, { seq: progress.job.seq, done: resume });
        this.#emit({ kind: "ask", seq: progress.job.seq, requestId, request: outside });
        return requestId;
      },
      cancelOracle: (requestId) => {
        if (this.#asked.delete(requestId)) this.#emit({ kind: "closed", requestId });
      },
      mayWait: (liveCalls) => {
        const may = this.#mayWait(tree, liveCalls);
        progress.met.rested(may);
        return may;
      },
    };
    const tree = new CallTree(world, { requestId: progress.job.hash, sender, transaction, ...gas });
    const end = (): void => {
      this.#waiting.delete(tree);
      tree.abandon();
    };
    try {
      tree.run(request, (response) => {
        progress.trace = JSON.stringify({ call: tree.recorder.root, truncated: tree.recorder.truncated });
        end();
        settle(response, transaction);
      });
    } catch (error) {
      end();
      throw error;
    }
  }

  #mayWait(tree: CallTree, liveCalls: number): boolean {
    let others = 0;
    for (const other of this.#waiting) if (other !== tree) others += other.liveCalls;
    // The engine keeps room for one more operation, so that waiting ones never block the others.
    if (others + liveCalls > MAX_LIVE_CALLS - this.#settings.maxLiveCalls) return false;
    return this.#engine.liveBytes() <= MAX_WAITING_BYTES;
  }

  #oracleResponse(job: OperationJob, content: OracleResponse, progress: JobProgress): void {
    if (job.sender !== this.#settings.oracleAddress) throw new ProtocolError("InvalidInjector");
    // What it answers may end at once, and is then reported first: the nonce was taken before that.
    progress.reportSoFar();
    const { status, statusText, headers, body } = content.response;
    const response = { status, statusText, headers, body: Uint8Array.from(body) };
    if (!this.#answer(Number(content.requestId), response)) {
      return progress.finish(failedResult("Request Id does not exist or has expired"));
    }
    progress.finish({
      _type: "Success",
      inner: { _type: "OracleResponse", requestId: content.requestId },
    });
  }

  #deposit(job: DepositJob, progress: JobProgress): void {
    if (job.deposit.kind === "tez") this.#tezDeposit(job.deposit, progress);
    else this.#faDeposit(job.deposit, progress);
  }

  #tezDeposit(deposit: TezDeposit, progress: JobProgress): void {
    const transaction = new Transaction(this.#ledger);
    transaction.credit(deposit.receiver, deposit.amount);
    const updatedBalance = transaction.balance(deposit.receiver);
    this.#commit(progress, transaction, true); // its tez have left layer 1
    progress.finish({
      _type: "Success",
      inner: { _type: "Deposit", account: deposit.receiver, updatedBalance },
    });
  }

  /** Tickets go to the proxy when its callback accepts them, else to the receiver. */
  #faDeposit(deposit: FaDeposit, progress: JobProgress): void {
    const settle = (transaction: Transaction, owner: Address, response: CallResponse | undefined): void => {
      transaction.creditTicket(deposit.ticketHash, owner, deposit.amount);
      const ticketBalance = transaction.ticket(deposit.ticketHash, owner);
      this.#commit(progress, transaction, true);
      const runFunction = response === undefined ? null : runReceipt(response);
      const inner = { _type: "FaDeposit", receiver: owner, ticketBalance, runFunction } as const;
      progress.finish({ _type: "Success", inner });
    };
    const { proxy } = deposit;
    // The tickets are locked on layer 1: whatever the callback does, they need an owner.
    progress.salvage = (reason) =>
      settle(new Transaction(this.#ledger), deposit.receiver, failureResponse("InternalError", reason));
    if (proxy === null) return settle(new Transaction(this.#ledger), deposit.receiver, undefined);
    // Written by hand because the amount may exceed the range of a double.
    const body = `{"receiver":"${deposit.receiver}","amount":${deposit.amount},"ticketHash":"${deposit.ticketHash}","source":"${deposit.source}"}`;
    const request: CallRequest = {
      url: `jstz://${proxy}/-/deposit`,
      method: "POST",
      headers: [["content-type", "application/json; charset=utf-8"]],
      body,
    };
    this.#call(
      this.#settings.injectorAddress,
      request,
      operationGas(this.#settings.gasCeiling),
      progress,
      (response, transaction) => {
        if (responseLength(response) > MAX_RESPONSE_BYTES)
          settle(new Transaction(this.#ledger), deposit.receiver, failureResponse("Error", TOO_LARGE));
        else if (isSuccess(response.status) && this.#fits(transaction)) settle(transaction, proxy, response);
        else if (!isSuccess(response.status)) settle(transaction, deposit.receiver, response);
        else settle(new Transaction(this.#ledger), deposit.receiver, failureResponse("Error", STORAGE_FULL));
      },
    );
  }

  /** Whether the additions of a transaction fit. Changes that shrink the ledger always fit. */
  #fits(transaction: Transaction): boolean {
    const growth = transaction.growth();
    return growth <= 0 || this.#ledger.characters + growth <= this.#settings.maxCharacters;
  }

  /**
   * @param isDeposit deposits are committed even when the ledger is full
   * @throws GuestFailure when the ledger would hold too much, or too many messages wait for layer 1
   */
  #commit(progress: JobProgress, transaction: Transaction, isDeposit = false): void {
    if (!isDeposit && !this.#fits(transaction)) throw new GuestFailure("Error", STORAGE_FULL);
    const messages = transaction.outbox.length;
    if (messages > 0) {
      if (Atomics.load(this.#cells, UNTAKEN) + messages > this.#settings.maxUntaken) {
        progress.met.outboxWasFull();
        throw new GuestFailure("Error", OUTBOX_FULL);
      }
      Atomics.add(this.#cells, UNTAKEN, messages);
    }
    progress.writes.push(...commitTo(this.#ledger, transaction));
    for (const { bytes } of transaction.outbox) progress.outbox.push(bytes);
  }
}

/** Limit of a response in a receipt, headers included. */
const MAX_RESPONSE_BYTES = 10 * 1024 * 1024;
const TOO_LARGE = `ResponseTooLarge: a response may have ${MAX_RESPONSE_BYTES} bytes`;
const OUTBOX_FULL = "OutboxFull: layer 1 has not accepted the earlier withdrawals";
const STORAGE_FULL =
  "StorageLimitExceeded: the functions of this sandbox store more than fits into its memory";

function isTopLevelWithdrawal(url: string): boolean {
  return /^jstz:\/\/jstz\/(fa-)?withdraw(\?|$)/.test(url);
}

function failureMessage(response: CallResponse): string {
  const body = JSON.parse(String(response.body)) as { message: string };
  return body.message;
}
