// Operations with a future counter wait here briefly: a client that sends many at once over several connections cannot
// control the order in which they arrive.

/** Limits on waiting operations, in number and bytes: their signatures are unchecked. */
const CAPACITY = 10_000;
const CAPACITY_BYTES = 16_777_216;

interface Waiting {
  readonly bytes: number;
  finish(isAccepted: boolean): void;
}

export class WaitingRoom {
  readonly #patienceMs: number;
  readonly #waiting = new Map<string, Set<Waiting>>();
  /** When an operation of an account was last accepted, recorded while anything waits. */
  readonly #progress = new Map<string, number>();
  #count = 0;
  #bytes = 0;

  constructor(patienceMs: number) {
    this.#patienceMs = patienceMs;
  }

  /**
   * Resolves to true when an operation with this counter was accepted, to false when the account made no progress for a
   * while: as long as it does, the missing one may still come. When the room is full the largest ones give way to a smaller
   * one, with false: whoever they claim to be of, strangers cannot fill it with as many small ones.
   */
  async waitFor(source: string, counter: bigint, bytes: number): Promise<boolean> {
    while (this.#bytes + bytes > CAPACITY_BYTES) {
      const largest = this.#largest();
      if (!largest || largest.bytes <= bytes) return false;
      largest.finish(false);
    }
    if (this.#count >= CAPACITY) return false;
    const key = `${source}:${counter}`;
    const others = this.#waiting.get(key) ?? new Set<Waiting>();
    this.#waiting.set(key, others);
    this.#count++;
    this.#bytes += bytes;
    return new Promise((resolve) => {
      const finish = (isAccepted: boolean): void => {
        clearTimeout(timer);
        this.#count--;
        this.#bytes -= bytes;
        others.delete(waiting);
        if (others.size === 0) this.#waiting.delete(key);
        resolve(isAccepted);
      };
      const waiting: Waiting = { bytes, finish };
      const check = (): void => {
        const left = (this.#progress.get(source) ?? 0) + this.#patienceMs - performance.now();
        if (left <= 0) finish(false);
        else timer = setTimeout(check, left);
      };
      let timer = setTimeout(check, this.#patienceMs);
      others.add(waiting);
    });
  }

  /** Reports an accepted operation with this as its last counter. */
  accepted(source: string, counter: bigint): void {
    if (this.#count === 0) {
      this.#progress.clear();
      return;
    }
    this.#progress.set(source, performance.now());
    for (const { finish } of [...(this.#waiting.get(`${source}:${counter}`) ?? [])]) finish(true);
  }

  #largest(): Waiting | undefined {
    let largest: Waiting | undefined;
    for (const others of this.#waiting.values())
      for (const waiting of others) if (waiting.bytes > (largest?.bytes ?? 0)) largest = waiting;
    return largest;
  }
}
