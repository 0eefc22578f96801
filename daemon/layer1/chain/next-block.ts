// The block under way: operations accepted on top of the head, already applied. Validation of further
// operations and simulations build on it, so that a client may send several operations in a row.
import { Layer, type StateReader } from "./store.ts";
import { type Context, writeContext } from "./context.ts";
import type { Block, IncludedOperation } from "./block.ts";
import { applyOperation } from "../operations/apply-operation.ts";
import type { BlockFrame, RollupRules } from "../operations/execution.ts";
import type { Decoded } from "../operations/operation-codec.ts";
import { clearInbox, inboxMessages } from "../rollup/inbox.ts";

export interface Accepted {
  readonly operation: Decoded;
  readonly hash: string;
  readonly hashBytes: Uint8Array;
}

export interface ChainRules {
  readonly chainId: string;
  readonly minBlockTime: bigint;
  readonly rollup: RollupRules;
}

export class NextBlock {
  readonly #below: StateReader;
  readonly #predecessor: Block;
  readonly #rules: ChainRules;
  readonly #accepted: Accepted[] = [];
  #included: IncludedOperation[] = [];
  #context!: Context; // set with the layer
  #layer: Layer;
  #timestamp: bigint;

  constructor(below: StateReader, predecessor: Block, rules: ChainRules, timestamp: bigint) {
    this.#below = below;
    this.#predecessor = predecessor;
    this.#rules = rules;
    this.#timestamp = timestamp;
    this.#layer = this.#freshLayer();
  }

  #freshLayer(): Layer {
    const layer = new Layer(this.#below);
    this.#context = writeContext(layer);
    clearInbox(this.#context);
    return layer;
  }

  get accepted(): readonly Accepted[] {
    return this.#accepted;
  }

  get frame(): BlockFrame {
    return { level: this.#predecessor.level + 1, timestamp: this.#timestamp, ...this.#rules };
  }

  /** State with the accepted operations applied. */
  get layer(): Layer {
    return this.#layer;
  }

  get context(): Context {
    return this.#context;
  }

  /** Applies a validated operation and keeps it for this block. @throws CurvesNeeded */
  add(accepted: Accepted): void {
    this.#apply(accepted);
    this.#accepted.push(accepted);
  }

  #apply({ operation, hash, hashBytes }: Accepted): void {
    const contents = applyOperation(this.#layer, operation.contents, hashBytes, this.frame);
    this.#included.push({
      hash,
      branch: operation.branch,
      signature: operation.signature!,
      contents,
    });
  }

  /**
   * Closes the block with its time. Operations run again when that is not the second they were applied in,
   * because scripts can read the time.
   */
  close(timestamp: bigint): {
    readonly layer: Layer;
    readonly operations: readonly IncludedOperation[];
    readonly messages: readonly string[];
  } {
    if (timestamp !== this.#timestamp && this.#accepted.length > 0) {
      this.#timestamp = timestamp;
      this.#layer = this.#freshLayer();
      this.#included = [];
      for (const accepted of this.#accepted) this.#apply(accepted);
    }
    return { layer: this.#layer, operations: this.#included, messages: inboxMessages(this.#context) };
  }
}
