// What is between the core and its executor. Jobs go on in order of arrival; they are kept back by a hold, while a
// snapshot is taken or restored, or by a gate, while a debugger looks at an operation before it is executed.
import type { HeldOperation } from "../protocol/held-operation.ts";
import type { Job } from "./operations/jobs.ts";

/** Takes jobs instead of the executor, and passes them on in order. */
export interface JobGate {
  /** Jobs that it has not passed on. */
  readonly queued: number;
  readonly held: HeldOperation | undefined;
  push(job: Job): void;
  /** A job has ended, or waits for the outside. */
  progressed(): void;
  /** Passes everything on before it returns. */
  flush(): void;
}

/** The executor as a gate sees it. */
export interface GateExecutor {
  submit(job: Job): void;
  /** `outside`: all operations under way wait for the outside, so the next ones may run before they end. */
  readonly state: "at rest" | "busy" | "outside";
}

interface Executing {
  /** Jobs without an outcome. */
  readonly queued: number;
  submit(job: Job): void;
}

export class JobEntrance {
  readonly #executing: Executing;
  /** Jobs that wait for the end of a hold, in order; undefined without a hold. */
  #held: Job[] | undefined;
  #gate: JobGate | undefined;
  /** Numbers of the jobs that wait for the outside. */
  readonly #outside = new Set<number>();

  constructor(executing: Executing) {
    this.#executing = executing;
  }

  pass(job: Job): void {
    if (this.#held !== undefined) this.#held.push(job);
    else if (this.#gate !== undefined) this.#gate.push(job);
    else this.#executing.submit(job);
  }

  /** Jobs without an outcome. */
  get queued(): number {
    return this.#executing.queued + (this.#held?.length ?? 0) + (this.#gate?.queued ?? 0);
  }

  /** Whether no job is in flight. */
  get isAtRest(): boolean {
    return this.#executing.queued === 0;
  }

  get isHeld(): boolean {
    return this.#held !== undefined;
  }

  /** Keeps new jobs back until `release`. Those that a gate keeps were accepted before, so they go on. */
  hold(): void {
    this.#held ??= [];
    this.#gate?.flush();
  }

  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const job of held) this.pass(job);
  }

  get holdsDeposits(): boolean {
    return this.#held?.some(({ kind }) => kind === "deposit") ?? false;
  }

  /** Takes out jobs that wait for the end of a hold. @returns those */
  takeOut(isUnwanted: (job: Job) => boolean): Job[] {
    const unwanted = this.#held?.filter(isUnwanted) ?? [];
    this.#held = this.#held?.filter((job) => !unwanted.includes(job));
    return unwanted;
  }

  /** What the gate keeps back. */
  get atGate(): HeldOperation | undefined {
    return this.#gate?.held;
  }

  /**
   * Puts a gate before the executor, in place of the one before.
   * @returns takes it away, after it has passed everything on
   */
  putGate(make: (executor: GateExecutor) => JobGate): () => void {
    this.#gate?.flush();
    const executing = this.#executing;
    const outside = this.#outside;
    const gate = make({
      submit: (job) => executing.submit(job),
      get state() {
        if (executing.queued === 0) return "at rest";
        return executing.queued > outside.size ? "busy" : "outside";
      },
    });
    this.#gate = gate;
    return () => {
      gate.flush();
      if (this.#gate === gate) this.#gate = undefined;
    };
  }

  /** Passes everything on, for good. */
  close(): void {
    this.#gate?.flush();
    this.#gate = undefined;
    this.release();
  }

  /** A job waits for the outside. */
  waits(seq: number): void {
    this.#outside.add(seq);
    this.#gate?.progressed();
  }

  /** A job has ended. */
  ended(seq: number): void {
    this.#outside.delete(seq);
    this.#gate?.progressed();
  }

  /** The executor is replaced: jobs that waited for the outside run again. */
  restarted(): void {
    this.#outside.clear();
  }
}
