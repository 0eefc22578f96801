// Requests for pending receipts: held open while the operation is queued or running, so that clients need not poll. One
// coarse timer serves all of them.

interface Waiter {
  since: number;
  /** @param json the receipt, or undefined at the deadline */
  readonly answer: (json: string | undefined) => void;
  readonly gone: () => boolean;
}

const SWEEP_MS = 1_000;

export class ReceiptWaiters {
  readonly #holdMs: number;
  readonly #isHeld: () => boolean;
  readonly #waiters = new Map<string, Waiter[]>();
  #sweep: NodeJS.Timeout | undefined;
  #size = 0;

  /**
   * @param holdMs how long a request is held
   * @param isHeld whether a debugger keeps operations back: their clients would take an answer without a receipt as final
   */
  constructor(holdMs: number, isHeld: () => boolean = () => false) {
    this.#holdMs = holdMs;
    this.#isHeld = isHeld;
  }

  /** Requests held open. */
  get size(): number {
    return this.#size;
  }

  /** @param gone returns true once the client has disconnected */
  wait(hash: string, answer: (json: string | undefined) => void, gone: () => boolean): void {
    const list = this.#waiters.get(hash);
    this.#size++;
    const waiter = { since: performance.now(), answer, gone };
    if (list === undefined) this.#waiters.set(hash, [waiter]);
    else list.push(waiter);
    this.#sweep ??= setInterval(() => this.#expire(), SWEEP_MS);
    this.#sweep.unref();
  }

  settle(hash: string, json: string | undefined): void {
    const list = this.#waiters.get(hash);
    if (list === undefined) return;
    this.#waiters.delete(hash);
    this.#size -= list.length;
    for (const { answer } of list) answer(json);
  }

  #expire(): void {
    const now = performance.now();
    const before = now - this.#holdMs;
    const isHeld = this.#isHeld();
    for (const [hash, list] of this.#waiters) {
      const kept = list.filter((waiter) => {
        if (waiter.gone()) return false;
        if (isHeld) waiter.since = now;
        if (waiter.since > before) return true;
        waiter.answer(undefined);
        return false;
      });
      this.#size -= list.length - kept.length;
      if (kept.length === 0) this.#waiters.delete(hash);
      else this.#waiters.set(hash, kept);
    }
    if (this.#waiters.size === 0) {
      clearInterval(this.#sweep);
      this.#sweep = undefined;
    }
  }

  /** Answers all waiting requests. */
  close(): void {
    for (const hash of [...this.#waiters.keys()]) this.settle(hash, undefined);
    clearInterval(this.#sweep);
    this.#sweep = undefined;
  }
}
