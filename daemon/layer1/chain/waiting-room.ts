// Operations whose counter is ahead of their account's wait here for a moment: a client that sends many at once
// over several connections cannot rule the order in which they arrive.

/** Operations that may wait at once, and their bytes: nobody has looked at their signatures. */
const CAPACITY = 10_000;
const CAPACITY_BYTES = 16_777_216;

export class WaitingRoom {
  readonly #patienceMs: number;
  readonly #waiting = new Map<string, Set<() => void>>();
  /** When something of an account was last accepted, while anything waits. */
  readonly #progress = new Map<string, number>();
  #count = 0;
  #bytes = 0;

  constructor(patienceMs: number) {
    this.#patienceMs = patienceMs;
  }

  /**
   * Resolves to true when the counter of the account was taken, to false when nothing of the account was accepted
   * for a while: as long as there is progress, the one before may still come.
   */
  async untilTaken(source: string, counter: bigint, bytes: number): Promise<boolean> {
    if (this.#count >= CAPACITY || this.#bytes + bytes > CAPACITY_BYTES) return false;
    const key = `${source}:${counter}`;
    const others = this.#waiting.get(key) ?? new Set();
    this.#waiting.set(key, others);
    this.#count++;
    this.#bytes += bytes;
    return new Promise((resolve) => {
      const finish = (taken: boolean): void => {
        clearTimeout(timer);
        this.#count--;
        this.#bytes -= bytes;
        others.delete(wake);
        if (others.size === 0) this.#waiting.delete(key);
        resolve(taken);
      };
      const wake = (): void => finish(true);
      const look = (): void => {
        const left = (this.#progress.get(source) ?? 0) + this.#patienceMs - performance.now();
        if (left <= 0) finish(false);
        else timer = setTimeout(look, left);
      };
      let timer = setTimeout(look, this.#patienceMs);
      others.add(wake);
    });
  }

  /** An operation of the account with this as its last counter was accepted. */
  taken(source: string, counter: bigint): void {
    if (this.#count === 0) {
      this.#progress.clear();
      return;
    }
    this.#progress.set(source, performance.now());
    for (const wake of [...(this.#waiting.get(`${source}:${counter}`) ?? [])]) wake();
  }
}
