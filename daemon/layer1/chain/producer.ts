// Decides when blocks are made: on injection, every block time, or on demand.
import type { Block } from "./block.ts";
import type { Chain } from "./chain.ts";

export type Timing = "instant" | "interval" | "real";

/**
 * How long a block with operations stays the head while its clients have not fetched it. A client that polls the head
 * after its injection must find the block there; Taquito never looks at blocks before its first poll.
 */
const UNSEEN_MS = 20;
/** The same for a block that only an operation of the sandbox itself needs. */
const UNSEEN_FOR_OWN_MS = 500;
/**
 * The same for the next block by time, in block times: nobody waits for that one, while a client on a busy machine may need
 * seconds from the answer to its injection to its first poll.
 */
const UNSEEN_BLOCK_TIMES = 5;

export interface ProducerOptions {
  readonly timing: Timing;
  readonly blockTimeMs: number;
  readonly onError: (error: unknown) => void;
}

export class Producer {
  readonly #chain: Chain;
  readonly #options: ProducerOptions;
  #heartbeat: NodeJS.Timeout | undefined;
  #soon: NodeJS.Immediate | NodeJS.Timeout | undefined;
  /** When it is due, on the clock of `performance.now`. */
  #soonAt = 0;
  #waiting: (() => void)[] = [];
  /** Lets long operations start again; they are held so that they do not delay the next block. */
  #release: (() => void) | undefined;
  #isPaused = false;
  #isStopped = true;
  #headSince = 0;
  /** Number of operations in the head whose clients have not fetched it. */
  #unseen = 0;
  /** Pending operations of the sandbox itself, for which no client looks. */
  readonly #own = new Set<string>();

  constructor(chain: Chain, options: ProducerOptions) {
    this.#chain = chain;
    this.#options = options;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  start(): void {
    this.#isStopped = false;
    this.#headSince = performance.now();
    this.#restartHeartbeat();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#heartbeat);
    this.#cancelSoon();
    this.#releaseWaiting();
  }

  /** Stops blocks by time or injection until resumed; `bake` still works. */
  pause(): void {
    this.#isPaused = true;
    clearTimeout(this.#heartbeat);
    this.#cancelSoon();
    this.#releaseWaiting();
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#headSince = performance.now();
    this.#restartHeartbeat();
    if (this.#chain.pending.length > 0 && this.#options.timing === "instant") this.#schedule();
  }

  /** Makes blocks until no operation is pending or the remaining ones cannot be admitted at once. */
  settle(): void {
    let empty = 0;
    while (this.#chain.pending.length > 0 && empty < 2)
      empty = this.bake().operations.length > 0 ? 0 : empty + 1;
  }

  /** @param make makes the block, by default from the pending operations */
  bake(make = (): Block => this.#chain.bake()): Block {
    const release = this.#release;
    this.#release = undefined;
    this.#cancelSoon();
    let block: Block;
    try {
      block = make();
    } finally {
      release?.();
    }
    this.#headSince = performance.now();
    this.#unseen = block.operations.filter(({ hash }) => !this.#own.delete(hash)).length;
    if (this.#chain.pending.length === 0) this.#own.clear();
    this.#releaseWaiting();
    this.#restartHeartbeat();
    return block;
  }

  /**
   * Call after an operation was accepted. Resolves when it is in a block (instant timing), otherwise at once. It may be in one
   * already, made for another or by time while this one was applied: a further block would hide it from its client. A block by
   * time is made at once when it is full.
   */
  accepted(hash: string): Promise<void> {
    if (this.#isPaused || this.#isStopped) return Promise.resolve();
    if (this.#options.timing !== "instant") {
      if (this.#chain.isNextBlockFull) this.#schedule();
      return Promise.resolve();
    }
    if (!this.#chain.isPending(hash)) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#schedule();
    });
  }

  /** Call after an operation of the sandbox itself was accepted. It leaves clients more time to see the head than theirs do. */
  acceptedOwn(hash: string): void {
    if (this.#options.timing !== "instant" || this.#isPaused || this.#isStopped) return;
    if (!this.#chain.isPending(hash)) return;
    this.#own.add(hash);
    this.#schedule(UNSEEN_FOR_OWN_MS);
  }

  /** A client fetched the head, so one more has seen its operation. */
  headSeen(): void {
    if (this.#unseen === 0 || --this.#unseen > 0) return;
    this.#restartHeartbeat();
  }

  #schedule(unseenMs = UNSEEN_MS): void {
    const now = performance.now();
    const wait = this.#unseen > 0 ? Math.max(0, this.#headSince + unseenMs - now) : 0;
    if (this.#soon !== undefined) {
      if (this.#soonAt <= now + wait) return;
      clearTimeout(this.#soon as NodeJS.Timeout); // only a timer can be due later
    }
    this.#soonAt = now + wait;
    const produce = (): void => {
      this.#soon = undefined;
      this.#safeBake();
    };
    this.#release ??= this.#chain.holdLong();
    this.#soon = wait > 0 ? setTimeout(produce, wait) : setImmediate(produce);
  }

  #cancelSoon(): void {
    const release = this.#release;
    this.#release = undefined;
    release?.();
    if (this.#soon === undefined) return;
    clearTimeout(this.#soon as NodeJS.Timeout);
    clearImmediate(this.#soon as NodeJS.Immediate);
    this.#soon = undefined;
  }

  #releaseWaiting(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }

  /**
   * Makes a block as soon as no operation is being applied, for that one would have to restart; none when another was made
   * meanwhile, which has the operations that this one was for.
   */
  #safeBake(): void {
    const { head } = this.#chain;
    this.#chain.between(() => {
      if (this.#isStopped || this.#isPaused) return;
      if (this.#chain.head !== head) {
        if (this.#waiting.length > 0) this.#schedule();
        return this.#restartHeartbeat();
      }
      try {
        this.bake();
      } catch (error) {
        this.#options.onError(error);
        this.#releaseWaiting();
        this.#headSince = performance.now();
        this.#restartHeartbeat();
      }
    });
  }

  /**
   * The next block by time is due one block time after the last block, whatever caused that one, and later while clients have
   * not seen their operations in the last one.
   */
  #restartHeartbeat(): void {
    clearTimeout(this.#heartbeat);
    if (this.#isStopped || this.#isPaused) return;
    const { blockTimeMs, timing } = this.#options;
    const isKept = this.#unseen > 0 && timing === "instant";
    const due = this.#headSince + blockTimeMs * (isKept ? UNSEEN_BLOCK_TIMES : 1) - performance.now();
    this.#heartbeat = setTimeout(() => this.#safeBake(), Math.max(0, due));
  }
}
