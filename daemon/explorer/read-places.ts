// Places for the explorer's reads of the parts: few at once, and nobody keeps one while others wait.
import { SandboxError } from "../protocol/errors.ts";

/** Reads at once: their answers are in memory as a whole. */
const MAX_READS = 16;
/** Reads that wait for a place; a page makes a dozen at a time. */
const MAX_WAITING = 128;
/** Time that a read has for itself before it gives way to others. */
const FAIR_MS = 2_000;

interface Read {
  readonly begun: number;
  readonly giveWay: AbortController;
}

export class ReadPlaces {
  /** In the order of their beginning. */
  readonly #reads = new Set<Read>();
  readonly #waiting: (() => void)[] = [];
  /** Places that are taken, or given to those whose turn comes. */
  #taken = 0;
  #timer: NodeJS.Timeout | undefined;

  /**
   * Runs a read when it has a place.
   * @throws SandboxError SERVER_BUSY when too many wait, or when it took long and others needed its place
   */
  async run<T>(signal: AbortSignal, read: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (this.#taken < MAX_READS) this.#taken++;
    else {
      if (this.#waiting.length >= MAX_WAITING) throw busy();
      const turn = new Promise<void>((resolve) => this.#waiting.push(resolve));
      this.#look();
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
      this.#look();
    }
  }

  /** Gives free places to those who wait, and looks again when the oldest read has had its time. */
  #look(): void {
    clearTimeout(this.#timer);
    for (; this.#taken < MAX_READS && this.#waiting.length > 0; this.#taken++) this.#waiting.shift()!();
    const oldest = [...this.#reads].find(({ giveWay }) => !giveWay.signal.aborted);
    if (oldest === undefined || this.#waiting.length === 0) return;
    const left = oldest.begun + FAIR_MS - performance.now();
    if (left <= 0) oldest.giveWay.abort();
    this.#timer = setTimeout(() => this.#look(), Math.max(1, left)).unref();
  }
}

const busy = (): SandboxError => new SandboxError("SERVER_BUSY", { what: "reads of the explorer" });
