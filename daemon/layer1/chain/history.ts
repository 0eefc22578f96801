// The kept blocks, by level and by hash. Older ones are dropped, genesis stays.
import type { Block } from "./block.ts";

export class History {
  readonly genesis: Block;
  readonly #kept: number;
  readonly #byLevel = new Map<number, Block>();
  readonly #byHash = new Map<string, Block>();
  #head: Block;
  #oldest = 0;

  /** @param kept how many levels below the head can be asked for */
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

  /** Lowest level whose block and state are kept (genesis' block apart). */
  get oldest(): number {
    return this.#oldest;
  }

  at(level: number): Block | undefined {
    return level === 0 ? this.genesis : this.#byLevel.get(level);
  }

  byHash(hash: string): Block | undefined {
    return this.#byHash.get(hash);
  }

  /** Adds the new head. @returns the level that fell out of the kept history, if one did */
  push(block: Block): number | undefined {
    this.#head = block;
    this.#byLevel.set(block.level, block);
    this.#byHash.set(block.hash, block);
    if (block.level - this.#oldest <= this.#kept) return undefined;
    const dropped = this.#oldest++;
    const old = this.#byLevel.get(dropped);
    if (old && dropped > 0) {
      this.#byLevel.delete(dropped);
      this.#byHash.delete(old.hash);
    }
    return dropped;
  }
}
