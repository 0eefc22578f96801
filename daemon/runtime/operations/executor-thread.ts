// The executor in its worker thread, as seen from the HTTP side: sends work in batches, watches the thread, and
// replaces it when it dies or hangs. The thread's ledger is a replica, so nothing is lost: the job that killed it gets
// a failing receipt, all others run again on the committed state.
import type { Worker } from "node:worker_threads";
import type { Log } from "../../parts/log.ts";
import type { CallResponse } from "../call/http-message.ts";
import type { LedgerDifference, LedgerWrite } from "../ledger/ledger.ts";
import { type EngineThreadSettings, hasEnded, startEngineThread } from "./engine-thread.ts";
import type { ExecutorSettings } from "./executor.ts";
import { FairQueue } from "./fair-queue.ts";
import {
  type ExecutorInput,
  type ExecutorOutput,
  type Job,
  type JobOutput,
  newCells,
  type Outcome,
  outputBytes,
  RUNNING,
  UNREAD,
  UNTAKEN,
} from "./jobs.ts";
import { receiptJson } from "./receipt.ts";

export interface ExecutorThreadOptions {
  readonly engineDirectory: string;
  /** Thread to start with, if already running. */
  readonly firstThread?: Worker | undefined;
  readonly settings: ExecutorSettings;
  /** Guests see the time of day instead of the fixed date. */
  readonly realTime: boolean;
  /** Time limit of a job; beyond it the thread is terminated. */
  readonly watchdogMs: number;
  readonly log: Log;
  /** The committed ledger, the initial state of a new thread. */
  seed(): Iterable<LedgerWrite>;
  /** Messages of committed operations that layer 1 has not accepted. */
  untaken(): number;
  onOutput(output: JobOutput): void;
}

/** Limit of jobs in the thread: on a machine with one core each message costs two thread switches. */
const MAX_IN_THREAD = 32;
/** Limit of jobs per message: their outputs must not overwhelm this side. */
const MAX_IN_MESSAGE = 256;
const REQUESTS_PER_THREAD = 1_000_000_000;
const SEED_CHUNK = 5_000;
/**
 * Number of times the watchdog sees a job that it then ends. It counts these, not the time: the thread stood still too
 * while the whole process did, in a paused container or a closed laptop.
 */
const WATCHES = 10;
const MAX_QUICK_DEATHS = 5;
/** Time charged to a job that killed a thread: all others wait for the next one. */
const DEATH_MS = 1_000;
const QUICK_DEATH_MS = 2_000;

export class ExecutorThread {
  readonly #options: ExecutorThreadOptions;
  /** Jobs without an outcome, in order. */
  readonly #outstanding = new Map<number, Job>();
  /** Outstanding jobs whose nonce is already in the committed state. */
  readonly #waiting = new Set<number>();
  readonly #outbound = new FairQueue(() => performance.now());
  /** The thread's round, as last reported. */
  #round = 0;
  /** Jobs in the thread that are neither finished nor waiting for the outside. */
  readonly #inThread = new Set<number>();
  /** A job was slow: the jobs after it come back first, so that no later job of a sender overtakes them. */
  #isSettling = false;
  /** The job that finished last: a report that it was slow follows its outcome. */
  #ended: Job | undefined;
  #flushing = false;
  #worker: Worker | undefined;
  #cells = newCells();
  #ready = false;
  #failure: string | undefined;
  #trouble: string | undefined;
  #stopping = false;
  #startedAt = 0;
  #quickDeaths = 0;
  #threads = 0;
  #watchdog: NodeJS.Timeout | undefined;
  #watched = { seq: 0, times: 0 };
  #blame: string | undefined;
  #firstReady: { resolve: () => void; reject: (error: Error) => void } | undefined;

  constructor(options: ExecutorThreadOptions) {
    this.#options = options;
  }

  /** Starts the thread; resolves when it accepts work. */
  start(): Promise<void> {
    this.#watchdog = setInterval(() => this.#watch(), this.#options.watchdogMs / WATCHES);
    this.#watchdog.unref();
    return new Promise((resolve, reject) => {
      this.#firstReady = { resolve, reject };
      this.#spawn();
    });
  }

  get ready(): boolean {
    return this.#ready;
  }

  /** Why no executor runs, or undefined. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /** Why the engine was restarted, until a call has succeeded again. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  /** Jobs without an outcome. */
  get queued(): number {
    return this.#outstanding.size;
  }

  submit(job: Job): void {
    this.#outstanding.set(job.seq, job);
    this.#outbound.push(job);
    if (this.#flushing) return;
    this.#flushing = true;
    // Requests that arrived together travel to the thread in one message.
    setImmediate(() => {
      this.#flushing = false;
      this.#flush();
    });
  }

  answerOracle(requestId: number, response: CallResponse): void {
    const { body } = response;
    // An answer may be large: it is moved to the thread rather than copied.
    const isWhole = body instanceof Uint8Array && body.byteLength === body.buffer.byteLength;
    this.#worker?.postMessage(
      { kind: "oracle", requestId, response } satisfies ExecutorInput,
      isWhole ? [body.buffer as ArrayBuffer] : [],
    );
  }

  /** Reports that layer 1 has accepted messages. */
  messagesTaken(count: number): void {
    Atomics.sub(this.#cells, UNTAKEN, count);
  }

  /** Applies a difference of the committed ledger to the thread's. Only while no job is outstanding. */
  amend(difference: LedgerDifference): void {
    this.#post({ kind: "amend", difference });
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    this.#ready = false;
    clearInterval(this.#watchdog);
    await this.#worker?.terminate();
    this.#worker = undefined;
  }

  #flush(): void {
    if (!this.#ready || this.#outbound.size === 0) return;
    // While the thread is busy, work gathers here: fewer messages, each with more jobs.
    const isFair = this.#outbound.hasSlow;
    if (this.#inThread.size >= (isFair || this.#isSettling ? 1 : MAX_IN_THREAD)) return;
    this.#isSettling = false;
    const jobs = this.#outbound.take(isFair ? MAX_IN_THREAD : MAX_IN_MESSAGE);
    for (const job of jobs) this.#inThread.add(job.seq);
    this.#post({ kind: "jobs", round: this.#round, jobs });
  }

  #post(input: ExecutorInput): void {
    this.#worker?.postMessage(input);
  }

  #spawn(): void {
    this.#cells = newCells();
    Atomics.store(this.#cells, UNTAKEN, this.#options.untaken());
    this.#startedAt = performance.now();
    const { firstThread, engineDirectory, settings, realTime } = this.#options;
    const isFirst = this.#threads === 0 && firstThread !== undefined && !hasEnded(firstThread);
    const worker = isFirst ? firstThread : startEngineThread(engineDirectory);
    worker.ref();
    const start: EngineThreadSettings = {
      kind: "settings",
      settings,
      realTime,
      // A late answer for a dead thread must not match a request of the new thread.
      firstRequestId: 1 + REQUESTS_PER_THREAD * this.#threads++,
      cells: this.#cells.buffer,
    };
    worker.postMessage(start);
    this.#worker = worker;
    this.#round = 0;
    let reason = "it ended";
    worker.on("message", (outputs: readonly ExecutorOutput[]) => {
      if (worker !== this.#worker) return;
      const bytes = outputs.reduce((sum, output) => sum + outputBytes(output), 0);
      if (bytes > 0) {
        Atomics.sub(this.#cells, UNREAD, bytes);
        Atomics.notify(this.#cells, UNREAD);
      }
      for (const output of outputs) this.#take(output);
      this.#flush();
    });
    worker.on("error", (error: Error) => {
      reason = error.message;
    });
    worker.on("exit", () => {
      if (worker === this.#worker && !this.#stopping) this.#replace(this.#blame ?? reason);
    });
    let chunk: LedgerWrite[] = [];
    for (const write of this.#options.seed()) {
      if (chunk.push(write) === SEED_CHUNK) {
        this.#post({ kind: "seed", writes: chunk });
        chunk = [];
      }
    }
    if (chunk.length > 0) this.#post({ kind: "seed", writes: chunk });
  }

  #take(output: ExecutorOutput): void {
    switch (output.kind) {
      case "ready":
        this.#ready = true;
        this.#firstReady?.resolve();
        this.#firstReady = undefined;
        return;
      case "finished":
        this.#ended = this.#outstanding.get(output.outcome.seq);
        if (this.#ended) this.#outbound.ended(this.#ended);
        this.#outstanding.delete(output.outcome.seq);
        this.#inThread.delete(output.outcome.seq);
        this.#waiting.delete(output.outcome.seq);
        break;
      case "waiting":
        this.#waiting.add(output.seq);
        this.#inThread.delete(output.seq);
        break;
      case "slow": {
        this.#round++;
        this.#isSettling = true;
        const job = this.#outstanding.get(output.seq) ?? this.#ended;
        if (job?.seq === output.seq) this.#outbound.tookLong(job, output.ms);
        return;
      }
      case "returned":
        for (const seq of output.seqs) this.#inThread.delete(seq);
        this.#outbound.putBack(output.seqs.flatMap((seq) => this.#outstanding.get(seq) ?? []));
        return;
      case "ask":
      case "closed":
      case "replaced":
      case "fault":
        break;
      case "proven":
        this.#trouble = undefined;
        return;
      case "broken":
        this.#trouble = this.#blame = output.reason;
        void this.#worker?.terminate();
        return;
      case "damage":
        this.#options.log.error(
          { reason: output.reason, operation: this.#outstanding.get(output.seq)?.hash },
          "an instance of the guest engine was damaged and thrown away",
        );
        return;
    }
    this.#options.onOutput(output);
  }

  /** Replaces a dead thread. */
  #replace(reason: string): void {
    const killer = this.#outstanding.get(Atomics.load(this.#cells, RUNNING));
    this.#ready = false;
    this.#inThread.clear();
    this.#isSettling = false;
    this.#take({ kind: "replaced" });
    this.#blame = undefined;
    const lifeMs = performance.now() - this.#startedAt;
    this.#quickDeaths = lifeMs < QUICK_DEATH_MS ? this.#quickDeaths + 1 : 0;
    this.#options.log.error(
      { reason, operation: killer?.hash },
      "the guest engine ended; a new one is started",
    );
    if (this.#firstReady !== undefined || this.#quickDeaths > MAX_QUICK_DEATHS) {
      // It dies without a job: restarting it for ever would only waste CPU.
      this.#failure = `the guest engine does not run: ${inWords(reason)}`;
      this.#firstReady?.reject(new Error(this.#failure));
      this.#firstReady = undefined;
      for (const job of [...this.#outstanding.values()]) this.#giveUp(job, reason);
      return;
    }
    if (killer !== undefined) {
      this.#giveUp(killer, reason);
      this.#outbound.tookLong(killer, DEATH_MS);
    }
    this.#outbound.replace(
      [...this.#outstanding.values()].map((job) =>
        job.kind === "operation" && this.#waiting.has(job.seq) ? { ...job, nonceTaken: true } : job,
      ),
    );
    this.#spawn();
  }

  #giveUp(job: Job, reason: string): void {
    const failure = `InternalError: the guest engine ended while it executed this operation (${reason})`;
    const outcome: Outcome = {
      seq: job.seq,
      receipt: receiptJson(job.hash, { _type: "Failed", inner: failure }),
      success: false,
      failure,
      statusCode: null,
      deployed: null,
      writes: this.#takenNonce(job),
      logs: [],
      trace: null,
      outbox: [],
      isLost: true,
    };
    this.#take({ kind: "finished", outcome });
  }

  /** An operation uses up its nonce in any case, even when it kills the thread. */
  #takenNonce(job: Job): LedgerWrite[] {
    if (job.kind !== "operation" || job.refusal !== null || this.#waiting.has(job.seq)) return [];
    for (const write of this.#options.seed()) {
      if (write[0] === "account" && write[1] === job.sender) {
        const [amount = "0", nonce = "0"] = write[2].split(":");
        return BigInt(nonce) === job.nonce ? [["account", job.sender, `${amount}:${job.nonce + 1n}`]] : [];
      }
    }
    return job.nonce === 0n ? [["account", job.sender, "0:1"]] : [];
  }

  #watch(): void {
    const seq = Atomics.load(this.#cells, RUNNING);
    if (seq !== this.#watched.seq) {
      this.#watched = { seq, times: 0 };
    } else if (seq !== 0 && ++this.#watched.times >= WATCHES) {
      this.#blame = `it did not finish within ${this.#options.watchdogMs / 1000} s`;
      this.#watched = { seq: 0, times: 0 };
      void this.#worker?.terminate();
    }
  }
}

/** Explains a reason that the user can fix; WebAssembly itself only reports that it is out of memory. */
function inWords(reason: string): string {
  return reason.includes("Cannot allocate Wasm memory")
    ? "the system gives the process too little memory or address space; look at `ulimit -v`, which has to be `unlimited`"
    : reason;
}
