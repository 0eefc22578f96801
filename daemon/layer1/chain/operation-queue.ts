// Queues operations for the chain, which applies one at a time, each on the state after the one before. A short one never
// waits for long ones: an operation that turns out to be long goes to the back, and is retried when a short one arrives
// meanwhile. After some retries it must finish within the time that others can wait.
import { SandboxError } from "../../protocol/errors.ts";
import type { Job } from "../job.ts";
import { NeedsLonger, type Turns, type Work } from "../turns.ts";

/** Processor time after which an operation counts as long. */
const SHORT_MS = 15;
/** Restarts of a long operation in favour of others before its time is limited. */
const MAX_RETRIES = 3;
/** Number of queued long operations from which none is retried any more. */
const MANY_LONG = 4;
/** Limits on queued operations: their number and bytes. */
const MAX_WAITING = 10_000;
const MAX_WAITING_BYTES = 67_108_864;

/** Result of a job whose state is no longer the newest. */
export const STALE = Symbol("stale");

interface Task {
  readonly make: () => Job<unknown>;
  readonly bytes: number;
  isLong: boolean;
  retries: number;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export class OperationQueue {
  readonly #turns: Turns;
  readonly #short: Task[] = [];
  readonly #long: Task[] = [];
  #between: (() => void)[] = [];
  #isBusy = false;
  #isAdvancing = false;
  #holds = 0;
  #bytes = 0;

  constructor(turns: Turns) {
    this.#turns = turns;
  }

  /**
   * Queues a job. It restarts when it returns `STALE`.
   * @throws SandboxError LAYER1_BUSY when the queue is full
   */
  add<T>(make: () => Job<T | typeof STALE>, bytes: number): Promise<T> {
    const waiting = this.#short.length + this.#long.length;
    if (waiting >= MAX_WAITING || this.#bytes + bytes > MAX_WAITING_BYTES)
      throw new SandboxError("LAYER1_BUSY", { waiting });
    this.#bytes += bytes;
    return new Promise<T>((resolve, reject) => {
      const settle = { resolve: resolve as (value: unknown) => void, reject };
      this.#short.push({ make, bytes, isLong: false, retries: 0, ...settle });
      this.#advance();
    });
  }

  /** Runs an action while no operation is being applied: now, or right after the current one. */
  between(action: () => void): void {
    if (this.#isBusy) this.#between.push(action);
    else action();
  }

  /** Starts no long job until the returned function is called. */
  holdLong(): () => void {
    let isHeld = true;
    this.#holds++;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#holds--;
      this.#advance();
    };
  }

  /** Starts the next job. Actions between two operations may call it again. */
  #advance(): void {
    if (this.#isAdvancing) return;
    this.#isAdvancing = true;
    try {
      while (!this.#isBusy) {
        const actions = this.#between;
        this.#between = [];
        for (const action of actions) action();
        const task = this.#short.shift() ?? (this.#holds === 0 ? this.#long.shift() : undefined);
        if (!task) break;
        this.#start(task);
      }
    } finally {
      this.#isAdvancing = false;
    }
  }

  #start(task: Task): void {
    this.#isBusy = true;
    const work: Work = {
      lane: "chain",
      bytes: 0,
      ...(!task.isLong && { abandonAfterMs: SHORT_MS }),
      isAwaited: () => this.#short.length > 0 || this.#long.length >= MANY_LONG,
      mayRetry: () => task.retries < MAX_RETRIES && this.#long.length < MANY_LONG,
    };
    try {
      const result = this.#turns.run(task.make, work);
      if (!(result instanceof Promise)) {
        this.#onResult(task, result);
        return;
      }
      void result
        .then(
          (value) => this.#onResult(task, value),
          (error: unknown) => this.#onError(task, error),
        )
        .then(() => this.#advance());
    } catch (error) {
      this.#onError(task, error);
    }
  }

  #onResult(task: Task, value: unknown): void {
    this.#isBusy = false;
    if (value === STALE) {
      (task.isLong ? this.#long : this.#short).unshift(task);
      return;
    }
    this.#bytes -= task.bytes;
    task.resolve(value);
  }

  #onError(task: Task, error: unknown): void {
    this.#isBusy = false;
    if (error instanceof NeedsLonger) {
      if (task.isLong) {
        task.retries++;
        this.#long.unshift(task);
      } else {
        task.isLong = true;
        this.#long.push(task);
      }
      return;
    }
    this.#bytes -= task.bytes;
    task.reject(error);
  }
}
