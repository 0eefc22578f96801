// Limits the explorer's concurrent reads of the parts; a long read gives way when others wait.
import { SandboxError } from "../protocol/errors.ts";

/** Reads in flight: whole answers are in memory. */
const MAX_READS = 16;
/** Queued reads; a page starts a dozen at a time. */
const MAX_WAITING = 128;
/** Milliseconds before a read must give way to others. */
const FAIR_MS = 2_000;

interface Read {
  readonly begun: number;
  readonly giveWay: AbortController;
}

export class ReadPlaces {
  /** In the order in which they started. */
  readonly #reads = new Set<Read>();
  readonly #waiting: (() => void)[] = [];
  /** Places in use or already assigned. */
  #taken = 0;
  #timer: NodeJS.Timeout | undefined;

  /**
   * Runs a read once a place is free.
   * @throws SandboxError SERVER_BUSY when too many are queued, or when a long read had to give way
   */
  async run<T>(signal: AbortSignal, read: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (this.#taken < MAX_READS) this.#taken++;
    else {
      if (this.#waiting.length >= MAX_WAITING) throw busy();
      const turn = new Promise<void>((resolve) => this.#waiting.push(resolve));
      this.#assign();
      await turn;
    }
    const mine: Read = { begun: performance.now(), giveWay: new AbortController() };
    this.#reads.add(mine);
    try {
      return await read(AbortSignal.any([signal, mine.giveWay.signal]));
    } catch (error) {
      throw mine.giveWay.signal.aborted ? busy() : error;
    } finally {
      this.#reads.delete(mine);
      this.#taken--;
      this.#assign();
    }
  }

  /** Assigns free places, aborts the oldest read when it must give way, and checks again when its time is up. */
  #assign(): void {
    clearTimeout(this.#timer);
    for (; this.#taken < MAX_READS && this.#waiting.length > 0; this.#taken++) this.#waiting.shift()!();
    const oldest = [...this.#reads].find(({ giveWay }) => !giveWay.signal.aborted);
    if (oldest === undefined || this.#waiting.length === 0) return;
    const left = oldest.begun + FAIR_MS - performance.now();
    if (left <= 0) oldest.giveWay.abort();
    this.#timer = setTimeout(() => this.#assign(), Math.max(1, left)).unref();
  }
}

const busy = (): SandboxError => new SandboxError("SERVER_BUSY", { what: "reads of the explorer" });
