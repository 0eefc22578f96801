// Questions take turns: each works for some milliseconds, then those that have worked least go on first. So a quick one
// waits for no slow one, and a slow one ends with an error of its own.
import { SandboxError } from "../../protocol/errors.ts";

/** Milliseconds of work in one turn. One piece may exceed it. */
const TURN_MS = 10;
/** Milliseconds of work of one question, without what a long answer takes to write. */
const WORK_MS = 500;
/** Milliseconds that a question may wait for its turns, all together. */
const PATIENCE_MS = 20_000;

interface Waiting {
  readonly usedMs: number;
  readonly go: () => void;
}

export interface TurnsOptions {
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  /** Calls back when other things have had their turn. */
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

  /** Work of one question, which begins with its first turn. @param mostMs of work */
  begin(mostMs = WORK_MS): Work {
    return new Work(this, mostMs);
  }

  /** Resolves when it is the turn of one that has worked so long. */
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
  /** When the turn began. */
  #since: number;
  /** Things outside that it waits for. */
  #outside = 0;

  constructor(turns: Turns, mostMs: number) {
    this.#turns = turns;
    this.#mostMs = mostMs;
    this.#since = turns.options.now();
  }

  /** @throws SandboxError QUERY_TOO_SLOW when it has worked too long */
  check(): void {
    if (this.#usedMs + this.#turnMs > this.#mostMs)
      throw new SandboxError("QUERY_TOO_SLOW", { limitMs: this.#mostMs });
  }

  /** Gives it more time, for something that has a limit of its own. */
  allow(ms: number): void {
    this.#mostMs += ms;
  }

  /** Whether it is time for {@link turn}. @throws as {@link check} */
  get isDue(): boolean {
    if (this.#turnMs < TURN_MS) return false;
    this.check();
    return true;
  }

  /** Lets others work, and resolves when it goes on. @throws SandboxError QUERY_TOO_SLOW, SERVER_BUSY */
  async turn(): Promise<void> {
    this.check();
    const { now } = this.#turns.options;
    const since = now();
    await this.outside(this.#turns.wait(this.#usedMs + this.#turnMs));
    this.#waitedMs += now() - since;
    if (this.#waitedMs > PATIENCE_MS)
      throw new SandboxError("SERVER_BUSY", { what: "questions about the chain's history" });
  }

  /** Waits for something without the time counting as work. */
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
