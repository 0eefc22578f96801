// Operations go into the chain one at a time, each on top of what the one before left. A short one does not wait for
// the long ones of others: whoever turns out to be long steps back, and again when a short one comes meanwhile. After
// some times it has to end in the time that others can wait.
import { SandboxError } from "../../protocol/errors.ts";
import type { Job } from "../job.ts";
import { NeedsLonger, type Turns, type Work } from "../turns.ts";

/** Processor time of an operation that steps back for others. */
const SHORT_MS = 15;
/** Times that a long operation is begun anew for others before it has to end. */
const MAX_RETRIES = 3;
/** Long operations behind one from which on it has to end at once: all of those that wait count. */
const MANY_LONG = 4;
/** Operations that may wait, and their bytes. */
const MAX_WAITING = 10_000;
const MAX_WAITING_BYTES = 67_108_864;

/** What a job returns when the state it worked on is no longer the newest. */
export const STALE = Symbol("stale");

interface Task {
  readonly make: () => Job<unknown>;
  readonly bytes: number;
  isLong: boolean;
  retries: number;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export class Line {
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
   * Has a job done when its turn comes. It is begun anew when it returns `STALE`.
   * @throws SandboxError LAYER1_BUSY when too many wait
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

  /** Does something when no operation is under way: at once, or right after the present one. */
  between(action: () => void): void {
    if (this.#isBusy) this.#between.push(action);
    else action();
  }

  /** No long job begins until the returned function is called. */
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

  /** Goes on with what waits. What is done between two operations may ask for it again. */
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
        this.#begin(task);
      }
    } finally {
      this.#isAdvancing = false;
    }
  }

  #begin(task: Task): void {
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
        this.#ended(task, result);
        return;
      }
      void result
        .then(
          (value) => this.#ended(task, value),
          (error: unknown) => this.#failed(task, error),
        )
        .then(() => this.#advance());
    } catch (error) {
      this.#failed(task, error);
    }
  }

  #ended(task: Task, value: unknown): void {
    this.#isBusy = false;
    if (value === STALE) {
      (task.isLong ? this.#long : this.#short).unshift(task);
      return;
    }
    this.#bytes -= task.bytes;
    task.resolve(value);
  }

  #failed(task: Task, error: unknown): void {
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
