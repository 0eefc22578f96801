// Queries take turns of some milliseconds, and the one that has worked least goes first. So slow queries do not delay
// quick ones, and fail at their own limit.
import { SandboxError } from "../../protocol/errors.ts";

/** Milliseconds of work per turn; a single step may exceed it. */
const TURN_MS = 10;
/** Milliseconds of work per query, without writing a long answer. */
const WORK_MS = 500;
/** Milliseconds that a query may wait for turns in total. */
const PATIENCE_MS = 20_000;

interface Waiting {
  readonly usedMs: number;
  readonly go: () => void;
}

export interface TurnsOptions {
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  /** Calls back after other pending events. */
  readonly later: (run: () => void) => void;
}

const REAL: TurnsOptions = { now: () => performance.now(), later: setImmediate };

export class Turns {
  readonly options: TurnsOptions;
  readonly #waiting: Waiting[] = [];
  #isScheduled = false;

  constructor(options: TurnsOptions = REAL) {
    this.options = options;
  }

  /** Starts a query's account of work. @param mostMs its limit */
  begin(mostMs = WORK_MS): Work {
    return new Work(this, mostMs);
  }

  /** Resolves at the next turn for a query that has worked `usedMs`. */
  wait(usedMs: number): Promise<void> {
    return new Promise((go) => {
      this.#waiting.push({ usedMs, go });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isScheduled || this.#waiting.length === 0) return;
    this.#isScheduled = true;
    this.options.later(() => {
      this.#isScheduled = false;
      let next = 0;
      for (let i = 1; i < this.#waiting.length; i++)
        if (this.#waiting[i]!.usedMs < this.#waiting[next]!.usedMs) next = i;
      this.#waiting.splice(next, 1)[0]?.go();
      this.#schedule();
    });
  }
}

export class Work {
  readonly #turns: Turns;
  #mostMs: number;
  #usedMs = 0;
  #waitedMs = 0;
  /** Start of the turn. */
  #since: number;
  /** Pending calls of {@link outside}. */
  #outside = 0;

  constructor(turns: Turns, mostMs: number) {
    this.#turns = turns;
    this.#mostMs = mostMs;
    this.#since = turns.options.now();
  }

  /** @throws SandboxError QUERY_TOO_SLOW beyond the limit */
  check(): void {
    if (this.#usedMs + this.#turnMs > this.#mostMs)
      throw new SandboxError("QUERY_TOO_SLOW", { limitMs: this.#mostMs });
  }

  /** Raises the limit, for work with its own bounds. */
  allow(ms: number): void {
    this.#mostMs += ms;
  }

  /** Whether to call {@link turn} now. @throws as {@link check} */
  get isDue(): boolean {
    if (this.#turnMs < TURN_MS) return false;
    this.check();
    return true;
  }

  /** Yields to others, and resolves at the next turn. @throws SandboxError QUERY_TOO_SLOW, SERVER_BUSY */
  async turn(): Promise<void> {
    this.check();
    const { now } = this.#turns.options;
    const since = now();
    await this.outside(this.#turns.wait(this.#usedMs + this.#turnMs));
    this.#waitedMs += now() - since;
    if (this.#waitedMs > PATIENCE_MS)
      throw new SandboxError("SERVER_BUSY", { what: "questions about the chain's history" });
  }

  /** Awaits a promise without counting the time as work. */
  async outside<T>(promise: Promise<T>): Promise<T> {
    this.#usedMs += this.#turnMs;
    this.#outside++;
    try {
      return await promise;
    } finally {
      if (--this.#outside === 0) this.#since = this.#turns.options.now();
    }
  }

  get #turnMs(): number {
    return this.#outside > 0 ? 0 : this.#turns.options.now() - this.#since;
  }
}
