// The blocks of the history, by level and by hash. Older ones are dropped; genesis stays.
import type { Block } from "./block.ts";

/** Approximate bytes of all these blocks and of the states before them; LEAST_KEPT blocks may exceed it. */
const MAX_BYTES = 32 * 1024 * 1024;
/** Number of blocks kept however large they are: operations name a recent one as their branch. */
const LEAST_KEPT = 16;

export class History {
  readonly genesis: Block;
  readonly #kept: number;
  readonly #byLevel = new Map<number, Block>();
  readonly #byHash = new Map<string, Block>();
  readonly #bytes = new Map<number, number>();
  #allBytes = 0;
  #head: Block;
  #oldest = 0;

  /** @param kept number of levels below the head to keep */
  constructor(genesis: Block, kept: number) {
    this.genesis = genesis;
    this.#kept = kept;
    this.#head = genesis;
    this.#byLevel.set(0, genesis);
    this.#byHash.set(genesis.hash, genesis);
  }

  get head(): Block {
    return this.#head;
  }

  /** Lowest level whose block and state are available, apart from genesis. */
  get oldest(): number {
    return this.#oldest;
  }

  at(level: number): Block | undefined {
    return level === 0 ? this.genesis : this.#byLevel.get(level);
  }

  byHash(hash: string): Block | undefined {
    return this.#byHash.get(hash);
  }

  /**
   * Adds the new head.
   * @param bytes size of the block and of the state data kept for the one before
   * @returns the levels dropped from the history
   */
  push(block: Block, bytes: number): readonly number[] {
    this.#head = block;
    this.#byLevel.set(block.level, block);
    this.#byHash.set(block.hash, block);
    this.#bytes.set(block.level, bytes);
    this.#allBytes += bytes;
    const dropped: number[] = [];
    while (
      block.level - this.#oldest > this.#kept ||
      (this.#allBytes > MAX_BYTES && block.level - this.#oldest > LEAST_KEPT)
    ) {
      dropped.push(this.#oldest);
      this.#drop(this.#oldest++);
    }
    return dropped;
  }

  #drop(level: number): void {
    this.#allBytes -= this.#bytes.get(level) ?? 0;
    this.#bytes.delete(level);
    const old = level > 0 ? this.#byLevel.get(level) : undefined;
    if (old === undefined) return;
    this.#byLevel.delete(level);
    this.#byHash.delete(old.hash);
  }
}
